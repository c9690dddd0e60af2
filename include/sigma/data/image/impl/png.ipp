// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/image/png.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace sigma::data::detail {

SIGMA_IMPL PngRows::PngRows(std::size_t width, std::size_t height, std::size_t bits, bool interlaced) {
    for (unsigned pass = 0; pass < (interlaced ? 7u : 1u); ++pass) {
        const std::size_t across = interlaced ? PNG_PASS_COLS(width, pass) : width;
        const std::size_t down = across == 0 ? 0 : interlaced ? PNG_PASS_ROWS(height, pass) : height;
        count += down;
        bytes += down * (1 + (across * bits + 7) / 8);
    }
}

SIGMA_IMPL PngReading::PngReading(std::string_view bytes, std::size_t rows) : bytes_(bytes), rows_left_(rows) {
    const auto failed = [](::png_struct* png, const char* text) {
        auto& self = *static_cast<PngReading*>(::png_get_error_ptr(png));
        std::string_view(text).copy(self.message.data(), self.message.size() - 1);
        ::png_longjmp(png, 1);
    };
    png_ = ::png_create_read_struct(PNG_LIBPNG_VER_STRING, this, failed, [](::png_struct*, const char*) {});
    if (png_ != nullptr) info_ = ::png_create_info_struct(png_);
}

SIGMA_IMPL bool PngReading::begin() {
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

SIGMA_IMPL bool PngReading::rows(::png_byte* to, std::size_t count) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    const std::size_t apart = stride();
    in_rows_ = true;
    for (int pass = 0; pass < passes_; ++pass)
        for (std::size_t y = 0; y < count; ++y) ::png_read_row(png_, to + y * apart, nullptr);
    in_rows_ = false;
    ::png_read_end(png_, nullptr);
    return true;
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL PngDecoder::PngDecoder(std::string_view bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {
    if (!bytes_.starts_with(signature)) refuse(0, "the signature of PNG", storage::quotation(bytes_.substr(0, 8)));
    if (chunk(signature.size()) != "IHDR")
        refuse(12, "the chunk IHDR", sentence("the chunk ", quoted(signature.size())));
    if (word(8) != 13) refuse(8, "13 bytes of IHDR", sentence(word(8)));
    width_ = word(16), height_ = word(20);
    const std::size_t depth = byte(24), colour = byte(25);
    const std::size_t numbers = colour == 2 ? 3 : colour == 4 ? 2 : colour == 6 ? 4 : 1;
    bits_ = std::max(depth, std::size_t{1}) * numbers;
    channels_ = (colour & 2) != 0 ? 3 : 1;  // 3 is a palette: colours, too
}

SIGMA_IMPL Image PngDecoder::decode(const DecodeOptions& options) {
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

SIGMA_IMPL void PngDecoder::refuse(std::size_t at, std::string expected, std::string found) const {
    throw DataError(name_, sentence("byte ", at), std::move(expected), std::move(found));
}

SIGMA_IMPL void PngDecoder::fail(const detail::PngReading& reading) const {
    throw DataError(name_, "", "a PNG that libpng reads", storage::quotation(reading.message.data()));
}

SIGMA_IMPL Image PngDecoder::image_of(const std::vector<std::uint8_t>& rows, std::size_t numbers, bool wide,
                                      std::uint8_t background) const {
    Image image{height_, width_, channels_, std::vector<std::uint8_t>(height_ * width_ * channels_), {}};
    if (wide) image.fine.resize(image.values.size());
    const std::uint64_t most = wide ? 65535 : 255, behind = wide ? 257 * background : background;
    const auto at = [&](std::size_t i) -> std::uint64_t {
        return wide ? static_cast<std::uint64_t>(rows[2 * i] << 8 | rows[2 * i + 1]) : rows[i];
    };
    for (std::size_t pixel = 0; pixel < height_ * width_; ++pixel) {
        const std::uint64_t opacity = numbers > channels_ ? at(pixel * numbers + channels_) : most;
        for (std::size_t c = 0; c < channels_; ++c) {
            const std::uint64_t number =
                (at(pixel * numbers + c) * opacity + behind * (most - opacity) + most / 2) / most;
            const std::size_t to = pixel * channels_ + c;
            if (wide) image.fine[to] = static_cast<std::uint16_t>(number);
            image.values[to] = wide ? detail::coarse(image.fine[to]) : static_cast<std::uint8_t>(number);
        }
    }
    return image;
}

SIGMA_IMPL std::size_t PngDecoder::word(std::size_t at) const {
    return byte(at) << 24 | byte(at + 1) << 16 | byte(at + 2) << 8 | byte(at + 3);
}

SIGMA_IMPL std::string_view PngDecoder::chunk(std::size_t at) const {
    const std::size_t left = bytes_.size() - at;
    if (left < 12) refuse(at, "a chunk of at least 12 bytes", sentence(left, " bytes"));
    if (word(at) > left - 8)
        refuse(at, sentence(word(at), " bytes of ", quoted(at)), sentence("the end of the file after ", left - 8));
    if (word(at) > left - 12) refuse(at, sentence("a CRC of the chunk ", quoted(at)), "the end of the file");
    return bytes_.substr(at + 4, 4);
}

SIGMA_IMPL std::size_t PngDecoder::check_chunks() const {
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

}  // namespace sigma::data
