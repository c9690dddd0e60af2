// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// `CsvFormat`: separators, quotes, headers and numbers of tables. Included by `<sigma/data/data.hpp>`.

#include <sigma/core/error.hpp>
#include <sigma/storage/utf8.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace sigma::data {

/// The value of `CsvFormat::separator` for which each run of spaces and tabs separates two columns. Spaces and tabs at
/// the ends of a line separate none.
///
/// @see CsvFormat
inline constexpr char blanks = '\0';

/// The format of a table, in UTF-8, or in UTF-16 with a byte-order mark.
///
/// Lines end with LF, CRLF or CR. Blank lines and a byte-order mark are skipped.
///
/// @par Example
/// @code
/// const data::CsvFormat german{.separator = ';', .header = true, .decimal = ',', .thousands = '.'};
/// @endcode
///
/// @see csv, docs/csv.md
struct CsvFormat {
    char separator = ',';  ///< character between columns, or `blanks`. A first line `sep=;` of Excel overrides it
    bool header = false;   ///< true: the first line holds the names of columns
    /// The quotation mark. A field that begins with it ends at the next one and may contain separators and line breaks.
    /// Doubled, it stands for itself (RFC 4180). Inside other fields it is an ordinary character. '\0': no quotes.
    char quote = '"';
    char comment = '\0';                 ///< lines that begin with this character are skipped; '\0': no comments
    bool trim = true;                    ///< ignores spaces and tabs around fields, outside quotes
    std::vector<std::string> missing{};  ///< texts of missing numbers, read as NaN: "", "?", "NA"
    bool non_finite = false;             ///< true: inf and nan are numbers, too
    char decimal = '.';                  ///< decimal mark: '.' or ','
    char thousands =
        '\0';  ///< mark between groups of three digits: '.', ',' (in quotes if it separates columns), '\'' or ' '
    bool doubles = false;                               ///< true: reads numbers as double, for networks of double
    bool skip_malformed = false;                        ///< skips and counts lines with another number of columns
    std::size_t skip_lines = 0;                         ///< lines to skip before the header or the first record
    std::size_t longest_field = std::size_t{1} << 20;   ///< limit of a field, in bytes; more throws DataError
    std::size_t longest_record = std::size_t{1} << 24;  ///< limit of all fields of a record, in bytes
    std::size_t most_columns = std::size_t{1} << 20;    ///< limit of the number of columns
};

namespace detail {

/// Returns whether numbers are written as in C++.
constexpr bool is_usual(const CsvFormat& format) { return format.decimal == '.' && format.thousands == '\0'; }

/// Throws ArgumentError if two characters of the format have the same meaning, or one cannot have its meaning.
void examine(const CsvFormat& format);

/// Returns a text of everything that the meaning of the bytes depends on, for keys of caches.
std::string text(const CsvFormat& format);

}  // namespace detail

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/csv_format.ipp>
#endif
