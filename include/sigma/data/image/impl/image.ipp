// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/array_count.hpp>
#include <sigma/core/config.hpp>
#include <sigma/data/image/image.hpp>
#include <sigma/storage/utf8.hpp>

#include <png.h>
#include <turbojpeg.h>
#include <zlib.h>
#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

namespace sigma::data {

/// JPEG through libjpeg-turbo, with its accurate transform. Treats its warnings, an early end above all, as errors.
/// Takes grey from the luma as it is stored. Rejects colors other than grey, YCbCr and RGB. Throws DataError.
class JpegDecoder {
public:
    static constexpr std::string_view signature = "\xFF\xD8\xFF";

    JpegDecoder(std::string_view bytes, std::string name)
        : bytes_(bytes), name_(std::move(name)), jpeg_(::tjInitDecompress(), &::tjDestroy) {
        if (!jpeg_) throw DataError(name_, "", "a decoder of libjpeg-turbo", "none");
        int width = 0, height = 0, sampling = 0, colours = 0;
        if (::tjDecompressHeader3(jpeg_.get(), data(), bytes_.size(), &width, &height, &sampling, &colours) != 0)
            fail();
        if (colours == TJCS_CMYK || colours == TJCS_YCCK)
            throw DataError(name_, "", "a JPEG of grey, YCbCr or RGB", "a JPEG of CMYK");
        info_ = {static_cast<std::size_t>(height), static_cast<std::size_t>(width),
                 colours == TJCS_GRAY ? std::size_t{1} : std::size_t{3}};
    }
    const ImageInfo& info() const { return info_; }

    /// Decodes to 1 or 3 channels.
    Image decode(const DecodeImageOptions& options, std::size_t channels) {
        // A block of 64 pixels takes at least one bit, and subsampling divides their number by at most 16.
        detail::check_pixels(info_, options, 64 * 8 * 16 * bytes_.size(), name_);
        Image image{info_.height, info_.width, channels,
                    std::vector<unsigned char>(info_.height * info_.width * channels)};
        const int flags = TJFLAG_ACCURATEDCT | TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS;
        if (::tjDecompress2(jpeg_.get(), data(), bytes_.size(), image.values.data(), static_cast<int>(info_.width), 0,
                            static_cast<int>(info_.height), channels == 1 ? TJPF_GRAY : TJPF_RGB, flags) != 0)
            fail();
        return image;
    }

private:
    const unsigned char* data() const { return reinterpret_cast<const unsigned char*>(bytes_.data()); }
    [[noreturn]] void fail() const {
        throw DataError(name_, "", "a valid JPEG", storage::quotation(::tjGetErrorStr2(jpeg_.get())));
    }

    std::string_view bytes_;
    std::string name_;
    std::unique_ptr<void, int (*)(::tjhandle)> jpeg_;
    ImageInfo info_;
};

namespace detail {

/// The uncompressed rows, each after the byte of its filter, in one pass or in seven.
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
    /// Returns an upper limit of their compressed size: without any gain, each row takes one or two blocks of its own.
    std::size_t most_compressed() const { return 2 * bytes + 16 * count + spare; }

    static constexpr std::size_t spare = 256;  ///< bytes before and after the blocks
};

/// A reading of libpng, which reports errors by longjmp: nothing in begin() and rows() has a destructor. Does not
/// unpack compressed texts and profiles, nor image data behind the last row, of which a small file can hold much.
class PngReading {
public:
    std::array<char, 128> message{};

    PngReading(std::string_view bytes, std::size_t rows) : bytes_(bytes), rows_left_(rows) {
        const auto failed = [](::png_struct* png, const char* text) {
            auto& self = *static_cast<PngReading*>(::png_get_error_ptr(png));
            std::string_view(text).copy(self.message.data(), self.message.size() - 1);
            ::png_longjmp(png, 1);
        };
        png_ = ::png_create_read_struct(PNG_LIBPNG_VER_STRING, this, failed, [](::png_struct*, const char*) {});
        if (png_ != nullptr) info_ = ::png_create_info_struct(png_);
    }
    PngReading(const PngReading&) = delete;
    PngReading& operator=(const PngReading&) = delete;
    ~PngReading() { ::png_destroy_read_struct(&png_, &info_, nullptr); }

