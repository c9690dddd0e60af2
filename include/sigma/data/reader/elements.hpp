// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/storage/dtype.hpp>
#include <sigma/storage/half.hpp>

#include <bit>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>

namespace sigma::data::detail {

template <class Bits>
constexpr Bits swapped(Bits bits) {
    if constexpr (sizeof(Bits) == 1) return bits;
    if constexpr (sizeof(Bits) == 2) return __builtin_bswap16(bits);
    if constexpr (sizeof(Bits) == 4) return __builtin_bswap32(bits);
    if constexpr (sizeof(Bits) == 8) return __builtin_bswap64(bits);
}

template <class T, class Bits, bool swap, class To>
To decode_one(const std::byte* from) {
    Bits bits;
    std::memcpy(&bits, from, sizeof(Bits));
    if constexpr (swap) bits = swapped(bits);
    return static_cast<To>(std::bit_cast<T>(bits));
}
/// A plain loop for each type and order, of which compilers make vectors (g++ 12 with -O3).
template <class T, class Bits, bool swap, class To>
void decode_as(const std::byte* from, std::span<To> to) {
    To* const numbers = to.data();
    const std::size_t count = to.size();
    for (std::size_t i = 0; i < count; ++i) numbers[i] = decode_one<T, Bits, swap, To>(from + i * sizeof(Bits));
}
template <class T, class Bits, class To>
void decode_ordered(const std::byte* from, std::endian order, std::span<To> to) {
    order == std::endian::big ? decode_as<T, Bits, true>(from, to) : decode_as<T, Bits, false>(from, to);
}

/// to.size() elements of a file as floats, as near as floats are. Booleans are 0 or 1.
void decode(Dtype type, std::endian order, const std::byte* from, std::span<float> to);
/// Doubles as doubles: `type` must be f64.
void decode(Dtype type, std::endian order, const std::byte* from, std::span<double> to);

/// a · b; none where it is more than any file could hold.
constexpr std::optional<std::size_t> product(std::size_t a, std::size_t b) {
    constexpr std::size_t most = std::size_t{1} << 62;
    if (a != 0 && b > most / a) return {};
    return a * b;
}

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/elements.ipp>
#endif
