// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/image/image.hpp>
#include <sigma/storage/utf8.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <png.h>
#include <zlib.h>

namespace sigma::data {

/// PNG (ISO/IEC 15948) through libpng. Before that every chunk is checked: its length, its CRC, and that IHDR is the first
/// and IEND there; what follows IEND is passed over. Any bit depth becomes 8 bits of sRGB, palettes become colours, opacity
/// is put in front of a background. Throws DataError.
class PngDecoder {
public:
    static constexpr std::string_view signature = "\x89PNG\r\n\x1A\n";

    PngDecoder(std::string_view bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {
        if (!bytes_.starts_with(signature)) refuse(0, "the signature of PNG", storage::quotation(bytes_.substr(0, 8)));
        if (chunk(signature.size()) != "IHDR") refuse(12, "the chunk IHDR", sentence("the chunk ", quoted(signature.size())));
        if (word(8) != 13) refuse(8, "13 bytes of IHDR", sentence(word(8)));
        width_ = word(16), height_ = word(20);
        const std::size_t depth = byte(24), colour = byte(25);
        const std::size_t numbers = colour == 2 ? 3 : colour == 4 ? 2 : colour == 6 ? 4 : 1;
        bits_ = std::max(depth, std::size_t{1}) * numbers;
        channels_ = (colour & 2) != 0 ? 3 : 1;  // 3 is a palette: colours, too
    }
    ImageInfo info() const { return {height_, width_, channels_}; }

    Image decode(const DecodeOptions& options) {
        check_chunks();
        // zlib's best is 1032 to 1 (https://zlib.net/zlib_tech.html).
        detail::check_pixels(info(), options, 1032 * 8 * bytes_.size() / bits_, name_);
        ::png_image png{};
        png.version = PNG_IMAGE_VERSION;
        const struct Free {
            ::png_image* png;
            ~Free() { ::png_image_free(png); }
        } free{&png};
        if (::png_image_begin_read_from_memory(&png, bytes_.data(), bytes_.size()) == 0) fail(png);
        png.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;  // else 16 bits without a gamma would be read as linear light
        png.format = channels_ == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
        Image image{height_, width_, channels_, std::vector<std::uint8_t>(height_ * width_ * channels_)};
        const ::png_color background{options.background, options.background, options.background};
        const auto stride = static_cast<png_int_32>(width_ * channels_);
        if (::png_image_finish_read(&png, &background, image.values.data(), stride, nullptr) == 0) fail(png);
        return image;
    }

private:
    [[noreturn]] void refuse(std::size_t at, std::string expected, std::string found) const {
        throw DataError(name_, sentence("byte ", at), std::move(expected), std::move(found));
    }
    [[noreturn]] void fail(const ::png_image& png) const {
        throw DataError(name_, "", "a PNG that libpng reads", storage::quotation(png.message));
    }
    std::size_t byte(std::size_t at) const { return static_cast<unsigned char>(bytes_[at]); }
    std::size_t word(std::size_t at) const {
        return byte(at) << 24 | byte(at + 1) << 16 | byte(at + 2) << 8 | byte(at + 3);
    }
    std::string quoted(std::size_t at) const { return storage::quotation(bytes_.substr(at + 4, 4)); }

    /// The name of the chunk that begins at `at`, which is there as a whole.
    std::string_view chunk(std::size_t at) const {
        const std::size_t left = bytes_.size() - at;
        if (left < 12) refuse(at, "a chunk of at least 12 bytes", sentence(left, " bytes"));
        if (word(at) > left - 12)
            refuse(at, sentence("a chunk of at most ", left - 12, " bytes"), sentence(word(at), " in ", quoted(at)));
        return bytes_.substr(at + 4, 4);
    }
    void check_chunks() const {
        for (std::size_t at = signature.size();;) {
            const std::string_view kind = chunk(at);
            const std::size_t length = word(at);
            const auto found = ::crc32_z(0, reinterpret_cast<const ::Bytef*>(bytes_.data() + at + 4), length + 4);
            if (found != word(at + 8 + length))
                refuse(at + 8 + length, sentence("a right CRC of the chunk ", quoted(at)), "another one");
            if (kind == "IEND") return;
            at += length + 12;
        }
    }

    std::string_view bytes_;
    std::string name_;
    std::size_t width_ = 0, height_ = 0, bits_ = 0, channels_ = 0;
};

}  // namespace sigma::data
