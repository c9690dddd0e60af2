// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/image/image.hpp>
#include <sigma/storage/utf8.hpp>

#include <array>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <png.h>
#include <zlib.h>

namespace sigma::data {

namespace detail {

/// What rows come to before they are compressed, each behind the byte of its filter, in one pass or in seven.
struct PngRows {
    std::size_t count = 0, bytes = 0;

    PngRows(std::size_t width, std::size_t height, std::size_t bits, bool interlaced);
    /// What they may come to compressed: even if nothing was gained, each row was a block of its own, or two.
    std::size_t most_compressed() const { return 2 * bytes + 16 * count + spare; }

    static constexpr std::size_t spare = 256;  ///< for what is before and behind the blocks
};

/// A reading of libpng's, which tells of errors by longjmp: in begin() and rows() nothing has a destructor. Compressed
/// texts and profiles are not unpacked, nor is image data behind the last row, of which a small file can hold much.
class PngReading {
public:
    std::array<char, 128> message{};

    PngReading(std::string_view bytes, std::size_t rows);
    PngReading(const PngReading&) = delete;
    PngReading& operator=(const PngReading&) = delete;
    ~PngReading() { ::png_destroy_read_struct(&png_, &info_, nullptr); }

    /// Up to the first row. Palettes become colours, fewer than 8 bits become 8, a transparent colour becomes opacity.
    bool begin();
    std::size_t stride() const { return ::png_get_rowbytes(png_, info_); }
    std::size_t numbers() const { return ::png_get_channels(png_, info_); }
    bool wide() const { return ::png_get_bit_depth(png_, info_) == 16; }

    /// All rows, to memory that holds zeros.
    bool rows(::png_byte* to, std::size_t count);

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

    PngDecoder(std::string_view bytes, std::string name);
    ImageInfo info() const { return {height_, width_, channels_}; }

    Image decode(const DecodeOptions& options);

private:
    [[noreturn]] void refuse(std::size_t at, std::string expected, std::string found) const;
    [[noreturn]] void fail(const detail::PngReading& reading) const;
    Image image_of(const std::vector<std::uint8_t>& rows, std::size_t numbers, bool wide,
                   std::uint8_t background) const;
    std::size_t byte(std::size_t at) const { return static_cast<unsigned char>(bytes_[at]); }
    std::size_t word(std::size_t at) const;
    std::string quoted(std::size_t at) const { return storage::quotation(bytes_.substr(at + 4, 4)); }

    /// The name of the chunk that begins at `at`, which is there as a whole.
    std::string_view chunk(std::size_t at) const;
    /// How many bytes of image data there are.
    std::size_t check_chunks() const;

    std::string_view bytes_;
    std::string name_;
    std::size_t width_ = 0, height_ = 0, bits_ = 0, channels_ = 0;
};

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/image/impl/png.ipp>
#endif
