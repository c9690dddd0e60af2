// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Decoding and resizing of images. Included by `<sigma/data/reader/image.hpp>`.

#include <sigma/core/error.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sigma::data {

/// A decoded image: numbers from 0 to 255, row-major. One channel is grey, three are red, green and blue.
///
/// @see decode_image
struct Image {
    std::size_t height = 0;             ///< Rows.
    std::size_t width = 0;              ///< Columns.
    std::size_t channels = 0;           ///< 1 or 3.
    std::vector<std::uint8_t> values;   ///< (height, width, channels) numbers from 0 to 255.
    std::vector<std::uint16_t> fine{};  ///< Numbers from 0 to 65535, if the file has more than 8 bits; else empty.
};

/// The extents of an image, from the beginning of its file.
///
/// @see image_info
struct ImageInfo {
    std::size_t height = 0;    ///< Rows.
    std::size_t width = 0;     ///< Columns.
    std::size_t channels = 0;  ///< 1 (grey) or 3 (red, green, blue), without a channel of opacity.

    /// Compares all members.
    friend bool operator==(const ImageInfo&, const ImageInfo&) = default;
};

/// Options of `decode_image`.
///
/// @see decode_image
struct DecodeImageOptions {
    std::size_t channels = 0;  ///< 1 (grey) or 3 (red, green, blue); 0: those of the file.
    /// Largest height · width, checked before memory is allocated.
    std::size_t max_pixels = std::size_t{1} << 26;
    std::uint8_t background = 0;  ///< Grey behind transparent pixels, from 0 (black) to 255.
};

namespace detail {

inline constexpr std::string_view png_signature{"\x89PNG\r\n\x1a\n"};

/// Throws DataError for an image of too many pixels. `most` bounds the pixels that the bytes of the file can hold;
/// `whole` describes a file with that many.
void check_pixels(const ImageInfo& info, const DecodeImageOptions& options, std::size_t most, const std::string& name);

/// Returns the luma of ITU-R BT.601, which JPEG stores, in 16-bit fixed point.
constexpr std::uint32_t grey_of(std::uint32_t red, std::uint32_t green, std::uint32_t blue) {
    return (19595 * red + 38470 * green + 7471 * blue + 0x8000) >> 16;
}
/// Rounds 16 bits to the nearest number of 8 bits.
constexpr std::uint8_t coarse(std::uint32_t fine) { return static_cast<std::uint8_t>((fine * 255 + 32767) / 65535); }

/// Converts an image to 1 or 3 channels.
Image with_channels(Image image, std::size_t channels);

void check_channels(std::size_t channels);

}  // namespace detail

/// Returns the extents of an image, from its first bytes. Decodes nothing.
///
/// @param bytes  the bytes of the file
/// @param name   name in errors, default "image"
/// @return height, width and channels
/// @throws DataError  if the bytes are no PNG, JPEG, PGM or PPM image
///
/// @see decode_image
ImageInfo image_info(std::span<const std::byte> bytes, const std::string& name = "image");

/// Decodes an image in PNG, JPEG, PGM or PPM format.
///
/// @param bytes    the bytes of the file
/// @param options  channels, largest number of pixels, background
/// @param name     name in errors, default "image"
/// @return the image
/// @throws DataError      if the bytes are no valid image or have too many pixels
/// @throws ArgumentError  if `options.channels` is not 0, 1 or 3
///
/// @par Example
/// @code
/// const data::Image photo = data::decode_image(data::read_all(data::file("photo.jpg")), {.channels = 3});
/// @endcode
///
/// @see images, resize_image, docs/images.md
Image decode_image(std::span<const std::byte> bytes, const DecodeImageOptions& options = {},
                   const std::string& name = "image");

/// Resizes an image. An axis that shrinks is averaged over areas, an axis that grows is interpolated linearly.
///
/// @param image   the image
/// @param height  rows of the result
/// @param width   columns of the result
/// @param to      receives (height, width, channels) numbers from 0 to 255, row-major
/// @throws ShapeError  if the image or the result is empty, or if the sizes of the numbers do not match
///
/// @par Example
/// @code
/// const data::Image photo = data::decode_image(data::read_all(data::file("photo.jpg")), {.channels = 3});
/// std::vector<float> small(64 * 64 * 3);
/// data::resize_image(photo, 64, 64, small);
/// @endcode
///
/// @see decode_image
void resize_image(const Image& image, std::size_t height, std::size_t width, std::span<float> to);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/image/impl/image.ipp>
#endif
