// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/cpu/registers.hpp>

#include <type_traits>

namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

#if defined(__AVX512F__)
/// A mask with one bit for each lane, as the builtins of compilers use it.
#if defined(__clang__)
template <class T>
using Lanes = std::conditional_t<sizeof(T) == 4, unsigned short, unsigned char>;
#else
template <class T>
using Lanes = std::conditional_t<sizeof(T) == 4, short, signed char>;
#endif
template <class T>
inline constexpr Lanes<T> every = static_cast<Lanes<T>>(-1);
#else
/// A mask with all bits of a lane equal, as comparisons return it.
template <class T>
using Lanes = Register<SignedWord<T>>;
#endif

/// The result of a comparison of vectors: true or false for each lane.
template <class T>
struct Mask {
    Lanes<T> data;

    Mask() = default;
    SIGMA_INLINE Mask(Lanes<T> x) : data(x) {}
    SIGMA_INLINE friend Mask operator&(Mask x, Mask y) { return {static_cast<Lanes<T>>(x.data & y.data)}; }
    SIGMA_INLINE friend Mask operator|(Mask x, Mask y) { return {static_cast<Lanes<T>>(x.data | y.data)}; }
    SIGMA_INLINE friend Mask operator!(Mask x) { return {static_cast<Lanes<T>>(~x.data)}; }
};

/// The numbers of a register: float, double, or unsigned integers of these sizes. Bitwise operators work on the bits.
template <class T>
struct Vector {
    using value_type = T;
    static constexpr int size = register_bytes / static_cast<int>(sizeof(T));

    Register<T> data;

    Vector() = default;
    SIGMA_INLINE Vector(Register<T> x) : data(x) {}
    SIGMA_INLINE explicit Vector(T x) : data(x - Register<T>{}) {}  // x - 0 is x, -0 too

    SIGMA_INLINE static Vector load_unaligned(const T* from) { return load_register<T>(from); }
    SIGMA_INLINE void store_unaligned(T* to) const { store_register<T>(to, data); }
    SIGMA_INLINE T get(int i) const { return data[i]; }

    SIGMA_INLINE friend Vector operator+(Vector x, Vector y) { return x.data + y.data; }
    SIGMA_INLINE friend Vector operator-(Vector x, Vector y) { return x.data - y.data; }
    SIGMA_INLINE friend Vector operator*(Vector x, Vector y) { return x.data * y.data; }
    SIGMA_INLINE friend Vector operator/(Vector x, Vector y) { return x.data / y.data; }
    SIGMA_INLINE friend Vector operator-(Vector x) { return -x.data; }
    SIGMA_INLINE Vector& operator+=(Vector y) { return *this = *this + y; }
    SIGMA_INLINE friend Vector operator<<(Vector x, int n) { return x.data << n; }
    SIGMA_INLINE friend Vector operator>>(Vector x, int n) { return x.data >> n; }
    SIGMA_INLINE friend Vector operator&(Vector x, Vector y) { return Vector(Register<T>(x.bits() & y.bits())); }
    SIGMA_INLINE friend Vector operator|(Vector x, Vector y) { return Vector(Register<T>(x.bits() | y.bits())); }
    SIGMA_INLINE friend Vector operator^(Vector x, Vector y) { return Vector(Register<T>(x.bits() ^ y.bits())); }

#if defined(__AVX512F__)
    SIGMA_INLINE friend Mask<T> operator<(Vector x, Vector y) { return x.template compared<0x11>(y); }
    SIGMA_INLINE friend Mask<T> operator<=(Vector x, Vector y) { return x.template compared<0x12>(y); }
    SIGMA_INLINE friend Mask<T> operator>(Vector x, Vector y) { return x.template compared<0x1e>(y); }
    SIGMA_INLINE friend Mask<T> operator>=(Vector x, Vector y) { return x.template compared<0x1d>(y); }
    SIGMA_INLINE friend Mask<T> operator==(Vector x, Vector y) { return x.template compared<0>(y); }
    SIGMA_INLINE friend Mask<T> operator!=(Vector x, Vector y) { return x.template compared<4>(y); }
#else
    SIGMA_INLINE friend Mask<T> operator<(Vector x, Vector y) { return {x.data < y.data}; }
    SIGMA_INLINE friend Mask<T> operator<=(Vector x, Vector y) { return {x.data <= y.data}; }
    SIGMA_INLINE friend Mask<T> operator>(Vector x, Vector y) { return {x.data > y.data}; }
    SIGMA_INLINE friend Mask<T> operator>=(Vector x, Vector y) { return {x.data >= y.data}; }
    SIGMA_INLINE friend Mask<T> operator==(Vector x, Vector y) { return {x.data == y.data}; }
    SIGMA_INLINE friend Mask<T> operator!=(Vector x, Vector y) { return {x.data != y.data}; }
#endif

private:
    SIGMA_INLINE Register<Word<T>> bits() const { return Register<Word<T>>(data); }
#if defined(__AVX512F__)
    template <int predicate>
    SIGMA_INLINE Mask<T> compared(Vector y) const {
        if constexpr (sizeof(T) == 4)
            return {static_cast<Lanes<T>>(__builtin_ia32_cmpps512_mask(data, y.data, predicate, every<T>, 4))};
        else return {static_cast<Lanes<T>>(__builtin_ia32_cmppd512_mask(data, y.data, predicate, every<T>, 4))};
    }
#endif
};

