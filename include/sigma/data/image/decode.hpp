// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/image/jpeg.hpp>
#include <sigma/data/image/png.hpp>
#include <sigma/data/image/pnm.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace sigma::data {

namespace detail {

/// Calls visit(decoder) with the decoder that the first bytes ask for, whatever the file is called.
template <class Visit>
auto with_decoder(std::string_view bytes, const std::string& name, Visit&& visit) {
    if (bytes.starts_with(JpegDecoder::signature)) return visit(JpegDecoder(bytes, name));
    if (bytes.size() > 1 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '7')
        return visit(PnmDecoder(bytes, name));
    if (bytes.starts_with(PngDecoder::signature.substr(0, 4))) return visit(PngDecoder(bytes, name));
    throw DataError(name, "byte 0", "an image in PNG, JPEG, PGM or PPM",
                    bytes.empty() ? std::string("an empty file") : storage::quotation(bytes.substr(0, 16)));
}
std::string_view as_text(std::span<const std::byte> bytes);

}  // namespace detail

/// Extents and channels of an image, from its first bytes; decodes nothing. Throws DataError; `name` is what it calls
/// them.
ImageInfo image_info(std::span<const std::byte> bytes, const std::string& name = "image");

/// An image in PNG, JPEG, PGM or PPM, whichever it is. Throws DataError, ArgumentError for channels other than 0, 1
/// and 3.
Image decode_image(std::span<const std::byte> bytes, const DecodeOptions& options = {},
                   const std::string& name = "image");

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/image/impl/decode.ipp>
#endif
