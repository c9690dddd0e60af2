// SPDX-License-Identifier: BSL-1.0
// Registers as the vector types of compilers, which have arithmetic, comparisons and shuffles without a header, and
// functions that move them. (<immintrin.h> costs a program 60 MB of the compiler's memory.)
#pragma once
#include <sigma/device/cpu/instructions.hpp>

#include <cstdint>
#include <type_traits>

namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

#if defined(__AVX512F__)
inline constexpr int register_bytes = 64;
#elif defined(__AVX__)
inline constexpr int register_bytes = 32;
#else
inline constexpr int register_bytes = 16;
#endif

namespace detail {
template <class T, int bytes>
struct RegisterOf {
    using Type [[gnu::vector_size(bytes)]] = T;
};
}  // namespace detail

template <class T, int bytes = register_bytes>
using Register = typename detail::RegisterOf<T, bytes>::Type;

/// Integers as wide as T; comparisons give registers of the signed ones, all bits of a lane alike.
template <class T>
using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
template <class T>
using SignedWord = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

/// A register in memory of any alignment and type.
template <class T, int bytes = register_bytes>
struct [[gnu::packed, gnu::may_alias]] Unaligned {
    Register<T, bytes> value;
};
template <class T, int bytes = register_bytes>
SIGMA_INLINE Register<T, bytes> load_register(const void* from) {
    return static_cast<const Unaligned<T, bytes>*>(from)->value;
}
template <class T, int bytes = register_bytes>
SIGMA_INLINE void store_register(void* to, Register<T, bytes> x) {
    static_cast<Unaligned<T, bytes>*>(to)->value = x;
}

template <class T, int bytes>
SIGMA_INLINE Register<T, bytes / 2> lower_half(Register<T, bytes> x) {
    if constexpr (bytes / sizeof(T) == 16) return __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7);
    else if constexpr (bytes / sizeof(T) == 8) return __builtin_shufflevector(x, x, 0, 1, 2, 3);
    else return __builtin_shufflevector(x, x, 0, 1);
}
template <class T, int bytes>
SIGMA_INLINE Register<T, bytes / 2> upper_half(Register<T, bytes> x) {
    if constexpr (bytes / sizeof(T) == 16) return __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15);
    else if constexpr (bytes / sizeof(T) == 8) return __builtin_shufflevector(x, x, 4, 5, 6, 7);
    else return __builtin_shufflevector(x, x, 2, 3);
}

template <class T, int bytes = register_bytes>
SIGMA_INLINE Register<T, bytes> both_halves(Register<T, bytes / 2> lower, Register<T, bytes / 2> upper) {
#if defined(__AVX__) && !defined(__clang__)  // g++ would shuffle a value that an insertion reads from memory
    if constexpr (std::is_same_v<T, float> && bytes == 32)
        return __builtin_ia32_vinsertf128_ps256(__builtin_ia32_ps256_ps(lower), upper, 1);
    else
#endif
        if constexpr (bytes / sizeof(T) == 16)
        return __builtin_shufflevector(lower, upper, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    else if constexpr (bytes / sizeof(T) == 8) return __builtin_shufflevector(lower, upper, 0, 1, 2, 3, 4, 5, 6, 7);
    else return __builtin_shufflevector(lower, upper, 0, 1, 2, 3);
}

/// Returns the products of the lower halves of 64-bit lanes.
template <int bytes>
SIGMA_INLINE Register<std::uint64_t, bytes> multiply_lower_halves(Register<std::uint64_t, bytes> x,
                                                                  Register<std::uint64_t, bytes> y) {
#if defined(__AVX2__) && !defined(__clang__)  // clang recognizes the instruction in the formula
    if constexpr (bytes == 32)
        return (Register<std::uint64_t, bytes>)__builtin_ia32_pmuludq256((Register<int, bytes>)x,
                                                                         (Register<int, bytes>)y);
    else
#endif
#if defined(__SSE2__) && !defined(__clang__)
        if constexpr (bytes == 16)
        return (Register<std::uint64_t, bytes>)__builtin_ia32_pmuludq128((Register<int, bytes>)x,
                                                                         (Register<int, bytes>)y);
    else
#endif
        return (x & 0xFFFFFFFFu) * (y & 0xFFFFFFFFu);
}

}  // namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS
