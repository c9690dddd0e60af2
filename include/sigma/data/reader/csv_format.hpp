// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/storage/utf8.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace sigma::data {

/// As CsvFormat::separator: each run of spaces and tabs parts two columns; those at the ends of a line part none.
inline constexpr char blanks = '\0';

/// How a table is written, in UTF-8, or in UTF-16 with a byte-order mark. Blank lines are skipped, lines end with LF,
/// CRLF or CR, and a byte-order mark is passed over.
struct CsvFormat {
    char separator = ',';  ///< a first line such as `sep=;`, which Excel writes, says otherwise
    bool header = false;   ///< the first line holds the names of columns
    /// Fields that begin with it end at the next one and may hold separators and line breaks; doubled, it stands for
    /// itself (RFC 4180). In other fields it is a character like others. '\0': there is none.
    char quote = '"';
    char comment = '\0';                 ///< lines that begin with it are skipped; '\0': there are none
    bool trim = true;                    ///< spaces and tabs around fields, outside quotes, do not count
    std::vector<std::string> missing{};  ///< texts that stand for a missing number, which is read as NaN: "", "?", "NA"
    bool non_finite = false;             ///< inf and nan are numbers, too
    char decimal = '.';                  ///< or ',': 1,5
    char thousands =
        '\0';  ///< between groups of three digits: '.', ',' (where it separates columns, in quotes), '\'' or ' '
    bool doubles = false;         ///< numbers are read as doubles, for networks of double, else as floats
    bool skip_malformed = false;  ///< lines that have not as many columns as the first are counted and passed over
    std::size_t skip_lines = 0;   ///< before the header or the first record
    std::size_t longest_field = std::size_t{1} << 20;   ///< bytes; more are refused, as are more in:
    std::size_t longest_record = std::size_t{1} << 24;  ///< bytes of all fields together
    std::size_t most_columns = std::size_t{1} << 20;
};

namespace detail {

/// Are numbers written as in C++?
constexpr bool is_usual(const CsvFormat& format) { return format.decimal == '.' && format.thousands == '\0'; }

/// Throws ArgumentError where two characters of the format have the same meaning, or cannot have theirs.
void examine(const CsvFormat& format);

/// All that the meaning of a file's bytes depends on; part of the keys of caches.
std::string text(const CsvFormat& format);

}  // namespace detail

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/csv_format.ipp>
#endif
