// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/image/image.hpp>
#include <sigma/storage/utf8.hpp>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <png.h>
#include <zlib.h>

namespace sigma::data {

namespace detail {

/// What rows come to before they are compressed, each behind the byte of its filter, in one pass or in seven.
struct PngRows {
    std::size_t count = 0, bytes = 0;

    PngRows(std::size_t width, std::size_t height, std::size_t bits, bool interlaced) {
        for (unsigned pass = 0; pass < (interlaced ? 7u : 1u); ++pass) {
            const std::size_t across = interlaced ? PNG_PASS_COLS(width, pass) : width;
            const std::size_t down = across == 0 ? 0 : interlaced ? PNG_PASS_ROWS(height, pass) : height;
            count += down;
            bytes += down * (1 + (across * bits + 7) / 8);
        }
    }
    /// What they may come to compressed: even if nothing was gained, each row was a block of its own, or two.
    std::size_t most_compressed() const { return 2 * bytes + 16 * count + spare; }

    static constexpr std::size_t spare = 256;  ///< for what is before and behind the blocks
};

/// A reading of libpng's, which tells of errors by longjmp: in begin() and rows() nothing has a destructor. Compressed
/// texts and profiles are not unpacked, nor is image data behind the last row, of which a small file can hold much.
class PngReading {
public:
    std::array<char, 128> message{};

    PngReading(std::string_view bytes, std::size_t rows) : bytes_(bytes), rows_left_(rows) {
        const auto failed = [](::png_struct* png, const char* text) {
            auto& self = *static_cast<PngReading*>(::png_get_error_ptr(png));
            std::snprintf(self.message.data(), self.message.size(), "%s", text);
            ::png_longjmp(png, 1);
        };
        png_ = ::png_create_read_struct(PNG_LIBPNG_VER_STRING, this, failed, [](::png_struct*, const char*) {});
        if (png_ != nullptr) info_ = ::png_create_info_struct(png_);
    }
    PngReading(const PngReading&) = delete;
    PngReading& operator=(const PngReading&) = delete;
    ~PngReading() { ::png_destroy_read_struct(&png_, &info_, nullptr); }

    /// Up to the first row. Palettes become colours, fewer than 8 bits become 8, a transparent colour becomes opacity.
    bool begin() {
        if (info_ == nullptr || setjmp(png_jmpbuf(png_)) != 0) return false;
        ::png_set_read_fn(png_, this, [](::png_struct* png, ::png_byte* to, std::size_t size) {
            auto& self = *static_cast<PngReading*>(::png_get_io_ptr(png));
            if (size > self.bytes_.size()) ::png_error(png, "the end");
            if (self.rows_left_ == 0 && self.in_rows_) {
                if (size > self.behind_) ::png_error(png, "more image data than rows");
                self.behind_ -= size;
            }
            std::memcpy(to, self.bytes_.data(), size);
            self.bytes_.remove_prefix(size);
        });
        ::png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);  // all that no pixel needs
        ::png_set_compression_buffer_size(png_, 1024);  // the most that is unpacked behind the last row
        ::png_read_info(png_, info_);
        // libpng unpacks what follows the last row before it gives the row back: here it is known before that.
        ::png_set_read_user_transform_fn(png_, [](::png_struct* png, ::png_row_info*, ::png_byte*) {
            auto& self = *static_cast<PngReading*>(::png_get_io_ptr(png));
            if (self.rows_left_ > 0) --self.rows_left_;
        });
        ::png_set_expand(png_);
        passes_ = ::png_set_interlace_handling(png_);
        ::png_read_update_info(png_, info_);
        return true;
    }
    std::size_t stride() const { return ::png_get_rowbytes(png_, info_); }
    std::size_t numbers() const { return ::png_get_channels(png_, info_); }
    bool wide() const { return ::png_get_bit_depth(png_, info_) == 16; }

