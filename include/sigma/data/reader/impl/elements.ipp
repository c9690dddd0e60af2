// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/reader/elements.hpp>

#include <cstdint>

namespace sigma::data::detail {

SIGMA_IMPL void decode(Dtype type, std::endian order, const std::byte* from, std::span<float> to) {
    switch (type) {
        case Dtype::u8: return decode_as<std::uint8_t, std::uint8_t, false>(from, to);
        case Dtype::i8: return decode_as<std::int8_t, std::uint8_t, false>(from, to);
        case Dtype::u16: return decode_ordered<std::uint16_t, std::uint16_t>(from, order, to);
        case Dtype::i16: return decode_ordered<std::int16_t, std::uint16_t>(from, order, to);
        case Dtype::u32: return decode_ordered<std::uint32_t, std::uint32_t>(from, order, to);
        case Dtype::i32: return decode_ordered<std::int32_t, std::uint32_t>(from, order, to);
        case Dtype::u64: return decode_ordered<std::uint64_t, std::uint64_t>(from, order, to);
        case Dtype::i64: return decode_ordered<std::int64_t, std::uint64_t>(from, order, to);
        case Dtype::f32: return decode_ordered<float, std::uint32_t>(from, order, to);
        case Dtype::f64: return decode_ordered<double, std::uint64_t>(from, order, to);
        case Dtype::boolean:
            for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i] == std::byte{0} ? 0.0f : 1.0f;
            return;
        case Dtype::f16:
            for (std::size_t i = 0; i < to.size(); ++i) {
                std::uint16_t bits = 0;
                std::memcpy(&bits, from + 2 * i, 2);
                to[i] = storage::from_f16(order == std::endian::big ? swapped(bits) : bits);
            }
            return;
        default:
            throw ArgumentError("elements of a file", "integers, booleans, f16, f32 or f64",
                                sentence(sigma::detail::name_of(type)));
    }
}

SIGMA_IMPL void decode(Dtype type, std::endian order, const std::byte* from, std::span<double> to) {
    if (type != Dtype::f64)
        throw ArgumentError("elements of a file as doubles", "f64", sentence(sigma::detail::name_of(type)));
    decode_ordered<double, std::uint64_t>(from, order, to);
}

}  // namespace sigma::data::detail
