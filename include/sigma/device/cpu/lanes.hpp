// SPDX-License-Identifier: BSL-1.0
// Vectors at any address, masked vectors at the ends of rows, and operations over all lanes of a vector.
#pragma once

#include <cstddef>
#include <type_traits>

#include <sigma/device/cpu/instructions.hpp>
#include <sigma/device/cpu/vector.hpp>

namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

/// Returns for each pair of lanes whether one of them is NaN.
template <class T>
SIGMA_INLINE Mask<T> unordered(Vector<T> x, Vector<T> y) {
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4)
        return Mask<T>((Lanes<T>)__builtin_ia32_cmpps512_mask(x.data, y.data, 3, every<T>, 4));
    else return Mask<T>((Lanes<T>)__builtin_ia32_cmppd512_mask(x.data, y.data, 3, every<T>, 4));
#elif defined(__AVX__)
    if constexpr (sizeof(T) == 4) return Mask<T>((Lanes<T>)__builtin_ia32_cmpps256(x.data, y.data, 3));
    else return Mask<T>((Lanes<T>)__builtin_ia32_cmppd256(x.data, y.data, 3));
#else
    return (x != x) | (y != y);
#endif
}

/// Returns the first lane that is set in the mask; at least one must be set.
template <class T>
SIGMA_INLINE int first_of(Mask<T> m) {
#if defined(__AVX512F__)
    return __builtin_ctz(static_cast<unsigned>(m.data));
#elif defined(__AVX__)
    if constexpr (sizeof(T) == 4)
        return __builtin_ctz(static_cast<unsigned>(__builtin_ia32_movmskps256(Register<float>(m.data))));
    else return __builtin_ctz(static_cast<unsigned>(__builtin_ia32_movmskpd256(Register<double>(m.data))));
#elif defined(__SSE2__)
    if constexpr (sizeof(T) == 4)
        return __builtin_ctz(static_cast<unsigned>(__builtin_ia32_movmskps(Register<float>(m.data))));
    else return __builtin_ctz(static_cast<unsigned>(__builtin_ia32_movmskpd(Register<double>(m.data))));
#else
    int i = 0;
    while (!m.data[i]) ++i;
    return i;
#endif
}

// FullVector and MaskedVector have the same members, so that a kernel is written once and instantiated for both.

template <class T>
struct FullVector {  // a full vector at any address
    static constexpr int count = lanes<T>;
    SIGMA_INLINE Vector<T> load(const T* from) const { return Vector<T>::load_unaligned(from); }
    SIGMA_INLINE void store(T* to, Vector<T> v) const { v.store_unaligned(to); }
    SIGMA_INLINE Vector<T> keep(Vector<T> v, T) const { return v; }
};

#if !defined(__AVX512F__)
// The mask of the first n lanes starts n words before the middle.
template <class T>
struct TailMask {
    SignedWord<T> words[2 * lanes<T>] = {};
    constexpr TailMask() {
        for (int i = 0; i < lanes<T>; ++i) words[i] = -1;
    }
};
template <class T>
inline constexpr TailMask<T> tail_mask;
#endif

// The first `count` lanes (0..lanes) of a vector. The memory of the others is neither read nor written; they load as 0.
template <class T>
struct MaskedVector {
    int count;

#if defined(__AVX512F__)
    SIGMA_INLINE Mask<T> mask() const { return Mask<T>(static_cast<Lanes<T>>((1u << count) - 1u)); }
    SIGMA_INLINE Vector<T> load(const T* from) const {
        if constexpr (std::is_same_v<T, float>) return __builtin_ia32_loadups512_mask(from, Register<T>{}, mask().data);
        else return __builtin_ia32_loadupd512_mask(from, Register<T>{}, mask().data);
    }
    SIGMA_INLINE void store(T* to, Vector<T> v) const {
        if constexpr (std::is_same_v<T, float>) __builtin_ia32_storeups512_mask(to, v.data, mask().data);
        else __builtin_ia32_storeupd512_mask(to, v.data, mask().data);
    }
#else
    SIGMA_INLINE Mask<T> mask() const {
        return Mask<T>((Lanes<T>)load_register<SignedWord<T>>(tail_mask<T>.words + lanes<T> - count));
    }
#if defined(__AVX__)
    SIGMA_INLINE Vector<T> load(const T* from) const {
        if constexpr (std::is_same_v<T, float>)
            return __builtin_ia32_maskloadps256(reinterpret_cast<const Register<float>*>(from),
                                                (Register<int>)mask().data);
        else
            return __builtin_ia32_maskloadpd256(reinterpret_cast<const Register<double>*>(from),
                                                (Register<long long>)mask().data);
    }
    SIGMA_INLINE void store(T* to, Vector<T> v) const {
        // Stores pieces: a masked store costs some twelve cycles on Zen 1 to 3, and the branches are predictable.
        if (count == lanes<T>) return v.store_unaligned(to);
        auto rest = lower_half<T, 32>(v.data);
        if (count & (lanes<T> / 2)) {
            store_register<T, 16>(to, rest);
            rest = upper_half<T, 32>(v.data);
            to += lanes<T> / 2;
        }
        if constexpr (std::is_same_v<T, float>) {
            if (count & 2) {
                store_register<T, 8>(to, lower_half<T, 16>(rest));
                rest = __builtin_shufflevector(rest, rest, 2, 3, 2, 3);
                to += 2;
            }
        }
        if (count & 1) *to = rest[0];
    }
#else
    SIGMA_INLINE Vector<T> load(const T* from) const {
        T all[lanes<T>] = {};
        __builtin_memcpy(all, from, bytes());
        return Vector<T>::load_unaligned(all);
    }
    SIGMA_INLINE void store(T* to, Vector<T> v) const {
        T all[lanes<T>];
        v.store_unaligned(all);
        __builtin_memcpy(to, all, bytes());
    }
    SIGMA_INLINE std::size_t bytes() const { return sizeof(T) * static_cast<std::size_t>(count); }
#endif
#endif
    SIGMA_INLINE Vector<T> keep(Vector<T> v, T fill) const { return select(mask(), v, Vector<T>(fill)); }
};

// Folds the upper half of the lanes onto the lower half until one is left: lane i meets lane i + lanes/2 first.
template <class T, int bytes = register_bytes, class F>
SIGMA_INLINE T fold_lanes(Register<T, bytes> x, F combine) {
    if constexpr (bytes > 16) {
        return fold_lanes<T, bytes / 2>(combine(lower_half<T, bytes>(x), upper_half<T, bytes>(x)), combine);
    } else if constexpr (sizeof(T) == 4) {
        x = combine(x, __builtin_shufflevector(x, x, 2, 3, 2, 3));
        return static_cast<T>(combine(T(x[0]), T(x[1])));
    } else {
        return static_cast<T>(combine(T(x[0]), T(x[1])));
    }
}

// Horizontal operations; the compilers' own vector types let one formula serve registers and scalars.
// maximum and minimum return NaN if any lane is NaN.
template <class T>
SIGMA_INLINE T sum(Vector<T> v) {
    return fold_lanes<T>(v.data, [](auto x, auto y) { return x + y; });
}
template <class T>
SIGMA_INLINE T maximum(Vector<T> v) {
    return fold_lanes<T>(v.data, [](auto x, auto y) { return ((x > y) | (x != x)) ? x : y; });
}
template <class T>
SIGMA_INLINE T minimum(Vector<T> v) {
    return fold_lanes<T>(v.data, [](auto x, auto y) { return ((x < y) | (x != x)) ? x : y; });
}

}  // namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS
