// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/data/reader/elements.hpp>
#include <sigma/data/reader/reader.hpp>
#include <sigma/data/source/unpack.hpp>

namespace sigma::data {

namespace detail {

/// "0x00000803"
std::string hexadecimal(std::span<const std::byte> bytes);

/// What a file is instead, where it begins as files do that often come in place of data; else its first four bytes.
std::string contents_of(std::span<const std::byte> front);

/// What stands in front of the records of a binary file.
class HeaderBytes {
public:
    HeaderBytes(PeekedStream& stream, std::string file) : stream_(stream), file_(std::move(file)) {}

    std::size_t position() const { return at_; }
    const std::string& file() const { return file_; }
    /// The next `to.size()` bytes; `what` they are says the DataError where the file ends before.
    void read(std::span<std::byte> to, const std::string& what);
    /// What the file begins with, as far as messages look.
    std::span<const std::byte> front() const { return stream_.front(); }
    [[noreturn]] void fail(std::size_t byte, std::string expected, std::string found) const;

private:
    PeekedStream& stream_;
    std::string file_;
    std::size_t at_ = 0;
};

/// What the header says.
struct BinaryLayout {
    Dtype type = Dtype::u8;
    std::endian order = std::endian::little;
    std::vector<std::size_t> record;       ///< extents of one record
    std::optional<std::size_t> records{};  ///< as many as there are, where it does not say
    bool columns_first = false;            ///< is the number of the record the one that runs fastest?

    /// Of one record.
    std::size_t bytes() const;
};

/// Records of one array, one after the other, behind a header: doubles where its elements are f64, else floats. What a
/// header claims is checked against the length of the file where that is known; memory is only taken for bytes that
/// have come.
class BinaryReader : public RecordReader {
public:
    BinaryReader(Source source, std::size_t limit) : source_(std::move(source)), limit_(limit) {}

    std::string name() const override { return source_.name(); }
    const std::vector<SectionInfo>& sections() override;
    std::optional<std::size_t> size() override;
    void rewind() override;
    std::size_t read(std::size_t most, Block& to) override;

protected:
    const Source& source() const { return source_; }
    /// Reads the header. `length` is that of the whole file, where it is known.
    virtual BinaryLayout header(HeaderBytes& bytes, std::optional<std::size_t> length) const = 0;

    /// Does a file of `length` bytes, with a header of `front`, hold the records? `place` is the byte of their extents.
    void check_length(const HeaderBytes& bytes, const BinaryLayout& layout, std::size_t front, std::size_t place,
                      std::optional<std::size_t> length) const;

private:
    void open();
    /// Fills `to` with up to `count` records, a piece after the other, and returns how many there were.
    template <class T>
    std::size_t read_rows(std::size_t count, std::vector<T>& to);
    /// Records whose numbers lie far apart: all of them are in memory.
    template <class T>
    void read_columns(std::size_t count, std::vector<T>& columns, std::vector<T>& to);
    /// Reads what follows the last record, which also checks the end of packed data.
    void require_end();

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
    std::size_t done_ = 0;  ///< records
};

}  // namespace detail
}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/binary.ipp>
#endif
