// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/reader/dates.hpp>

#include <time.h>

#include <chrono>
#include <string>

namespace sigma::data::detail {

SIGMA_IMPL std::optional<double> number_of_date(std::string_view text, const DateOptions& options) {
    const std::string whole(text);
    std::tm found{};
    found.tm_mday = 1;
    const char* const end = ::strptime(whole.c_str(), options.format.c_str(), &found);
    if (end == nullptr || end != whole.c_str() + whole.size()) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year(found.tm_year + 1900),
                                           std::chrono::month(static_cast<unsigned>(found.tm_mon + 1)),
                                           std::chrono::day(static_cast<unsigned>(found.tm_mday))};
    if (!date.ok() || found.tm_sec > 60) return std::nullopt;
    const std::chrono::sys_days day = date;
    const double hours = found.tm_hour + (found.tm_min + found.tm_sec / 60.0) / 60.0;
    const auto number = [](auto x) { return static_cast<double>(x); };
    switch (options.part) {
        case DatePart::days: return number(static_cast<double>(day.time_since_epoch().count()) + hours / 24);
        case DatePart::year: return number(static_cast<int>(date.year()));
        case DatePart::month: return number(static_cast<unsigned>(date.month()));
        case DatePart::day: return number(static_cast<unsigned>(date.day()));
        case DatePart::weekday: return number(std::chrono::weekday(day).iso_encoding() - 1);
        case DatePart::day_of_year: return number((day - std::chrono::sys_days(date.year() / 1 / 1)).count() + 1);
        case DatePart::hour: return number(hours);
    }
    return std::nullopt;
}

}  // namespace sigma::data::detail