    /// All rows, to memory that holds zeros.
    bool rows(::png_byte* to, std::size_t count) {
        if (setjmp(png_jmpbuf(png_)) != 0) return false;
        const std::size_t apart = stride();
        in_rows_ = true;
        for (int pass = 0; pass < passes_; ++pass)
            for (std::size_t y = 0; y < count; ++y) ::png_read_row(png_, to + y * apart, nullptr);
        in_rows_ = false;
        ::png_read_end(png_, nullptr);
        return true;
    }

private:
    std::string_view bytes_;
    std::size_t rows_left_, behind_ = PngRows::spare;
    bool in_rows_ = false;
    ::png_struct* png_ = nullptr;
    ::png_info* info_ = nullptr;
    int passes_ = 1;
};

}  // namespace detail

/// PNG (ISO/IEC 15948) through libpng. Before that every chunk is checked: its length, its CRC, and that IHDR is the
/// first and IEND there; what follows IEND is passed over. So is what is not about pixels, and image data is refused
/// that is more than the extents need: the time is that of so many pixels and so many bytes. Numbers are those of the
/// file, whatever it says of gamma, scaled from their bit depth to 0 … 255; palettes become colours, opacity puts them
/// in front of a background. Throws DataError.
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
        const std::size_t compressed = check_chunks();
        // zlib's best is 1032 to 1 (https://zlib.net/zlib_tech.html).
        detail::check_pixels(info(), options, 1032 * 8 * bytes_.size() / bits_, name_);
        const detail::PngRows needed(width_, height_, bits_, byte(28) != 0);
        if (compressed > needed.most_compressed())
            throw DataError(
                name_, "",
                sentence("at most ", needed.most_compressed(), " bytes of IDAT for ", height_, " rows of ", width_),
                sentence(compressed));
        detail::PngReading reading(bytes_, needed.count);
        if (!reading.begin()) fail(reading);
        std::vector<std::uint8_t> rows(reading.stride() * height_);
        if (!reading.rows(rows.data(), height_)) fail(reading);
        return image_of(rows, reading.numbers(), reading.wide(), options.background);
    }

private:
    [[noreturn]] void refuse(std::size_t at, std::string expected, std::string found) const {
        throw DataError(name_, sentence("byte ", at), std::move(expected), std::move(found));
    }
    [[noreturn]] void fail(const detail::PngReading& reading) const {
        throw DataError(name_, "", "a PNG that libpng reads", storage::quotation(reading.message.data()));
    }
    Image image_of(const std::vector<std::uint8_t>& rows, std::size_t numbers, bool wide, std::uint8_t background) const {
        Image image{height_, width_, channels_, std::vector<std::uint8_t>(height_ * width_ * channels_)};
        const auto at = [&](std::size_t i) -> std::uint32_t {
            return wide ? (static_cast<std::uint32_t>(rows[2 * i] << 8 | rows[2 * i + 1]) * 255 + 32767) / 65535 : rows[i];
        };
        for (std::size_t pixel = 0; pixel < height_ * width_; ++pixel) {
            const std::uint32_t opacity = numbers > channels_ ? at(pixel * numbers + channels_) : 255;
            for (std::size_t c = 0; c < channels_; ++c)
                image.values[pixel * channels_ + c] = static_cast<std::uint8_t>(
                    (at(pixel * numbers + c) * opacity + background * (255 - opacity) + 127) / 255);
        }
        return image;
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
        if (word(at) > left - 8)
            refuse(at, sentence(word(at), " bytes of ", quoted(at)), sentence("the end of the file after ", left - 8));
        if (word(at) > left - 12) refuse(at, sentence("a CRC of the chunk ", quoted(at)), "the end of the file");
        return bytes_.substr(at + 4, 4);
    }
    /// How many bytes of image data there are.
    std::size_t check_chunks() const {
        std::size_t data = 0;
        for (std::size_t at = signature.size();;) {
            const std::string_view kind = chunk(at);
            const std::size_t length = word(at);
            const auto found = ::crc32_z(0, reinterpret_cast<const ::Bytef*>(bytes_.data() + at + 4), length + 4);
            if (found != word(at + 8 + length))
                refuse(at + 8 + length, sentence("a right CRC of the chunk ", quoted(at)), "another one");
            if (kind == "IEND") return data;
            if (kind == "IDAT") data += length;
            at += length + 12;
        }
    }

    std::string_view bytes_;
    std::string name_;
    std::size_t width_ = 0, height_ = 0, bits_ = 0, channels_ = 0;
};

}  // namespace sigma::data
