// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Types of elements in files: Dtype, StoredElement. Included by `<sigma/sigma.hpp>`.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

namespace sigma {

/// The type of the elements of a tensor in a safetensors file.
///
/// The order is that of the format's own library: tensors with a type that comes later in this list lie first in a
/// file.
///
/// @see TensorInfo, SafetensorsFile, SafetensorsWriter
enum class Dtype : std::uint8_t {
    boolean,  ///< BOOL: one byte, 0 or 1.
    u8,       ///< U8: unsigned, 8 bits.
    i8,       ///< I8: signed, 8 bits.
    f8_e5m2,  ///< F8_E5M2: floating point, 8 bits, 5 of them for the exponent.
    f8_e4m3,  ///< F8_E4M3: floating point, 8 bits, 4 of them for the exponent.
    i16,      ///< I16: signed, 16 bits.
    u16,      ///< U16: unsigned, 16 bits.
    f16,      ///< F16: IEEE 754 binary16.
    bf16,     ///< BF16: bfloat16, the upper half of a `float`.
    i32,      ///< I32: signed, 32 bits.
    u32,      ///< U32: unsigned, 32 bits.
    f32,      ///< F32: `float`.
    f64,      ///< F64: `double`.
    i64,      ///< I64: signed, 64 bits.
    u64,      ///< U64: unsigned, 64 bits.
    other     ///< A type that this library knows only by its name, because the format gets new types.
};

/// @cond internal
namespace storage {

struct DtypeRow {
    std::string_view name;
    std::uint8_t size;
};
inline constexpr std::array<DtypeRow, 15> dtypes{{{"BOOL", 1},
                                                  {"U8", 1},
                                                  {"I8", 1},
                                                  {"F8_E5M2", 1},
                                                  {"F8_E4M3", 1},
                                                  {"I16", 2},
                                                  {"U16", 2},
                                                  {"F16", 2},
                                                  {"BF16", 2},
                                                  {"I32", 4},
                                                  {"U32", 4},
                                                  {"F32", 4},
                                                  {"F64", 8},
                                                  {"I64", 8},
                                                  {"U64", 8}}};

template <class T>
constexpr std::optional<Dtype> dtype_for() {
    if constexpr (std::is_same_v<T, bool>) return Dtype::boolean;
    if constexpr (std::is_same_v<T, float>) return Dtype::f32;
    if constexpr (std::is_same_v<T, double>) return Dtype::f64;
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, char>) {
        constexpr bool negative = std::is_signed_v<T>;
        if constexpr (sizeof(T) == 1) return negative ? Dtype::i8 : Dtype::u8;
        if constexpr (sizeof(T) == 2) return negative ? Dtype::i16 : Dtype::u16;
        if constexpr (sizeof(T) == 4) return negative ? Dtype::i32 : Dtype::u32;
        if constexpr (sizeof(T) == 8) return negative ? Dtype::i64 : Dtype::u64;
    }
    return {};
}

}  // namespace storage
/// @endcond

namespace detail {

/// Returns the name of a type in a file, such as "F32".
constexpr std::string_view name_of(Dtype dtype) {
    return dtype == Dtype::other ? "another type" : storage::dtypes[static_cast<std::size_t>(dtype)].name;
}
/// Returns the size of an element in bytes; 0 for `other`.
constexpr std::size_t size_of(Dtype dtype) {
    return dtype == Dtype::other ? 0 : storage::dtypes[static_cast<std::size_t>(dtype)].size;
}

/// Returns the type of that name, or nothing for an unknown name.
constexpr std::optional<Dtype> dtype_named(std::string_view name) {
    for (std::size_t i = 0; i < storage::dtypes.size(); ++i)
        if (storage::dtypes[i].name == name) return static_cast<Dtype>(i);
    return {};
}

}  // namespace detail

/// The requirements on a C++ type that can be stored without conversion: bool, float, double, and integers of 8 to 64
/// bits except `char`.
///
/// @see SafetensorsFile::read, SafetensorsWriter::add
template <class T>
concept StoredElement = storage::dtype_for<T>().has_value();

namespace detail {

template <StoredElement T>
inline constexpr Dtype dtype_of = *storage::dtype_for<T>();

}  // namespace detail

}  // namespace sigma

/// @cond internal
namespace sigma::storage {

/// Converts IEEE 754 binary16 to float, exactly. NaN keeps its bits.
constexpr float from_f16(std::uint16_t half) {
    const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000) << 16;
    const std::uint32_t exponent = half >> 10 & 31u, fraction = half & 0x3FFu;
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000u | fraction << 13);
    if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
    const float little = static_cast<float>(fraction) * 0x1p-24f;  // subnormal or zero
    return sign != 0 ? -little : little;
}

/// Converts bfloat16, the upper half of a float, to float.
constexpr float from_bf16(std::uint16_t half) { return std::bit_cast<float>(static_cast<std::uint32_t>(half) << 16); }

/// Rounds a float to bfloat16: to nearest, halves to even. Values that are too large become infinite; NaN stays NaN.
constexpr std::uint16_t to_bf16(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    if (x != x) return static_cast<std::uint16_t>(bits >> 16 | 0x40u);
    return static_cast<std::uint16_t>((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);
}
/// Rounds a float to IEEE 754 binary16: to nearest, halves to even. Values that are too large become infinite; NaN
/// stays NaN.
constexpr std::uint16_t to_f16(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7FFFFFFFu;
    if (magnitude > 0x7F800000u) return static_cast<std::uint16_t>(sign | 0x7E00u | (magnitude >> 13 & 0x3FFu));
    if (magnitude >= 0x477FF000u) return static_cast<std::uint16_t>(sign | 0x7C00u);  // 65520, halfway to 65536
    if (magnitude < 0x38800000u) {  // below 2^-14: the sum's last bits are steps of 2^-24
        const auto steps = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f);
        return static_cast<std::uint16_t>(sign | (steps - 0x3F000000u));
    }
    return static_cast<std::uint16_t>(sign | ((magnitude - 0x38000000u + 0xFFFu + (magnitude >> 13 & 1u)) >> 13));
}

}  // namespace sigma::storage
/// @endcond
