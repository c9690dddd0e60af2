// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/storage/utf8.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sigma::data {

/// As CsvFormat::separator: each run of spaces and tabs parts two columns; those at the ends of a line part none.
inline constexpr char blanks = '\0';

/// How a table is written. Blank lines are skipped, lines end with LF, CRLF or CR, and a byte-order mark is passed
/// over.
struct CsvFormat {
    char separator = ',';
    bool header = false;  ///< the first line holds the names of columns
    /// Fields that begin with it end at the next one and may hold separators and line breaks; doubled, it stands for
    /// itself (RFC 4180). In other fields it is a character like others. '\0': there is none.
    char quote = '"';
    char comment = '\0';                 ///< lines that begin with it are skipped; '\0': there are none
    bool trim = true;                    ///< spaces and tabs around fields, outside quotes, do not count
    std::vector<std::string> missing{};  ///< texts that stand for a missing number, which is read as NaN: "", "?", "NA"
    bool non_finite = false;             ///< inf and nan are numbers, too
    bool skip_malformed = false;  ///< lines that have not as many columns as the first are counted and passed over
    std::size_t skip_lines = 0;   ///< before the header or the first record
    std::size_t longest_field = std::size_t{1} << 20;   ///< bytes; more are refused, as are more in:
    std::size_t longest_record = std::size_t{1} << 24;  ///< bytes of all fields together
    std::size_t most_columns = std::size_t{1} << 20;
};

namespace detail {

/// Throws ArgumentError where two characters of the format have the same meaning, or cannot have theirs.
inline void check(const CsvFormat& format) {
    const auto fail = [](std::string_view what, char c, std::string_view expected) {
        throw ArgumentError(sentence("CsvFormat::", what), std::string(expected),
                            storage::quotation(std::string_view(&c, 1)));
    };
    constexpr std::string_view numbers = "0123456789+-.\r\n";
    if (format.separator != blanks && numbers.find(format.separator) != std::string_view::npos)
        fail("separator", format.separator, "a character that is in no number and ends no line");
    if (format.quote != '\0' && (numbers.find(format.quote) != std::string_view::npos || format.quote == ' ' ||
                                 format.quote == '\t' || format.quote == format.separator))
        fail("quote", format.quote, "a character that is in no number, is no blank and does not separate");
    if (format.comment != '\0' &&
        (numbers.find(format.comment) != std::string_view::npos || format.comment == ' ' || format.comment == '\t' ||
         format.comment == format.separator || format.comment == format.quote))
        fail("comment", format.comment,
             "a character that is in no number, is no blank, does not separate and is no quote");
    constexpr std::size_t most = std::size_t{1} << 30;
    for (const std::size_t limit : {format.longest_field, format.longest_record, format.most_columns})
        if (limit == 0 || limit > most)
            throw ArgumentError("limit of CsvFormat", sentence("a number from 1 to ", most), sentence(limit));
}

/// All that the meaning of a file's bytes depends on; part of the keys of caches.
inline std::string text(const CsvFormat& format) {
    std::string all =
        sentence("separator ", int{format.separator}, " header ", int{format.header}, " quote ", int{format.quote},
                 " comment ", int{format.comment}, " trim ", int{format.trim}, " non_finite ", int{format.non_finite},
                 " skip ", int{format.skip_malformed}, " ", format.skip_lines, " missing");
    for (const std::string& name : format.missing) all += sentence(" ", name.size(), ":", name);
    return all;
}

}  // namespace detail

}  // namespace sigma::data