    /// Reads up to the first row. Palettes become colors, fewer than 8 bits become 8, a transparent color becomes
    /// opacity.
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
        ::png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);  // chunks that no pixel needs
        ::png_set_compression_buffer_size(png_, 1024);  // limit of what is unpacked behind the last row
        ::png_read_info(png_, info_);
        // libpng unpacks the data behind the last row before it returns the row. This callback knows the row before
        // that.
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

    /// Reads all rows, to memory that holds zeros.
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

/// PNG (ISO/IEC 15948) through libpng.
///
/// First checks every chunk: length, CRC, IHDR as the first and IEND as the last one. Ignores bytes after IEND and
/// chunks that are not about pixels. Rejects more image data than the extents need, so the time depends on pixels and
/// bytes only. Ignores gamma. Scales numbers from their bit depth to 0 … 255. Palettes become colors, and opacity
/// blends them with the background. Throws DataError.
class PngDecoder {
public:
    static constexpr std::string_view signature = detail::png_signature;

    PngDecoder(std::string_view bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {
        if (!bytes_.starts_with(signature)) refuse(0, "the signature of PNG", storage::quotation(bytes_.substr(0, 8)));
        if (chunk(signature.size()) != "IHDR")
            refuse(12, "the chunk IHDR", sentence("the chunk ", quoted(signature.size())));
        if (word(8) != 13) refuse(8, "13 bytes of IHDR", sentence(word(8)));
        width_ = word(16), height_ = word(20);
        const std::size_t depth = byte(24), colour = byte(25);
        const std::size_t numbers = colour == 2 ? 3 : colour == 4 ? 2 : colour == 6 ? 4 : 1;
        bits_ = std::max(depth, std::size_t{1}) * numbers;
        channels_ = (colour & 2) != 0 ? 3 : 1;  // 3 is a palette, which has colors, too
    }
    ImageInfo info() const { return {height_, width_, channels_}; }

    Image decode(const DecodeImageOptions& options) {
        const std::size_t compressed = check_chunks();
        // zlib compresses by at most 1032 to 1 (https://zlib.net/zlib_tech.html).
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
        throw DataError(name_, "", "a valid PNG", storage::quotation(reading.message.data()));
    }
    Image image_of(const std::vector<std::uint8_t>& rows, std::size_t numbers, bool wide,
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
    std::size_t byte(std::size_t at) const { return static_cast<unsigned char>(bytes_[at]); }
    std::size_t word(std::size_t at) const {
        return byte(at) << 24 | byte(at + 1) << 16 | byte(at + 2) << 8 | byte(at + 3);
    }
    std::string quoted(std::size_t at) const { return storage::quotation(bytes_.substr(at + 4, 4)); }

    /// Returns the name of the chunk that begins at `at`, which is complete.
    std::string_view chunk(std::size_t at) const {
        const std::size_t left = bytes_.size() - at;
        if (left < 12) refuse(at, "a chunk of at least 12 bytes", sentence(left, " bytes"));
        if (word(at) > left - 8)
            refuse(at, sentence(word(at), " bytes of ", quoted(at)), sentence("the end of the file after ", left - 8));
        if (word(at) > left - 12) refuse(at, sentence("a CRC of the chunk ", quoted(at)), "the end of the file");
        return bytes_.substr(at + 4, 4);
    }
    /// Checks all chunks. Returns the number of bytes of image data.
    std::size_t check_chunks() const {
        std::size_t data = 0;
        for (std::size_t at = signature.size();;) {
            const std::string_view kind = chunk(at);
            const std::size_t length = word(at);
            const auto found = ::crc32_z(0, reinterpret_cast<const ::Bytef*>(bytes_.data() + at + 4), length + 4);
            if (found != word(at + 8 + length))
                refuse(at + 8 + length, sentence("the checksum ", found, " of chunk ", quoted(at)),
                       sentence(word(at + 8 + length)));
            if (kind == "IEND") return data;
            if (kind == "IDAT") data += length;
            at += length + 12;
        }
    }

    std::string_view bytes_;
    std::string name_;
    std::size_t width_ = 0, height_ = 0, bits_ = 0, channels_ = 0;
};

/// PGM and PPM, plain (P2, P3) and raw (P5, P6), by Netpbm's description
/// (https://netpbm.sourceforge.net/doc/pgm.html): one image, numbers up to 65535, two bytes each above 255. Rounds
/// numbers to 0 … 255. Only white space and comments may follow a plain image, and nothing a raw one. Throws DataError
/// with the byte.
class PnmDecoder {
public:
    PnmDecoder(std::string_view bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {
        const char kind = bytes_.size() > 1 ? bytes_[1] : '\0';
        if (bytes_.empty() || bytes_[0] != 'P' || (kind != '2' && kind != '3' && kind != '5' && kind != '6'))
            refuse(0, "P2, P3, P5 or P6", storage::quotation(bytes_.substr(0, 2)));
        at_ = 2;
        plain_ = kind < '4';
        info_.channels = kind == '3' || kind == '6' ? 3 : 1;
        info_.width = number("a width", std::numeric_limits<std::uint32_t>::max());
        info_.height = number("a height", std::numeric_limits<std::uint32_t>::max());
        largest_ = number("a largest number", 65535);
        if (largest_ == 0) refuse(at_ - 1, "a largest number from 1 to 65535", "0");
        if (!plain_) {
            if (at_ == bytes_.size() || !is_blank(bytes_[at_])) refuse(at_, "white space", rest());
            ++at_;
        }
    }
    const ImageInfo& info() const { return info_; }

    Image decode(const DecodeImageOptions& options) {
        const std::size_t wide = largest_ > 255 ? 2 : 1, left = bytes_.size() - at_;
        // A plain number takes a digit and white space, except that the last one needs no white space.
        const std::size_t most = (plain_ ? (left + 1) / 2 : left / wide) / info_.channels;
        detail::check_pixels(info_, options, most, name_);
        Image image{info_.height, info_.width, info_.channels, {}, {}};
        const std::size_t count = image.height * image.width * image.channels;
        image.values.reserve(count);
        if (wide == 2) image.fine.reserve(count);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t value = plain_ ? number("a number", largest_) : raw(wide);
            image.values.push_back(static_cast<std::uint8_t>(scaled(value, 255)));
            if (wide == 2) image.fine.push_back(static_cast<std::uint16_t>(scaled(value, 65535)));
        }
        if (plain_) skip_blanks();
        if (at_ != bytes_.size()) refuse(at_, "the end", sentence(bytes_.size() - at_, " bytes more"));
        return image;
    }

private:
    [[noreturn]] void refuse(std::size_t byte, std::string expected, std::string found) const {
        throw DataError(name_, sentence("byte ", byte), std::move(expected), std::move(found));
    }
    std::string rest() const { return at_ < bytes_.size() ? storage::quotation(bytes_.substr(at_, 8)) : "the end"; }
    static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

    void skip_blanks() {
        for (; at_ < bytes_.size(); ++at_) {
            if (bytes_[at_] == '#') at_ = std::min(bytes_.find_first_of("\r\n", at_), bytes_.size());
            if (at_ == bytes_.size() || !is_blank(bytes_[at_])) return;
        }
    }
    std::size_t number(const char* what, std::size_t most) {
        const std::size_t before = at_;
        skip_blanks();
        const std::size_t first = at_;
        std::size_t value = 0;
        for (; at_ < bytes_.size() && bytes_[at_] >= '0' && bytes_[at_] <= '9' && value <= most; ++at_)
            value = 10 * value + static_cast<std::size_t>(bytes_[at_] - '0');
        if (first == before || at_ == first) refuse(first, sentence("white space and ", what), rest());
        if (value > most) {
            at_ = first;
            refuse(first, sentence(what, " of at most ", most), rest());
        }
        return value;
    }
    std::size_t raw(std::size_t wide) {
        const auto byte = [this] { return static_cast<std::size_t>(static_cast<unsigned char>(bytes_[at_++])); };
        const std::size_t high = wide == 2 ? byte() : 0, value = high << 8 | byte();
        if (value > largest_) refuse(at_ - wide, sentence("a number of at most ", largest_), sentence(value));
        return value;
    }
    /// Scales a number to 0 … `to`.
    std::size_t scaled(std::size_t value, std::size_t to) const { return (value * to + largest_ / 2) / largest_; }

    std::string_view bytes_;
    std::string name_;
    std::size_t at_ = 0;
    bool plain_ = false;
    ImageInfo info_;
    std::size_t largest_ = 0;
};

}  // namespace sigma::data

namespace sigma::data::detail {

/// Calls visit(decoder) with the decoder for the first bytes, whatever the name of the file is.
template <class Visit>
auto with_decoder(std::string_view bytes, const std::string& name, Visit&& visit) {
    if (bytes.starts_with(JpegDecoder::signature)) return visit(JpegDecoder(bytes, name));
    if (bytes.size() > 1 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '7')
        return visit(PnmDecoder(bytes, name));
    if (bytes.starts_with(PngDecoder::signature.substr(0, 4))) return visit(PngDecoder(bytes, name));
    throw DataError(name, "byte 0", "an image in PNG, JPEG, PGM or PPM",
                    bytes.empty() ? std::string("an empty file") : storage::quotation(bytes.substr(0, 16)));
}

SIGMA_IMPL void check_pixels(const ImageInfo& info, const DecodeImageOptions& options, std::size_t most,
                             const std::string& name) {
    const std::string found = sentence(info.height, " rows of ", info.width);
    if (info.height == 0 || info.width == 0) throw DataError(name, "", "an image of at least one pixel", found);
    const std::size_t limit = options.max_pixels;
    if (info.height > limit / info.width) throw DataError(name, "", sentence("at most ", limit, " pixels"), found);
    if (info.height * info.width > most)
        throw DataError(name, "", sentence("at most ", most, " pixels for its number of bytes"), found);
}

SIGMA_IMPL Image with_channels(Image image, std::size_t channels) {
    if (channels == image.channels) return image;
    const auto changed = [&]<class T>(const std::vector<T>& from) {
        std::vector<T> to;
        to.reserve(from.size() / image.channels * channels);
        for (std::size_t i = 0; i < from.size(); i += image.channels) {
            if (channels == 1) to.push_back(static_cast<T>(grey_of(from[i], from[i + 1], from[i + 2])));
            else to.insert(to.end(), 3, from[i]);
        }
        return to;
    };
    return {image.height, image.width, channels, changed(image.values), changed(image.fine)};
}

SIGMA_IMPL void check_channels(std::size_t channels) {
    if (channels > 3 || channels == 2) throw ArgumentError("channels of an image", "0, 1 or 3", sentence(channels));
}

SIGMA_IMPL std::string_view as_text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The weights by which each number of a resized axis combines numbers of the old axis.
struct AxisWeights {
    struct Part {
        std::size_t first, begin, count;  // count weights from begin on, for numbers from first on
    };
    std::vector<Part> parts;
    std::vector<float> weights;

    /// A shrinking axis takes the mean over the area of a pixel. A growing axis is linear between the centers of
    /// pixels, and constant beyond the outermost ones.
    AxisWeights(std::size_t from, std::size_t to) {
        const double scale = static_cast<double>(from) / static_cast<double>(to);
        for (std::size_t i = 0; i < to; ++i) {
            const std::size_t begin = weights.size();
            std::size_t first = 0;
            if (to < from) {
                const double low = static_cast<double>(i) * scale,
                             high = std::min(low + scale, static_cast<double>(from));
                first = static_cast<std::size_t>(low);
                for (std::size_t k = first; k < from && static_cast<double>(k) < high; ++k) {
                    const double left = std::max(low, static_cast<double>(k));
                    const double right = std::min(high, static_cast<double>(k + 1));
                    weights.push_back(static_cast<float>((right - left) / scale));
                }
            } else {
                const double centre =
                    std::clamp((static_cast<double>(i) + 0.5) * scale - 0.5, 0.0, static_cast<double>(from - 1));
                first = std::min(static_cast<std::size_t>(centre), from - 1);
                const double fraction = centre - static_cast<double>(first);
                weights.push_back(static_cast<float>(1 - fraction));
                if (first + 1 < from) weights.push_back(static_cast<float>(fraction));
            }
            parts.push_back({first, begin, weights.size() - begin});
        }
    }
};

/// Resizes an image.
template <class T>
void resize(const Image& image, const std::vector<T>& values, std::size_t height, std::size_t width,
            std::span<float> to) {
    if (height == image.height && width == image.width) {
        std::ranges::transform(values, to.begin(), [](T v) { return static_cast<float>(v); });
        return;
    }
    const AxisWeights rows(image.height, height), columns(image.width, width);
    const std::size_t channels = image.channels, wide = image.width * channels;
    std::vector<float> row(wide);  // one row of the result before its columns are resized
    for (std::size_t y = 0; y < height; ++y) {
        const auto& part = rows.parts[y];
        std::ranges::fill(row, 0.0f);
        for (std::size_t k = 0; k < part.count; ++k) {
            const float weight = rows.weights[part.begin + k];
            const T* from = values.data() + (part.first + k) * wide;
            for (std::size_t x = 0; x < wide; ++x) row[x] += weight * static_cast<float>(from[x]);
        }
        float* out = to.data() + y * width * channels;
        for (std::size_t x = 0; x < width; ++x) {
            const auto& across = columns.parts[x];
            for (std::size_t c = 0; c < channels; ++c) {
                float sum = 0;
                for (std::size_t k = 0; k < across.count; ++k)
                    sum += columns.weights[across.begin + k] * row[(across.first + k) * channels + c];
                *out++ = sum;
            }
        }
    }
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL ImageInfo image_info(std::span<const std::byte> bytes, const std::string& name) {
    return detail::with_decoder(detail::as_text(bytes), name, [](auto decoder) -> ImageInfo { return decoder.info(); });
}

SIGMA_IMPL Image decode_image(std::span<const std::byte> bytes, const DecodeImageOptions& options,
                              const std::string& name) {
    detail::check_channels(options.channels);
    return detail::with_decoder(detail::as_text(bytes), name, [&](auto decoder) {
        const std::size_t channels = options.channels == 0 ? decoder.info().channels : options.channels;
        if constexpr (std::is_same_v<decltype(decoder), JpegDecoder>) return decoder.decode(options, channels);
        else return detail::with_channels(decoder.decode(options), channels);
    });
}

SIGMA_IMPL void resize_image(const Image& image, std::size_t height, std::size_t width, std::span<float> to) {
    const std::size_t from = sigma::detail::array_count(std::array{image.height, image.width, image.channels});
    if (from == 0 || image.values.size() != from || (!image.fine.empty() && image.fine.size() != from) || to.empty() ||
        to.size() != sigma::detail::array_count(std::array{height, width, image.channels}))
        throw ShapeError(
            "resizing an image",
            sentence("numbers for ", sigma::detail::shape_text(std::vector{height, width, image.channels})),
            sentence(to.size(), " for ", image.values.size(), " pixels"));
    if (image.fine.empty()) return detail::resize(image, image.values, height, width, to);
    detail::resize(image, image.fine, height, width, to);
    for (float& v : to) v /= 257;  // to 0 … 255, with a fraction
}

}  // namespace sigma::data
