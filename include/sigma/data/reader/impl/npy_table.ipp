// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/reader/csv_number.hpp>
#include <sigma/data/reader/npy_table.hpp>
#include <sigma/data/reader/table_rows.hpp>
#include <sigma/storage/npy.hpp>
#include <sigma/storage/utf8.hpp>

#include <cmath>
#include <utility>

namespace sigma::data::detail {

/// The records of a structured array.
class NpyRows final : public TableRows {
public:
    NpyRows(const Source& source, const CsvFormat& format, std::vector<std::string>& names) : file_(source.name()) {
        Unpacked unpacked = unpack(source, default_limit, true);
        HeaderBytes bytes(*unpacked.stream, file_);
        const storage::NpyHeader header = read_npy_header(bytes, true);
        if (header.shape.size() != 1)
            bytes.fail(header.shape_at, "an array with one axis, for records", sigma::detail::shape_text(header.shape));
        records_ = header.shape[0];
        size_ = header.record_bytes;
        if (size_ == 0) bytes.fail(0, "records of at least one byte", "records of 0 bytes");
        if (size_ > format.longest_record)
            bytes.fail(0, sentence("records of at most ", format.longest_record, " bytes"), sentence(size_));
        const auto need = product(records_, size_);
        if (!need) bytes.fail(header.shape_at, "a shape within the limits of a file", sentence(records_));
        if (unpacked.length && *need != *unpacked.length - bytes.position())
            bytes.fail(bytes.position(), sentence(*need, " bytes of data for ", records_, " records of ", size_),
                       sentence(*unpacked.length - bytes.position()));
        for (const storage::NpyField& field : header.fields) add_columns(field, format.most_columns, bytes);
        names = names_;
        cells_.resize(columns_.size());
        texts_.resize(columns_.size());
        at_ = bytes.position();
        stream_ = std::move(unpacked.stream);
        buffer_.resize(std::max<std::size_t>(1, (std::size_t{1} << 16) / size_) * size_);
    }

    bool next() override {
        if (done_ == records_) return false;
        if (next_ == filled_) fill();
        const std::byte* const record = buffer_.data() + next_;
        next_ += size_;
        if (++done_ == records_) require_end();
        for (std::size_t c = 0; c < columns_.size(); ++c)
            cells_[c] = cell(columns_[c], record + columns_[c].offset, texts_[c]);
        return true;
    }
    std::span<const TableCell> cells() const override { return cells_; }

private:
    DataError error(std::size_t column, std::string expected, std::string found) const override {
        return {file_, sentence("record ", done_, place_of_column(names_, column)), std::move(expected),
                std::move(found)};
    }

    /// Adds a column for each element of a field.
    void add_columns(const storage::NpyField& field, std::size_t most, const HeaderBytes& bytes) {
        if (field.count() > most - std::min(most, columns_.size()))
            bytes.fail(0, sentence("at most ", most, " columns"), "more");
        for (std::size_t i = 0; i < field.count(); ++i) {
            std::string name;
            std::size_t rest = i;
            for (std::size_t axis = field.shape.size(); axis-- > 0; rest /= field.shape[axis])
                name.insert(0, sentence(".", rest % field.shape[axis]));
            names_.push_back(sentence(field.name, name));
            columns_.push_back(field);
            columns_.back().offset += i * field.size;
        }
    }

    /// Reads the next records.
    void fill() {
        const std::size_t want = std::min(buffer_.size() / size_, records_ - done_) * size_;
        const std::size_t came = read_fully(*stream_, std::span(buffer_).first(want));
        at_ += came;
        filled_ = came / size_ * size_;
        next_ = 0;
        if (came < want && filled_ == 0)
            throw DataError(file_, sentence("byte ", at_), sentence("record ", done_ + 1, " of ", records_),
                            "the end of the file");
    }
    void require_end() {
        std::byte one{};
        if (stream_->read(std::span(&one, 1)) > 0)
            throw DataError(file_, sentence("byte ", at_), sentence("the end of the file after ", records_, " records"),
                            "more bytes");
    }

    /// Reads a value. `memory` keeps its text.
    static TableCell cell(const storage::NpyField& field, const std::byte* from, std::string& memory) {
        using enum storage::NpyField::Kind;
        switch (field.kind) {
            case number: return number_cell(field, from, memory);
            case bytes:
                memory.assign(reinterpret_cast<const char*>(from), field.size);
                memory.resize(memory.find_last_not_of('\0') + 1);
                return {TableCell::Kind::text, 0, memory};
            case characters: {
                memory.clear();
                std::size_t zeros = 0;
                for (std::size_t i = 0; i < field.size; i += 4) {
                    const auto character = decode_one_of<std::uint32_t, std::uint32_t>(from + i, field.order);
                    if (character == 0) {
                        ++zeros;
                        continue;
                    }
                    memory.append(std::exchange(zeros, 0), '\0');
                    if (character > 0x10FFFF || (character >= 0xD800 && character < 0xE000)) memory += '\xFF';
                    else storage::append_utf8(memory, character);
                }
                return {TableCell::Kind::text, 0, memory};
            }
            case other: break;
        }
        memory = sentence("a value of type ", storage::quotation(field.descr));
        return {TableCell::Kind::other, 0, memory};
    }

    template <class T, class Bits>
    static T decode_one_of(const std::byte* from, std::endian order) {
        return order == std::endian::big ? decode_one<T, Bits, true, T>(from) : decode_one<T, Bits, false, T>(from);
    }
    /// Makes a cell of an integer. A double does not hold large ones.
    template <class T>
    static TableCell of_integer(T value, std::string& memory) {
        const auto near = static_cast<double>(value);
        if (std::abs(near) < 0x1p53) return TableCell::of(near);
        memory = sentence(value);
        const std::size_t size = memory.size();
        memory.append(number_padding, '\0');
        return {TableCell::Kind::number, near, std::string_view(memory).substr(0, size)};
    }
    static TableCell number_cell(const storage::NpyField& field, const std::byte* from, std::string& memory) {
        const std::endian order = field.order;
        switch (field.type) {
            case Dtype::u64: return of_integer(decode_one_of<std::uint64_t, std::uint64_t>(from, order), memory);
            case Dtype::i64: return of_integer(decode_one_of<std::int64_t, std::uint64_t>(from, order), memory);
            case Dtype::u32: return TableCell::of(decode_one_of<std::uint32_t, std::uint32_t>(from, order));
            case Dtype::i32: return TableCell::of(decode_one_of<std::int32_t, std::uint32_t>(from, order));
            case Dtype::f64: return TableCell::of(decode_one_of<double, std::uint64_t>(from, order));
            case Dtype::boolean: return {TableCell::Kind::truth, *from == std::byte{0} ? 0.0 : 1.0, {}};
            default: {
                float value = 0;
                decode(field.type, order, from, std::span(&value, 1));
                return TableCell::of(static_cast<double>(value));
            }
        }
    }

    std::string file_;
    std::unique_ptr<ByteStream> stream_;
    std::vector<std::byte> buffer_;
    std::size_t records_ = 0, size_ = 0;  // number of records, bytes of each
    std::size_t done_ = 0, at_ = 0;
    std::size_t next_ = 0, filled_ = 0;  // in the buffer
    std::vector<storage::NpyField> columns_;
    std::vector<std::string> names_, texts_;
    std::vector<TableCell> cells_;
};

class NpyTable final : public TableFile {
public:
    NpyTable(Source source, TableOptions options)
        : TableFile(format_of(std::move(options)), true), source_(std::move(source)) {}

    std::string kind() const override { return "npy table"; }
    std::string name() const override { return source_.name(); }
    std::string key() const override { return source_.key(); }
    std::unique_ptr<TableRows> open(std::vector<std::string>& names) const override {
        return std::make_unique<NpyRows>(source_, format, names);
    }

private:
    Source source_;
};

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL Table npy_table(Source source, TableOptions options) {
    return Table(std::make_shared<detail::NpyTable>(std::move(source), std::move(options)));
}

}  // namespace sigma::data
