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
    /// Character between columns, or `blanks`. Not a digit, '+', '-', '.' or a line end. A first line `sep=;` of Excel
    /// overrides it.
    char separator = ',';
    bool header = false;  ///< The first line holds the names of columns if true.
    /// The quotation mark. A field that begins with it ends at the next one and may contain separators and line breaks.
    /// Doubled, it stands for itself (RFC 4180). Inside other fields it is an ordinary character. Not a digit, '+',
    /// '-', '.', a line end, a blank or the separator. '\0': no quotes.
    char quote = '"';
    /// Lines that begin with this character are skipped. Not a digit, '+', '-', '.', a line end, a blank, the separator
    /// or the quotation mark. '\0': no comments.
    char comment = '\0';
    bool trim = true;                    ///< Ignores spaces and tabs around fields, outside quotes.
    std::vector<std::string> missing{};  ///< Texts of missing numbers, read as NaN: "", "?", "NA".
    bool non_finite = false;             ///< Reads inf and nan as numbers, too, if true.
    char decimal = '.';                  ///< Decimal mark: '.' or ',', but not the separator.
    /// Mark between groups of three digits: '.', ',' (in quotes if it separates columns), '\'' or ' '. It differs from
    /// `decimal` and `quote`. '\0': none.
    char thousands = '\0';
    bool doubles = false;         ///< Reads numbers as double if true, for networks of double.
    bool skip_malformed = false;  ///< Skips and counts lines with another number of columns.
    std::size_t skip_lines = 0;   ///< Lines to skip before the header or the first record.
    /// Limit of a field in bytes, from 1 to 2^30. A longer field throws DataError.
    std::size_t longest_field = std::size_t{1} << 20;
    /// Limit of all fields of a record in bytes, from 1 to 2^30.
    std::size_t longest_record = std::size_t{1} << 24;
    std::size_t most_columns = std::size_t{1} << 20;  ///< Limit of the number of columns, from 1 to 2^30.
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
