// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace sigma::data {

/// What a number says of a date.
enum class DatePart {
    days,  ///< since 1970-01-01, with a fraction where the format has a time; a float knows it to 3 minutes, a double
           ///< to a microsecond
    year,
    month,        ///< 1 to 12
    day,          ///< of the month, 1 to 31
    weekday,      ///< 0, Monday, to 6
    day_of_year,  ///< 1 to 366
    hour,         ///< 0 to 24, with a fraction
};

/// How dates are written: "%d.%m.%Y %H:%M", by the conversions of POSIX' strptime that mean the same in every locale,
/// and %z, %s, %G, %V, %u. %Y has four digits, names of months (%b) and days are English. A date with an offset (%z) is
/// that of UTC.
struct DateOptions {
    std::string format = "%Y-%m-%d";
    DatePart part = DatePart::days;
};

namespace detail {

/// Throws ArgumentError where the format has what is not known here, or does not tell what `options.part` asks for.
void check(const DateOptions& options);

/// What `options.part` says of the date that is the whole text; nothing where it is none of that format, or no day of
/// the calendar (which is the Gregorian one at all times), or says two things that do not agree.
std::optional<double> number_of_date(std::string_view text, const DateOptions& options);

}  // namespace detail

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/dates.ipp>
#endif