template <class T>
inline constexpr int lanes = Vector<T>::size;
template <class T>
using Bits = Vector<Word<T>>;

/// Returns the bits of a vector as numbers of another type.
template <class To, class T>
SIGMA_INLINE To bitwise_cast(Vector<T> x) {
    return Register<typename To::value_type>(x.data);
}

// Builtins by the type of elements. With g++ those of 512 bits take a mask and a rounding mode (4: the current one).
#define SIGMA_BY_TYPE(single, twofold)                         \
    do {                                                       \
        if constexpr (std::is_same_v<T, float>) return single; \
        else return twofold;                                   \
    } while (false)

template <class T>
SIGMA_INLINE Vector<T> select(Mask<T> m, Vector<T> yes, Vector<T> no) {
#if defined(__AVX512F__) && defined(__clang__)
    SIGMA_BY_TYPE(__builtin_ia32_selectps_512(m.data, yes.data, no.data),
                  __builtin_ia32_selectpd_512(m.data, yes.data, no.data));
#elif defined(__AVX512F__)
    SIGMA_BY_TYPE(__builtin_ia32_movaps512_mask(yes.data, no.data, m.data),
                  __builtin_ia32_movapd512_mask(yes.data, no.data, m.data));
#else
    return m.data ? yes.data : no.data;
#endif
}

template <class T>
SIGMA_INLINE bool any(Mask<T> m) {
#if defined(__AVX512F__)
    return m.data != 0;
#elif defined(__AVX__)
    SIGMA_BY_TYPE(__builtin_ia32_movmskps256(Register<float>(m.data)) != 0,
                  __builtin_ia32_movmskpd256(Register<double>(m.data)) != 0);
#elif defined(__SSE2__)
    SIGMA_BY_TYPE(__builtin_ia32_movmskps(Register<float>(m.data)) != 0,
                  __builtin_ia32_movmskpd(Register<double>(m.data)) != 0);
#else
    Word<T> found = 0;
    for (int i = 0; i < Vector<T>::size; ++i) found |= static_cast<Word<T>>(m.data[i]);
    return found != 0;
#endif
}
template <class T>
SIGMA_INLINE bool all(Mask<T> m) {
    return !any(!m);
}

/// Returns the greater of each two lanes; the second if one is NaN.
template <class T>
SIGMA_INLINE Vector<T> max(Vector<T> x, Vector<T> y) {
#if defined(__AVX512F__) && defined(__clang__)
    SIGMA_BY_TYPE(__builtin_ia32_maxps512(x.data, y.data, 4), __builtin_ia32_maxpd512(x.data, y.data, 4));
#elif defined(__AVX512F__)
    SIGMA_BY_TYPE(__builtin_ia32_maxps512_mask(x.data, y.data, x.data, every<T>, 4),
                  __builtin_ia32_maxpd512_mask(x.data, y.data, x.data, every<T>, 4));
#elif defined(__AVX__)
    SIGMA_BY_TYPE(__builtin_ia32_maxps256(x.data, y.data), __builtin_ia32_maxpd256(x.data, y.data));
#elif defined(__SSE2__)
    SIGMA_BY_TYPE(__builtin_ia32_maxps(x.data, y.data), __builtin_ia32_maxpd(x.data, y.data));
#else
    return select(x > y, x, y);
#endif
}
template <class T>
SIGMA_INLINE Vector<T> min(Vector<T> x, Vector<T> y) {
#if defined(__AVX512F__) && defined(__clang__)
    SIGMA_BY_TYPE(__builtin_ia32_minps512(x.data, y.data, 4), __builtin_ia32_minpd512(x.data, y.data, 4));
#elif defined(__AVX512F__)
    SIGMA_BY_TYPE(__builtin_ia32_minps512_mask(x.data, y.data, x.data, every<T>, 4),
                  __builtin_ia32_minpd512_mask(x.data, y.data, x.data, every<T>, 4));
#elif defined(__AVX__)
    SIGMA_BY_TYPE(__builtin_ia32_minps256(x.data, y.data), __builtin_ia32_minpd256(x.data, y.data));
#elif defined(__SSE2__)
    SIGMA_BY_TYPE(__builtin_ia32_minps(x.data, y.data), __builtin_ia32_minpd(x.data, y.data));
#else
    return select(x < y, x, y);
#endif
}
template <class T>
SIGMA_INLINE Vector<T> sqrt(Vector<T> x) {
#if defined(__AVX512F__) && defined(__clang__)
    SIGMA_BY_TYPE(__builtin_ia32_sqrtps512(x.data, 4), __builtin_ia32_sqrtpd512(x.data, 4));
#elif defined(__AVX512F__)
    SIGMA_BY_TYPE(__builtin_ia32_sqrtps512_mask(x.data, x.data, every<T>, 4),
                  __builtin_ia32_sqrtpd512_mask(x.data, x.data, every<T>, 4));
#elif defined(__AVX__)
    SIGMA_BY_TYPE(__builtin_ia32_sqrtps256(x.data), __builtin_ia32_sqrtpd256(x.data));
#elif defined(__SSE2__)
    SIGMA_BY_TYPE(__builtin_ia32_sqrtps(x.data), __builtin_ia32_sqrtpd(x.data));
#else
    for (int i = 0; i < Vector<T>::size; ++i) {
        if constexpr (std::is_same_v<T, float>) x.data[i] = __builtin_sqrtf(x.data[i]);
        else x.data[i] = __builtin_sqrt(x.data[i]);
    }
    return x;
#endif
}
template <class T>
SIGMA_INLINE Vector<T> abs(Vector<T> x) {
    return x ^ (x & Vector<T>(T(-0.0)));
}
template <class T>
SIGMA_INLINE Mask<T> isnan(Vector<T> x) {
    return x != x;
}

