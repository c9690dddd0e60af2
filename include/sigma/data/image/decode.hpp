// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/image/jpeg.hpp>
#include <sigma/data/image/png.hpp>
#include <sigma/data/image/pnm.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace sigma::data {

namespace detail {

/// Calls visit(decoder) with the decoder that the first bytes ask for, whatever the file is called.
template <class Visit>
auto with_decoder(std::string_view bytes, const std::string& name, Visit&& visit) {
    if (bytes.starts_with(JpegDecoder::signature)) return visit(JpegDecoder(bytes, name));
    if (bytes.size() > 1 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '7') return visit(PnmDecoder(bytes, name));
    if (bytes.starts_with(PngDecoder::signature.substr(0, 4))) return visit(PngDecoder(bytes, name));
    throw DataError(name, "byte 0", "an image in PNG, JPEG, PGM or PPM",
                    bytes.empty() ? std::string("an empty file") : storage::quotation(bytes.substr(0, 16)));
}
inline std::string_view as_text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace detail

/// Extents and channels of an image, from its first bytes; decodes nothing. Throws DataError; `name` is what it calls them.
inline ImageInfo image_info(std::span<const std::byte> bytes, const std::string& name = "image") {
    return detail::with_decoder(detail::as_text(bytes), name, [](auto decoder) -> ImageInfo { return decoder.info(); });
}

/// An image in PNG, JPEG, PGM or PPM, whichever it is. Throws DataError, ArgumentError for channels other than 0, 1 and 3.
inline Image decode_image(std::span<const std::byte> bytes, const DecodeOptions& options = {}, const std::string& name = "image") {
    detail::check_channels(options.channels);
    return detail::with_decoder(detail::as_text(bytes), name, [&](auto decoder) {
        const std::size_t channels = options.channels == 0 ? decoder.info().channels : options.channels;
        if constexpr (std::is_same_v<decltype(decoder), JpegDecoder>) return decoder.decode(options, channels);
        else return detail::with_channels(decoder.decode(options), channels);
    });
}

}  // namespace sigma::data
