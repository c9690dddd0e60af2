// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/image/decode.hpp>

#include <type_traits>

namespace sigma::data::detail {

SIGMA_IMPL std::string_view as_text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL ImageInfo image_info(std::span<const std::byte> bytes, const std::string& name) {
    return detail::with_decoder(detail::as_text(bytes), name, [](auto decoder) -> ImageInfo { return decoder.info(); });
}

SIGMA_IMPL Image decode_image(std::span<const std::byte> bytes, const DecodeOptions& options, const std::string& name) {
    detail::check_channels(options.channels);
    return detail::with_decoder(detail::as_text(bytes), name, [&](auto decoder) {
        const std::size_t channels = options.channels == 0 ? decoder.info().channels : options.channels;
        if constexpr (std::is_same_v<decltype(decoder), JpegDecoder>) return decoder.decode(options, channels);
        else return detail::with_channels(decoder.decode(options), channels);
    });
}

}  // namespace sigma::data
