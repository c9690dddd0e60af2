// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/reader/csv_format.hpp>

#include <string_view>

namespace sigma::data::detail {

SIGMA_IMPL void examine(const CsvFormat& format) {
    const auto fail = [](std::string_view what, char c, std::string_view expected) {
        throw ArgumentError(sentence("CsvFormat::", what), std::string(expected),
                            storage::quotation(std::string_view(&c, 1)));
    };
    constexpr std::string_view numbers = "0123456789+-.\r\n";
    if (format.separator != blanks && numbers.find(format.separator) != std::string_view::npos)
        fail("separator", format.separator, "a character other than digits, '+', '-', '.' and line ends");
    if (format.quote != '\0' && (numbers.find(format.quote) != std::string_view::npos || format.quote == ' ' ||
                                 format.quote == '\t' || format.quote == format.separator))
        fail("quote", format.quote,
             "a character other than digits, '+', '-', '.', line ends, blanks and the separator");
    if (format.comment != '\0' &&
        (numbers.find(format.comment) != std::string_view::npos || format.comment == ' ' || format.comment == '\t' ||
         format.comment == format.separator || format.comment == format.quote))
        fail("comment", format.comment,
             "a character other than digits, '+', '-', '.', line ends, blanks, the separator and the quote");
    if ((format.decimal != '.' && format.decimal != ',') || format.decimal == format.separator)
        fail("decimal", format.decimal, "a point or a comma other than the separator");
    if (format.thousands != '\0' &&
        (std::string_view(".,' ").find(format.thousands) == std::string_view::npos ||
         format.thousands == format.decimal || (format.thousands == format.separator && format.quote == '\0') ||
         (format.separator == blanks && format.thousands == ' ') || format.thousands == format.quote))
        fail("thousands", format.thousands,
             "a point, a comma, an apostrophe or a space with no other meaning, or none");
    constexpr std::size_t most = std::size_t{1} << 30;
    for (const std::size_t limit : {format.longest_field, format.longest_record, format.most_columns})
        if (limit == 0 || limit > most)
            throw ArgumentError("limit of CsvFormat", sentence("a number from 1 to ", most), sentence(limit));
}

SIGMA_IMPL std::string text(const CsvFormat& format) {
    std::string all =
        sentence("separator ", int{format.separator}, " header ", int{format.header}, " quote ", int{format.quote},
                 " comment ", int{format.comment}, " trim ", int{format.trim}, " non_finite ", int{format.non_finite},
                 " skip ", int{format.skip_malformed}, " ", format.skip_lines, " doubles ", int{format.doubles},
                 " decimal ", int{format.decimal}, " thousands ", int{format.thousands}, " missing");
    for (const std::string& name : format.missing) all += sentence(" ", name.size(), ":", name);
    return all;
}

}  // namespace sigma::data::detail
