// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/data/reader/binary.hpp>
#include <sigma/data/reader/reader.hpp>
#include <sigma/storage/npy.hpp>
#include <sigma/storage/utf8.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace sigma::data::detail {

template <class Bits>
constexpr Bits swapped(Bits bits) {
    if constexpr (sizeof(Bits) == 1) return bits;
    if constexpr (sizeof(Bits) == 2) return __builtin_bswap16(bits);
    if constexpr (sizeof(Bits) == 4) return __builtin_bswap32(bits);
    if constexpr (sizeof(Bits) == 8) return __builtin_bswap64(bits);
}

template <class T, class Bits, bool swap, class To>
To decode_one(const std::byte* from) {
    Bits bits;
    std::memcpy(&bits, from, sizeof(Bits));
    if constexpr (swap) bits = swapped(bits);
    return static_cast<To>(std::bit_cast<T>(bits));
}
/// Decodes in a plain loop for each type and order, which compilers vectorize (g++ 12 with -O3).
template <class T, class Bits, bool swap, class To>
void decode_as(const std::byte* from, std::span<To> to) {
    To* const numbers = to.data();
    const std::size_t count = to.size();
    for (std::size_t i = 0; i < count; ++i) numbers[i] = decode_one<T, Bits, swap, To>(from + i * sizeof(Bits));
}
template <class T, class Bits, class To>
void decode_ordered(const std::byte* from, std::endian order, std::span<To> to) {
    order == std::endian::big ? decode_as<T, Bits, true>(from, to) : decode_as<T, Bits, false>(from, to);
}

/// Decodes to.size() elements as the nearest floats. Booleans become 0 or 1.
SIGMA_IMPL void decode(Dtype type, std::endian order, const std::byte* from, std::span<float> to) {
    switch (type) {
        case Dtype::u8: return decode_as<std::uint8_t, std::uint8_t, false>(from, to);
        case Dtype::i8: return decode_as<std::int8_t, std::uint8_t, false>(from, to);
        case Dtype::u16: return decode_ordered<std::uint16_t, std::uint16_t>(from, order, to);
        case Dtype::i16: return decode_ordered<std::int16_t, std::uint16_t>(from, order, to);
        case Dtype::u32: return decode_ordered<std::uint32_t, std::uint32_t>(from, order, to);
        case Dtype::i32: return decode_ordered<std::int32_t, std::uint32_t>(from, order, to);
        case Dtype::u64: return decode_ordered<std::uint64_t, std::uint64_t>(from, order, to);
        case Dtype::i64: return decode_ordered<std::int64_t, std::uint64_t>(from, order, to);
        case Dtype::f32: return decode_ordered<float, std::uint32_t>(from, order, to);
        case Dtype::f64: return decode_ordered<double, std::uint64_t>(from, order, to);
        case Dtype::boolean:
            for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i] == std::byte{0} ? 0.0f : 1.0f;
            return;
        case Dtype::f16:
            for (std::size_t i = 0; i < to.size(); ++i) {
                std::uint16_t bits = 0;
                std::memcpy(&bits, from + 2 * i, 2);
                to[i] = storage::from_f16(order == std::endian::big ? swapped(bits) : bits);
            }
            return;
        default:
            throw ArgumentError("elements of a file", "integers, booleans, f16, f32 or f64",
                                sentence(sigma::detail::name_of(type)));
    }
}
/// Decodes doubles as doubles: `type` must be f64.
SIGMA_IMPL void decode(Dtype type, std::endian order, const std::byte* from, std::span<double> to) {
    if (type != Dtype::f64)
        throw ArgumentError("elements of a file as doubles", "f64", sentence(sigma::detail::name_of(type)));
    decode_ordered<double, std::uint64_t>(from, order, to);
}

/// Returns a · b, or nothing if it is more than any file could hold.
constexpr std::optional<std::size_t> product(std::size_t a, std::size_t b) {
    constexpr std::size_t most = std::size_t{1} << 62;
    if (a != 0 && b > most / a) return {};
    return a * b;
}

/// Writes bytes as "0x00000803".
SIGMA_IMPL std::string hexadecimal(std::span<const std::byte> bytes) {
    std::string text = "0x";
    for (const std::byte byte : bytes) sigma::detail::append_hexadecimal(text, std::to_integer<std::uint64_t>(byte), 2);
    return text;
}

/// Describes a file that begins like one that is often mistaken for data; else returns its first four bytes.
SIGMA_IMPL std::string contents_of(std::span<const std::byte> front) {
    std::string text(reinterpret_cast<const char*>(front.data()), front.size());
    const std::string bytes = hexadecimal(front.first(std::min<std::size_t>(front.size(), 4)));
    if (text.starts_with("version https://git-lfs")) return "a pointer of git-lfs in place of the file";
    std::ranges::transform(text, text.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
    text.erase(0, text.find_first_not_of(" \t\r\n"));
    for (const std::string_view start : {"<!doctype html", "<html", "<head"})
        if (text.starts_with(start)) return "a page of HTML";
    if (text.starts_with("<?xml")) return "a document of XML";
    return bytes;
}

/// The bytes before the records of a binary file.
class HeaderBytes {
public:
    HeaderBytes(PeekedStream& stream, std::string file) : stream_(stream), file_(std::move(file)) {}

    std::size_t position() const { return at_; }
    const std::string& file() const { return file_; }
    /// Reads the next `to.size()` bytes. The DataError for a file that ends before them names them `what`.
    void read(std::span<std::byte> to, const std::string& what) {
        const std::size_t count = read_fully(stream_, to);
        at_ += count;
        if (count < to.size()) fail(at_, what, "the end of the file");
    }
    /// Returns the first bytes of the file, for messages.
    std::span<const std::byte> front() const { return stream_.front(); }
    [[noreturn]] void fail(std::size_t byte, std::string expected, std::string found) const {
        throw DataError(file_, sentence("byte ", byte), std::move(expected), std::move(found));
    }

private:
    PeekedStream& stream_;
    std::string file_;
    std::size_t at_ = 0;
};

/// The contents of a header.
struct BinaryLayout {
    Dtype type = Dtype::u8;
    std::endian order = std::endian::little;
    std::vector<std::size_t> record;       ///< extents of one record
    std::optional<std::size_t> records{};  ///< number of records; nothing: up to the end
    bool columns_first = false;            ///< true: the number of the record runs fastest

    /// Returns the bytes of one record.
    std::size_t bytes() const {
        std::size_t all = sigma::detail::size_of(type);
        for (const std::size_t extent : record) all *= extent;
        return all;
    }
};

/// Reads the records of one array, after a header: as doubles if its elements are f64, else as floats. Checks the
/// header against the length of the file if that is known. Takes memory only for bytes that have arrived.
class BinaryReader : public RecordReader {
public:
    BinaryReader(Source source, std::size_t limit) : source_(std::move(source)), limit_(limit) {}

    std::string name() const override { return source_.name(); }
    const std::vector<SectionInfo>& sections() override {
        open();
        return sections_;
    }
    std::optional<std::size_t> size() override {
        open();
        return layout_.records;
    }
    void rewind() override {
        stream_.reset();
        columns_.clear();
    }
    std::size_t read(std::size_t most, Block& to) override {
        open();
        to.values.resize(1);
        std::size_t count = layout_.records ? std::min(most, *layout_.records - done_) : most;
        if (layout_.type == Dtype::f64) {
            if (layout_.columns_first) read_columns(count, columns_.doubles(), to.values[0].doubles());
            else count = read_rows(count, to.values[0].doubles());
        } else {
            if (layout_.columns_first) read_columns(count, columns_.floats(), to.values[0].floats());
            else count = read_rows(count, to.values[0].floats());
        }
        if (layout_.records && done_ + count == *layout_.records && count > 0) require_end();
        done_ += count;
        return to.records = count;
    }

protected:
    const Source& source() const { return source_; }
    /// Reads the header. `length` is the length of the whole file, if it is known.
    virtual BinaryLayout header(HeaderBytes& bytes, std::optional<std::size_t> length) const = 0;

    /// Checks that a file of `length` bytes, with a header of `front`, holds the records. `place` is the byte of their
    /// extents.
    void check_length(const HeaderBytes& bytes, const BinaryLayout& layout, std::size_t front, std::size_t place,
                      std::optional<std::size_t> length) const {
        std::optional<std::size_t> need = product(sigma::detail::size_of(layout.type), layout.records.value_or(1));
        std::vector<std::size_t> shape = layout.record;
        for (const std::size_t extent : layout.record) need = need ? product(*need, extent) : need;
        if (layout.records) shape.insert(shape.begin(), *layout.records);
        if (!need) bytes.fail(place, "a shape within the limits of a file", sigma::detail::shape_text(shape));
        const std::string expected =
            sentence(*need, *need == 1 ? " byte" : " bytes", " of data for shape ", sigma::detail::shape_text(shape));
        if (length && layout.records && *need != *length - front)
            bytes.fail(front, expected, sentence(*length - front));
        if (packed_ && *need > limit_) bytes.fail(place, sentence("at most ", limit_, " bytes unpacked"), expected);
    }

private:
    void open() {
        if (stream_) return;
        Unpacked unpacked = unpack(source_, limit_, true);
        packed_ = unpacked.packed;
        HeaderBytes bytes(*unpacked.stream, name());
        layout_ = header(bytes, unpacked.length);
        sections_ = {{"", layout_.record, false, {}, layout_.type == Dtype::f64}};
        at_ = bytes.position();
        done_ = 0;
        total_ = unpacked.length;
        stream_ = std::move(unpacked.stream);
    }
    /// Fills `to` with up to `count` records, a piece at a time. Returns their number.
    template <class T>
    std::size_t read_rows(std::size_t count, std::vector<T>& to) {
        const std::size_t width = layout_.bytes() / sigma::detail::size_of(layout_.type), bytes = layout_.bytes();
        to.clear();
        if (const auto need = product(count, bytes); total_ && need && *need <= *total_ - at_)
            to.reserve(count * width);
        std::size_t got = 0;  // bytes of these records
        const std::size_t want = product(count, bytes).value_or(~std::size_t{0});
        buffer_.resize(std::size_t{1} << 17);
        std::size_t kept = 0;  // bytes of an incomplete element
        while (got < want) {
            const std::size_t ask = std::min(buffer_.size() - kept, want - got);
            const std::size_t came = read_fully(*stream_, std::span(buffer_).subspan(kept, ask));
            got += came;
            const std::size_t elements = (kept + came) / sigma::detail::size_of(layout_.type), before = to.size();
            to.resize(before + elements);
            decode(layout_.type, layout_.order, buffer_.data(), std::span(to).subspan(before));
            kept = kept + came - elements * sigma::detail::size_of(layout_.type);
            std::copy_n(buffer_.begin() + static_cast<std::ptrdiff_t>(elements * sigma::detail::size_of(layout_.type)),
                        kept, buffer_.begin());
            if (came < ask) break;
        }
        at_ += got;
        const std::size_t whole = got / bytes;
        if (got % bytes != 0 || (layout_.records && whole < count) || (done_ + whole == 0 && count > 0))
            throw DataError(name(), sentence("byte ", at_),
                            layout_.records ? sentence("record ", done_ + whole + 1, " of ", *layout_.records)
                                            : sentence("a record of ", bytes, bytes == 1 ? " byte" : " bytes"),
                            "the end of the file");
        return whole;
    }
    /// Reads records with numbers that lie far apart. All records are in memory.
    template <class T>
    void read_columns(std::size_t count, std::vector<T>& columns, std::vector<T>& to) {
        const std::size_t records = layout_.records.value(),
                          width = layout_.bytes() / sigma::detail::size_of(layout_.type);
        if (columns.empty()) {
            read_rows(records, columns);
            places_.assign(width, 0);
            // Number i of a record, counted with the last axis fastest, is number places_[i] counted with the first
            // axis fastest.
            for (std::size_t i = 0; i < width; ++i) {
                std::size_t rest = i, place = 0;
                std::size_t stride = width;
                for (std::size_t axis = layout_.record.size(); axis-- > 0;) {
                    stride /= layout_.record[axis];
                    place += rest % layout_.record[axis] * stride;
                    rest /= layout_.record[axis];
                }
                places_[i] = place;
            }
        }
        to.resize(count * width);
        for (std::size_t i = 0; i < width; ++i)
            for (std::size_t r = 0; r < count; ++r) to[r * width + i] = columns[places_[i] * records + done_ + r];
    }
    /// Reads the bytes after the last record, which also checks the end of packed data.
    void require_end() {
        std::byte one{};
        if (stream_->read(std::span(&one, 1)) > 0)
            throw DataError(name(), sentence("byte ", at_),
                            sentence("the end of the file after ", *layout_.records, " records"), "more bytes");
    }

    Source source_;
    std::size_t limit_;
    BinaryLayout layout_;
    std::vector<SectionInfo> sections_;
    std::unique_ptr<ByteStream> stream_;
    std::vector<std::byte> buffer_;
    NumberList columns_;
    std::vector<std::size_t> places_;
    std::optional<std::size_t> total_;  ///< length of the file
    bool packed_ = false;
    std::size_t at_ = 0;    ///< position in the unpacked file
    std::size_t done_ = 0;  ///< number of records read
};

class BytesReader final : public BinaryReader {
public:
    /// Throws ArgumentError for extents of 0 and for types that it does not read.
    BytesReader(Source source, BytesOptions options)
        : BinaryReader(std::move(source), options.limit), options_(std::move(options)) {
        std::optional<std::size_t> bytes = sigma::detail::size_of(options_.type);
        for (const std::size_t extent : options_.extents) bytes = bytes ? product(*bytes, extent) : bytes;
        if (!bytes || *bytes == 0)
            throw ArgumentError("bytes", "extents above 0, for a record within memory",
                                sigma::detail::shape_text(options_.extents));
        decode(options_.type, options_.order, nullptr, std::span<float>());
    }

    std::vector<Origin> origins() const override { return {{"bytes", name()}}; }
    std::string key() const override {
        return sentence("bytes(", source().key(), ",", sigma::detail::shape_text(options_.extents), ",",
                        options_.header, ",", sigma::detail::name_of(options_.type),
                        options_.order == std::endian::big ? ",big)" : ",little)");
    }

private:
    BinaryLayout header(HeaderBytes& bytes, std::optional<std::size_t> length) const override {
        std::array<std::byte, 4096> skipped{};
        while (bytes.position() < options_.header) {
            const std::size_t count = std::min(skipped.size(), options_.header - bytes.position());
            bytes.read(std::span(skipped).first(count), sentence("a header of ", options_.header, " bytes"));
        }
        BinaryLayout layout{options_.type, options_.order, options_.extents};
        if (length) {
            const std::size_t all = *length - options_.header;
            if (all == 0 || all % layout.bytes() != 0)
                bytes.fail(options_.header,
                           sentence("records of ", layout.bytes(), layout.bytes() == 1 ? " byte" : " bytes"),
                           sentence(all, " bytes in all"));
            layout.records = all / layout.bytes();
        }
        return layout;
    }

    BytesOptions options_;
};

SIGMA_IMPL std::shared_ptr<RecordReader> bytes_reader(const Source& source, BytesOptions options) {
    return std::make_shared<BytesReader>(source, std::move(options));
}

class IdxReader final : public BinaryReader {
public:
    /// Constructs a reader. `rank` is that of the file's array, 0 for any. `record`, if set, must be the extents of a
    /// record.
    explicit IdxReader(Source source, std::size_t rank = 0, std::optional<std::vector<std::size_t>> record = {},
                       std::size_t limit = default_limit)
        : BinaryReader(std::move(source), limit), rank_(rank), record_(std::move(record)) {}

    std::vector<Origin> origins() const override { return {{"idx", name()}}; }
    std::string key() const override {
        return sentence("idx(", source().key(), ",", rank_, ",", record_ ? sigma::detail::shape_text(*record_) : "any",
                        ")");
    }

private:
    BinaryLayout header(HeaderBytes& bytes, std::optional<std::size_t> length) const override {
        std::array<std::byte, 4> four{};
        const auto number = [&] {
            std::size_t value = 0;
            for (const std::byte byte : four) value = value << 8 | std::to_integer<std::size_t>(byte);
            return value;
        };
        const auto ranks = [](std::size_t n) {
            return sentence(n, n == 1 ? " axis (labels)" : n == 3 ? " axes (images)" : " axes");
        };

        bytes.read(four, "the first 4 bytes of an IDX file");
        const auto type = type_of(std::to_integer<unsigned>(four[2]));
        const auto rank = std::to_integer<std::size_t>(four[3]);
        if (four[0] != std::byte{0} || four[1] != std::byte{0} || !type || rank == 0)
            bytes.fail(0, "an IDX file, which begins with 0x0000, a type and a rank", contents_of(bytes.front()));
        if (rank_ != 0 && rank != rank_) bytes.fail(3, ranks(rank_), ranks(rank));

        BinaryLayout layout{*type, std::endian::big, {}};
        for (std::size_t axis = 0; axis < rank; ++axis) {
            bytes.read(four, sentence("extent ", axis + 1, " of ", rank));
            if (number() == 0) bytes.fail(bytes.position() - 4, "an extent above 0", "0");
            if (axis == 0) {
                layout.records = number();
            } else {
                layout.record.push_back(number());
            }
        }
        if (record_ && layout.record != *record_)
            bytes.fail(std::min<std::size_t>(8, bytes.position()),
                       sentence("records of ", sigma::detail::shape_text(*record_)),
                       sigma::detail::shape_text(layout.record));
        check_length(bytes, layout, bytes.position(), bytes.position(), length);
        return layout;
    }
    static std::optional<Dtype> type_of(unsigned code) {
        switch (code) {
            case 0x08: return Dtype::u8;
            case 0x09: return Dtype::i8;
            case 0x0B: return Dtype::i16;
            case 0x0C: return Dtype::i32;
            case 0x0D: return Dtype::f32;
            case 0x0E: return Dtype::f64;
            default: return {};
        }
    }

    std::size_t rank_;
    std::optional<std::vector<std::size_t>> record_;
};

SIGMA_IMPL std::shared_ptr<RecordReader> idx_reader(const Source& source, std::size_t rank,
                                                    std::optional<std::vector<std::size_t>> record, std::size_t limit) {
    return std::make_shared<IdxReader>(source, rank, std::move(record), limit);
}

/// Reads the bytes of a .npy file up to its records. Throws DataError for a file that is none.
SIGMA_IMPL storage::NpyHeader read_npy_header(HeaderBytes& bytes, bool records) {
    /// The limit of a header in bytes. NumPy's own limit is 10,000.
    constexpr std::size_t longest_header = 65535;
    std::array<std::byte, 8> magic{};
    constexpr std::string_view expected = "a .npy file, which begins with 0x93, NUMPY and a version from 1.0 to 3.0";
    const bool begins =
        std::ranges::equal(bytes.front().first(std::min<std::size_t>(bytes.front().size(), 6)),
                           std::as_bytes(std::span("\x93NUMPY", std::min<std::size_t>(bytes.front().size(), 6))));
    if (!begins) bytes.fail(0, std::string(expected), contents_of(bytes.front()));
    bytes.read(magic, "the first 8 bytes of a .npy file");
    const auto major = std::to_integer<unsigned>(magic[6]), minor = std::to_integer<unsigned>(magic[7]);
    if (major < 1 || major > 3 || minor != 0) bytes.fail(6, "version 1.0, 2.0 or 3.0", sentence(major, ".", minor));

    std::array<std::byte, 4> digits{};
    bytes.read(std::span(digits).first(major == 1 ? 2 : 4), "the length of the header");
    std::uint32_t size = 0;
    std::memcpy(&size, digits.data(), 4);
    if (size > longest_header)
        bytes.fail(8, sentence("a header of at most ", longest_header, " bytes"), sentence(size));
    std::string text(size, ' ');
    const std::size_t begin = bytes.position();
    bytes.read(std::as_writable_bytes(std::span(text)), sentence("a header of ", size, " bytes"));
    if (!text.ends_with('\n')) bytes.fail(begin + (size > 0 ? size - 1 : 0), "a line end after the header", "none");
    text.pop_back();
    if (major < 3) {  // Latin-1
        std::string converted;
        for (const char c : text) storage::append_utf8(converted, static_cast<unsigned char>(c));
        text = std::move(converted);
    } else if (storage::utf8_fault(text) != std::string_view::npos) {
        bytes.fail(begin + storage::utf8_fault(text), "a header in UTF-8", storage::quotation(text));
    }
    return storage::npy_header(text, bytes.file(), "", begin, records);
}

class NpyReader final : public BinaryReader {
public:
    /// Constructs a reader. `record`, if set, must be the extents of a record.
    explicit NpyReader(Source source, std::optional<std::vector<std::size_t>> record = {},
                       std::size_t limit = default_limit)
        : BinaryReader(std::move(source), limit), record_(std::move(record)) {}

    std::vector<Origin> origins() const override { return {{"npy", name()}}; }
    std::string key() const override {
        return sentence("npy(", source().key(), ",", record_ ? sigma::detail::shape_text(*record_) : "any", ")");
    }

private:
    BinaryLayout header(HeaderBytes& bytes, std::optional<std::size_t> length) const override {
        const storage::NpyHeader npy = read_npy_header(bytes, false);
        if (npy.shape.empty())
            bytes.fail(npy.shape_at, "an array with at least one axis, for records", "a single number");
        for (const std::size_t extent : npy.shape)
            if (extent == 0) bytes.fail(npy.shape_at, "extents above 0", sigma::detail::shape_text(npy.shape));
        BinaryLayout layout{npy.type, npy.order, {npy.shape.begin() + 1, npy.shape.end()}, npy.shape[0]};
        layout.columns_first = npy.fortran_order && npy.shape.size() > 1;
        if (record_ && layout.record != *record_)
            bytes.fail(npy.shape_at, sentence("records of ", sigma::detail::shape_text(*record_)),
                       sigma::detail::shape_text(layout.record));
        check_length(bytes, layout, bytes.position(), npy.shape_at, length);
        return layout;
    }

    std::optional<std::vector<std::size_t>> record_;
};

SIGMA_IMPL std::shared_ptr<RecordReader> npy_reader(const Source& source,
                                                    std::optional<std::vector<std::size_t>> record, std::size_t limit) {
    return std::make_shared<NpyReader>(source, std::move(record), limit);
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL ArrayOf<UnknownExtents> bytes(const Source& source, BytesOptions options) {
    return {detail::bytes_reader(source, std::move(options))};
}

SIGMA_IMPL ArrayOf<UnknownExtents> idx(const Source& source, std::size_t limit) {
    return {detail::idx_reader(source, 0, std::nullopt, limit)};
}

SIGMA_IMPL ArrayOf<UnknownExtents> npy(const Source& source, std::size_t limit) {
    return {detail::npy_reader(source, std::nullopt, limit)};
}

SIGMA_IMPL ArrayOf<UnknownExtents> npz(const Source& source, const std::string& array, std::size_t limit) {
    return npy(entry(source, sentence(array, ".npy"), limit), limit);
}

}  // namespace sigma::data
