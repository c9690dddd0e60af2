// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/reader/csv_buffer.hpp>
#include <sigma/data/reader/csv_format.hpp>
#include <sigma/data/reader/csv_marks.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sigma::data::detail {

/// Cuts a table into records and these into fields, with memory for one record and some more. Errors name the line, and
/// the column where one is at fault, both from 1 as editors count.
class CsvScanner {
public:
    /// Keeps `piece` bytes, or one record where that is longer.
    CsvScanner(std::unique_ptr<ByteStream> stream, std::string file, const CsvFormat& format,
               std::size_t piece = std::size_t{1} << 17);

    /// The next record; blank lines and comments are passed over. False at the end.
    bool next();
    /// Valid until the next call of next(); CsvBuffer::padding bytes behind each are readable.
    std::span<const std::string_view> fields() const { return {fields_.data(), count_}; }
    const std::string& file() const { return file_; }
    /// Malformed lines that were passed over so far.
    std::size_t skipped() const { return skipped_; }

    /// Column 0 stands for the record as a whole.
    [[noreturn]] void fail(std::size_t column, std::string expected, std::string found) const;

private:
    enum class Cut { record, nothing, incomplete };

    /// All that follows from the format's separator, which the file itself may name.
    void set_separator();

    [[noreturn]] void fail_at(const char* record, const char* at, std::size_t column, std::string expected,
                              std::string found) const;

    bool is_blank(char c) const { return (c == ' ' || c == '\t') && c != format_.separator; }

    void add(const char* first, const char* last);

    /// Lines of nothing but blanks, of which there may be many. The last one, if it may not be all there, stays.
    [[gnu::cold]] void pass_over_empty();

    /// One line, or more where line breaks are quoted. Changes nothing where it is not all there.
    Cut cut();

    /// Fields with neither quotes nor anything to be trimmed, which are most. Goes up to one that is not of these, or
    /// to where separators end; is that where it is?
    bool cut_plain(const char*& at, const std::uint32_t*& mark);

    bool is_passed_over(const char* at) const;

    /// Is this the end of a line, and not cut between CR and LF? Then what follows is the next record.
    bool end(const std::uint32_t* mark);

    /// From the opening quote to the mark that ends the field.
    bool cut_quoted(const char* quote, const std::uint32_t*& mark);

    /// Is the record at hand one to be given out?
    bool accept();

    /// Moves the text together; quotes remain behind it, so that its line breaks are still as many.
    void undouble(std::string_view& field);

    bool read_on();

    [[noreturn]] void refuse_length(const char* record) const;

    CsvBuffer buffer_;
    std::string file_;
    CsvFormat format_;
    bool merge_ = false, quoting_ = false;
    char quote_ = '\1';  // one that is at no mark where there is no quoting
    CsvMarks finder_;
    const std::uint32_t* marks_ = nullptr;
    std::size_t mark_ = 0;               // of the next record
    std::size_t record_ = 0, next_ = 0;  // where this record and the next begin
    std::size_t line_ = 1, next_line_ = 1, inner_ = 0;
    std::vector<std::string_view> fields_;
    std::size_t count_ = 0, columns_ = 0, skipped_ = 0;
    const char* open_ = nullptr;  // the quote that is not closed
    bool any_quoted_ = false;
    std::vector<std::size_t> escaped_;
    std::string_view after_quote_;
    std::size_t after_column_ = 0;
};

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/csv_scanner.ipp>
#endif