/// Computes x·y + z, rounded once if the instruction set has such an instruction, otherwise as the compiler chooses.
template <class T>
SIGMA_INLINE Vector<T> fused_multiply_add(Vector<T> x, Vector<T> y, Vector<T> z) {
#if defined(__AVX512F__)
    SIGMA_BY_TYPE(__builtin_ia32_vfmaddps512_mask(x.data, y.data, z.data, every<T>, 4),
                  __builtin_ia32_vfmaddpd512_mask(x.data, y.data, z.data, every<T>, 4));
#elif defined(__FMA__)
    SIGMA_BY_TYPE(__builtin_ia32_vfmaddps256(x.data, y.data, z.data),
                  __builtin_ia32_vfmaddpd256(x.data, y.data, z.data));
#elif defined(__aarch64__) && defined(__clang__)
    return __builtin_elementwise_fma(x.data, y.data, z.data);
#elif defined(__aarch64__)
    SIGMA_BY_TYPE(__builtin_aarch64_fmav4sf(x.data, y.data, z.data), __builtin_aarch64_fmav2df(x.data, y.data, z.data));
#else
    return x.data * y.data + z.data;
#endif
}
/// Computes x·y - z.
template <class T>
SIGMA_INLINE Vector<T> fused_multiply_subtract(Vector<T> x, Vector<T> y, Vector<T> z) {
#if defined(__AVX512F__) && !defined(__clang__)
    SIGMA_BY_TYPE(__builtin_ia32_vfmsubps512_mask(x.data, y.data, z.data, every<T>, 4),
                  __builtin_ia32_vfmsubpd512_mask(x.data, y.data, z.data, every<T>, 4));
#elif defined(__FMA__) && !defined(__clang__)
    SIGMA_BY_TYPE(__builtin_ia32_vfmsubps256(x.data, y.data, z.data),
                  __builtin_ia32_vfmsubpd256(x.data, y.data, z.data));
#else
    return fused_multiply_add<T>(x, y, -z);
#endif
}
/// Computes z - x·y.
template <class T>
SIGMA_INLINE Vector<T> fused_subtract_product(Vector<T> x, Vector<T> y, Vector<T> z) {
#if defined(__AVX512F__) && !defined(__clang__)
    SIGMA_BY_TYPE(__builtin_ia32_vfnmaddps512_mask(x.data, y.data, z.data, every<T>, 4),
                  __builtin_ia32_vfnmaddpd512_mask(x.data, y.data, z.data, every<T>, 4));
#elif defined(__FMA__) && !defined(__clang__)
    SIGMA_BY_TYPE(__builtin_ia32_vfnmaddps256(x.data, y.data, z.data),
                  __builtin_ia32_vfnmaddpd256(x.data, y.data, z.data));
#else
    return fused_multiply_add<T>(-x, y, z);
#endif
}

#if defined(__AVX512F__)
/// Computes x·2^n, with subnormal results and overflow to infinity.
template <class T>
SIGMA_INLINE Vector<T> scale_by_power(Vector<T> x, Vector<T> n) {
    SIGMA_BY_TYPE(__builtin_ia32_scalefps512_mask(x.data, n.data, x.data, every<T>, 4),
                  __builtin_ia32_scalefpd512_mask(x.data, n.data, x.data, every<T>, 4));
}
#endif

#undef SIGMA_BY_TYPE

}  // namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS
