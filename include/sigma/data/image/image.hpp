// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sigma::data {

/// A decoded image, (height, width, channels), row-major, each number 0 … 255; 1 channel is grey, 3 are red, green and
/// blue.
struct Image {
    std::size_t height = 0, width = 0, channels = 0;
    std::vector<std::uint8_t> values;
    /// Where the file has more than 8 bits a number, all of them, 0 … 65535; else none.
    std::vector<std::uint16_t> fine{};
};

/// What the beginning of a file says of its image.
struct ImageInfo {
    std::size_t height = 0, width = 0;
    std::size_t channels = 0;  ///< 1 or 3, without a channel of opacity

    friend bool operator==(const ImageInfo&, const ImageInfo&) = default;
};

struct DecodeImageOptions {
    /// 1 or 3; 0 stands for those of the file.
    std::size_t channels = 0;
    /// A file that claims more is refused before anything is allocated for it.
    std::size_t max_pixels = std::size_t{1} << 26;
    /// The grey in front of which transparent pixels are put.
    std::uint8_t background = 0;
};

namespace detail {

inline constexpr std::string_view png_signature{"\x89PNG\r\n\x1a\n"};

/// `most` bounds what the bytes of the file can hold, `whole` is what holds that many.
void check_pixels(const ImageInfo& info, const DecodeImageOptions& options, std::size_t most, const std::string& name);

/// Luma of ITU-R BT.601, which JPEG stores, in 16-bit fixed point.
constexpr std::uint32_t grey_of(std::uint32_t red, std::uint32_t green, std::uint32_t blue) {
    return (19595 * red + 38470 * green + 7471 * blue + 0x8000) >> 16;
}
/// The nearest number of 8 bits.
constexpr std::uint8_t coarse(std::uint32_t fine) { return static_cast<std::uint8_t>((fine * 255 + 32767) / 65535); }

/// The image with 1 or 3 channels.
Image with_channels(Image image, std::size_t channels);

void check_channels(std::size_t channels);

}  // namespace detail

/// Extents and channels of an image, from its first bytes; decodes nothing. Throws DataError; `name` is what it calls
/// them.
ImageInfo image_info(std::span<const std::byte> bytes, const std::string& name = "image");

/// An image in PNG, JPEG, PGM or PPM, whichever it is. Throws DataError, ArgumentError for channels other than 0, 1
/// and 3.
Image decode_image(std::span<const std::byte> bytes, const DecodeImageOptions& options = {},
                   const std::string& name = "image");

/// The image with other extents, written to `to`, (height, width, channels) in row-major order, numbers 0 … 255. An
/// axis that shrinks is averaged over areas, one that grows is linear; the same extents copy.
void resize_image(const Image& image, std::size_t height, std::size_t width, std::span<float> to);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/image/impl/image.ipp>
#endif
