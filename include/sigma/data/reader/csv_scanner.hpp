// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
#include <sigma/data/reader/csv_format.hpp>
#include <sigma/data/source/packing.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sigma::data::detail {

/// The part of a text in memory: what was not used yet, and as much of the rest as fits. The last line of a text always
/// ends.
class CsvBuffer {
public:
    static constexpr std::size_t padding = 64, front = 8;

    /// Constructs a buffer that reads `piece` bytes at once, or more for a longer record.
    CsvBuffer(std::unique_ptr<ByteStream> stream, std::string file, std::size_t piece);

    /// Returns the first byte. `front` bytes before it may be read.
    const char* data() const { return memory_ ? memory_.get() + front : nullptr; }
    /// Returns the number of bytes. `padding` bytes after them are 0.
    std::size_t size() const { return size_; }

    /// Returns the separator that a first line `sep=;` of Excel names, or '\0' without such a line. The line is
    /// dropped.
    char separator() const { return separator_; }

    /// Drops the first bytes and reads more; grows if none are dropped. Returns false at the end.
    bool advance(std::size_t used);

private:
    std::unique_ptr<ByteStream> stream_;
    std::string file_;
    std::unique_ptr<char[]> memory_;
    std::size_t piece_, size_ = 0, capacity_ = 0;
    bool begun_ = false, ended_ = false;
    char separator_ = '\0';

    char* text() { return memory_.get() + front; }

    /// Removes the byte-order mark and the line of the separator. Returns their length.
    std::size_t begin();
};

}  // namespace sigma::data::detail

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace sigma::data::detail {

/// Finds where fields may end: the positions of five characters, 64 bytes at a time, without a branch for each byte
/// (the first stage of Langdale and Lemire, "Parsing gigabytes of JSON per second", VLDB Journal 28, 2019).
class CsvMarks {
public:
    static constexpr std::size_t block = 64;

    explicit CsvMarks(const std::array<char, 5>& wanted) : wanted_(wanted) {}

    /// Returns their positions among the first `size` bytes, ascending, followed by `size` a few times. Bytes up to the
    /// next multiple of `block` must be readable and must be none of the five.
    const std::uint32_t* find(const char* bytes, std::size_t size);

private:
    std::array<char, 5> wanted_;
    std::vector<std::uint32_t> positions_;

#ifdef __SSE2__
    std::uint64_t mask(const char* bytes) const {
        std::uint64_t bits = 0;
        for (int part = 0; part < 4; ++part) {
            const __m128i b = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + 16 * part));
            const __m128i ab = _mm_or_si128(_mm_cmpeq_epi8(b, _mm_set1_epi8(wanted_[0])),
                                            _mm_cmpeq_epi8(b, _mm_set1_epi8(wanted_[1])));
            const __m128i cd = _mm_or_si128(_mm_cmpeq_epi8(b, _mm_set1_epi8(wanted_[2])),
                                            _mm_cmpeq_epi8(b, _mm_set1_epi8(wanted_[3])));
            const __m128i e = _mm_cmpeq_epi8(b, _mm_set1_epi8(wanted_[4]));
            bits |= static_cast<std::uint64_t>(
                        static_cast<std::uint16_t>(_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(ab, cd), e))))
                    << (16 * part);
        }
        return bits;
    }
#else
    std::uint64_t mask(const char* bytes) const {
        constexpr std::uint64_t ones = 0x0101010101010101, low = 0x7F7F7F7F7F7F7F7F;
        std::uint64_t bits = 0;
        for (int part = 0; part < 8; ++part) {
            std::uint64_t b, none = ~std::uint64_t{0};
            std::memcpy(&b, bytes + 8 * part, 8);
            for (const char c : wanted_) {
                const std::uint64_t other = b ^ (ones * static_cast<unsigned char>(c));  // 0 where a byte is c
                none &= ((other & low) + low) | other;
            }
            // Gathers the highest bits of 8 bytes by a product without carries.
            bits |= (((~none & ~low) >> 7) * 0x0102040810204080 >> 56) << (8 * part);
        }
        return bits;
    }
#endif
};

/// Cuts a table into records, and records into fields, with memory for one record and some more. Errors name the line,
/// and the column at fault, both counted from 1 as in editors.
class CsvScanner {
public:
    /// Constructs a scanner that keeps `piece` bytes, or one longer record.
    CsvScanner(std::unique_ptr<ByteStream> stream, std::string file, const CsvFormat& format,
               std::size_t piece = std::size_t{1} << 17);

    /// Moves to the next record; skips blank lines and comments. Returns false at the end.
    bool next();
    /// Returns the fields, valid until the next call of next(). CsvBuffer::padding bytes after each are readable.
    std::span<const std::string_view> fields() const { return {fields_.data(), count_}; }
    const std::string& file() const { return file_; }
    /// Returns the number of malformed lines that were skipped so far.
    std::size_t skipped() const { return skipped_; }

    /// Throws DataError. Column 0 stands for the whole record.
    [[noreturn]] void fail(std::size_t column, std::string expected, std::string found) const;

private:
    enum class Cut { record, nothing, incomplete };

    /// Sets everything that follows from the separator, which the file itself may name.
    void set_separator();

    [[noreturn]] void fail_at(const char* record, const char* at, std::size_t column, std::string expected,
                              std::string found) const;

    bool is_blank(char c) const { return (c == ' ' || c == '\t') && c != format_.separator; }

    void add(const char* first, const char* last);

    /// Skips lines of blanks, of which there may be many. Keeps the last line if it may be incomplete.
    [[gnu::cold]] void pass_over_empty();

    /// Cuts one line, or more if line breaks are quoted. Changes nothing if the record is incomplete.
    Cut cut();

    /// Cuts fields without quotes and blanks to trim, which are most. Stops at another field, or at a mark that is no
    /// separator; returns whether it stopped at such a mark.
    bool cut_plain(const char*& at, const std::uint32_t*& mark);

    bool is_passed_over(const char* at) const;

    /// Returns whether a line ends here, not between CR and LF. Then the next record follows.
    bool end(const std::uint32_t* mark);

    /// Cuts a field from its opening quote to the mark that ends it.
    bool cut_quoted(const char* quote, const std::uint32_t*& mark);

    /// Returns whether to return the present record.
    bool accept();

    /// Closes the gaps of doubled quotes. Moves quotes behind the field, so that its line breaks keep their number.
    void undouble(std::string_view& field);

    bool read_on();

    [[noreturn]] void refuse_length(const char* record) const;

    CsvBuffer buffer_;
    std::string file_;
    CsvFormat format_;
    bool merge_ = false, quoting_ = false;
    char quote_ = '\1';  // without quotes, a character that no mark has
    CsvMarks finder_;
    const std::uint32_t* marks_ = nullptr;
    std::size_t mark_ = 0;               // first mark of the next record
    std::size_t record_ = 0, next_ = 0;  // begin of this record and of the next
    std::size_t line_ = 1, next_line_ = 1, inner_ = 0;
    std::vector<std::string_view> fields_;
    std::size_t count_ = 0, columns_ = 0, skipped_ = 0;
    const char* open_ = nullptr;  // quote that is not closed
    bool any_quoted_ = false;
    std::vector<std::size_t> escaped_;
    std::string_view after_quote_;
    std::size_t after_column_ = 0;
};

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/csv_scanner.ipp>
#endif
