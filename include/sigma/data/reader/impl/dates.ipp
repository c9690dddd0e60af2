// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/data/reader/dates.hpp>
#include <sigma/storage/utf8.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <span>
#include <string>

// Not strptime: it takes names of months from the locale, any number of digits for a year, and passes over zones and
// weeks.
namespace sigma::data::detail {

/// What a text says of a date, or which of it a format says.
struct DateFields {
    enum Field {
        year,
        month,
        day,
        weekday,
        day_of_year,
        iso_year,
        iso_week,
        sunday_week,
        monday_week,
        hour,
        hour_of_12,
        afternoon,
        minute,
        second,
        offset,
        since_1970,
    };
    std::array<std::optional<long long>, since_1970 + 1> of{};

    /// False where it was another number before.
    bool set(Field field, long long value) {
        if (of[field]) return *of[field] == value;
        of[field] = value;
        return true;
    }
    bool has(Field field) const { return of[field].has_value(); }
    long long get(Field field, long long otherwise) const { return of[field].value_or(otherwise); }
    /// Whether what is said agrees.
    bool agrees(Field field, long long value) const { return get(field, value) == value; }
};

/// A conversion that is a number of `digits` digits at most, or of just as many.
struct DateNumber {
    char letter;
    DateFields::Field field;
    int digits;
    bool exact;
    long long least, most;
};

inline constexpr auto date_numbers = [] {
    using enum DateFields::Field;
    return std::array{
        DateNumber{'Y', year, 4, true, 0, 9999},       DateNumber{'y', year, 2, true, 0, 99},
        DateNumber{'m', month, 2, false, 1, 12},       DateNumber{'d', day, 2, false, 1, 31},
        DateNumber{'e', day, 2, false, 1, 31},         DateNumber{'j', day_of_year, 3, false, 1, 366},
        DateNumber{'H', hour, 2, false, 0, 23},        DateNumber{'I', hour_of_12, 2, false, 1, 12},
        DateNumber{'M', minute, 2, false, 0, 59},      DateNumber{'S', second, 2, false, 0, 60},
        DateNumber{'u', weekday, 1, true, 1, 7},       DateNumber{'w', weekday, 1, true, 0, 6},
        DateNumber{'G', iso_year, 4, true, 0, 9999},   DateNumber{'V', iso_week, 2, false, 1, 53},
        DateNumber{'U', sunday_week, 2, false, 0, 53}, DateNumber{'W', monday_week, 2, false, 0, 53},
    };
}();

inline constexpr std::array<std::string_view, 12> month_names{"january",   "february", "march",    "april",
                                                              "may",       "june",     "july",     "august",
                                                              "september", "october",  "november", "december"};
inline constexpr std::array<std::string_view, 7> weekday_names{"monday", "tuesday",  "wednesday", "thursday",
                                                               "friday", "saturday", "sunday"};

/// What a conversion stands for; nothing where it is none of these.
constexpr std::string_view spelled_date(char letter) {
    switch (letter) {
        case 'F': return "%Y-%m-%d";
        case 'D': return "%m/%d/%y";
        case 'T': return "%H:%M:%S";
        case 'R': return "%H:%M";
        case 'r': return "%I:%M:%S %p";
        default: return {};
    }
}

constexpr bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

SIGMA_IMPL void skip_blanks(std::string_view& text) {
    while (!text.empty() && is_blank(text[0])) text.remove_prefix(1);
}

/// Takes a number from the front; false where there is none in these bounds.
SIGMA_IMPL bool take_number(std::string_view& text, int most_digits, bool exact, long long& value) {
    value = 0;
    int digits = 0;
    for (; digits < most_digits && !text.empty() && text[0] >= '0' && text[0] <= '9'; ++digits) {
        value = 10 * value + (text[0] - '0');
        text.remove_prefix(1);
    }
    return exact ? digits == most_digits : digits > 0;
}

/// Takes a name, or its first three letters, in whatever case; its number, or -1.
SIGMA_IMPL int take_name(std::string_view& text, std::span<const std::string_view> names) {
    for (std::size_t i = 0; i < names.size(); ++i)
        for (const std::string_view name : {names[i], names[i].substr(0, 3)}) {
            const auto same = [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b + ('a' - 'A') : b); };
            if (text.size() < name.size() || !std::ranges::equal(name, text.substr(0, name.size()), same)) continue;
            text.remove_prefix(name.size());
            return static_cast<int>(i);
        }
    return -1;
}

/// Z, +02, +0200 or +02:00, as seconds.
SIGMA_IMPL bool take_offset(std::string_view& text, long long& seconds) {
    if (text.empty()) return false;
    const char sign = text[0];
    text.remove_prefix(1);
    seconds = 0;
    if (sign == 'Z' || sign == 'z') return true;
    long long hours = 0, minutes = 0;
    if ((sign != '+' && sign != '-') || !take_number(text, 2, true, hours) || hours > 23) return false;
    const bool colon = text.starts_with(':');
    if (colon) text.remove_prefix(1);
    const bool digit = !text.empty() && text[0] >= '0' && text[0] <= '9';
    if ((colon || digit) && (!take_number(text, 2, true, minutes) || minutes > 59)) return false;
    seconds = (sign == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
    return true;
}

/// One conversion at the front of the text.
SIGMA_IMPL bool take_conversion(char letter, std::string_view& text, DateFields& to) {
    using enum DateFields::Field;
    if (letter == 'n' || letter == 't') {
        skip_blanks(text);
        return true;
    }
    if (letter == '%') {
        const bool there = text.starts_with('%');
        if (there) text.remove_prefix(1);
        return there;
    }
    skip_blanks(text);
    long long value = 0;
    if (letter == 's') {
        const bool negative = text.starts_with('-');
        if (negative) text.remove_prefix(1);
        return take_number(text, 11, false, value) && to.set(since_1970, negative ? -value : value);
    }
    if (letter == 'z') return take_offset(text, value) && to.set(offset, value);
    if (letter == 'p') {
        constexpr std::array<std::string_view, 2> halves{"am", "pm"};
        const int half = take_name(text, halves);
        return half >= 0 && to.set(afternoon, half);
    }
    if (letter == 'b' || letter == 'B' || letter == 'h') {
        const int name = take_name(text, month_names);
        return name >= 0 && to.set(month, name + 1);
    }
    if (letter == 'a' || letter == 'A') {
        const int name = take_name(text, weekday_names);
        return name >= 0 && to.set(weekday, name);
    }
    const auto* const number = std::ranges::find(date_numbers, letter, &DateNumber::letter);
    if (!take_number(text, number->digits, number->exact, value) || value < number->least || value > number->most)
        return false;
    if (letter == 'y') value += value < 69 ? 2000 : 1900;
    if (letter == 'u') value -= 1;
    if (letter == 'w') value = (value + 6) % 7;
    return to.set(number->field, value);
}

SIGMA_IMPL bool take_date(std::string_view format, std::string_view& text, DateFields& to) {
    for (std::size_t i = 0; i < format.size(); ++i) {
        if (is_blank(format[i])) {
            skip_blanks(text);
        } else if (format[i] != '%') {
            if (!text.starts_with(format[i])) return false;
            text.remove_prefix(1);
        } else if (const std::string_view spelled = spelled_date(format[++i]); !spelled.empty()) {
            if (!take_date(spelled, text, to)) return false;
        } else if (!take_conversion(format[i], text, to)) {
            return false;
        }
    }
    return true;
}

/// Which fields a format has; throws where it has what is not known here.
SIGMA_IMPL void add_date_fields(std::string_view format, DateFields& to) {
    using enum DateFields::Field;
    constexpr std::string_view others = "bBhaApzsntFDTRr%";
    for (std::size_t i = 0; i < format.size(); ++i) {
        if (format[i] != '%') continue;
        const char letter = ++i < format.size() ? format[i] : '\0';
        const auto* const number = std::ranges::find(date_numbers, letter, &DateNumber::letter);
        if (number != date_numbers.end()) {
            to.of[number->field] = 1;
        } else if (letter == '\0' || others.find(letter) == others.npos) {
            std::string known;
            for (const DateNumber& each : date_numbers) known += sentence('%', each.letter, ' ');
            for (const char each : others) known += sentence('%', each, each == '%' ? "" : " ");
            throw ArgumentError("date", sentence("a format of ", known), storage::quotation(format.substr(i - 1, 2)));
        }
        if (letter == 'b' || letter == 'B' || letter == 'h') to.of[month] = 1;
        if (letter == 'a' || letter == 'A') to.of[weekday] = 1;
        if (letter == 'p') to.of[afternoon] = 1;
        if (letter == 'z') to.of[offset] = 1;
        if (letter == 's') to.of[since_1970] = 1;
        add_date_fields(spelled_date(letter), to);
    }
}

SIGMA_IMPL void check(const DateOptions& options) {
    using enum DateFields::Field;
    const std::string& format = options.format;
    if (format.empty()) throw ArgumentError("date", "a format such as %Y-%m-%d", "none");
    DateFields f;
    add_date_fields(format, f);
    const auto refuse = [&](const char* expected) {
        throw ArgumentError("date", sentence("a format ", expected), storage::quotation(format));
    };
    if (f.has(since_1970) && std::ranges::count_if(f.of, [](const auto& x) { return x.has_value(); }) > 1)
        refuse("in which %s stands alone");
    if (f.has(hour_of_12) != f.has(afternoon)) refuse("in which %I and %p go together");
    const bool weeks = f.has(sunday_week) || f.has(monday_week);
    const bool in_year = f.has(month) || f.has(day_of_year) || (weeks && f.has(weekday));
    if ((f.has(iso_year) != f.has(iso_week) || weeks) && !in_year) refuse("in which a week has its year and its day");
    const bool whole =
        f.has(since_1970) || (f.has(iso_year) && f.has(iso_week)) || (f.has(year) && (in_year || !f.has(day)));
    switch (options.part) {
        case DatePart::days:
            if (!whole) refuse("that tells the day");
            return;
        case DatePart::year:
            if (!whole && !f.has(year)) refuse("that tells the year");
            return;
        case DatePart::month:
            if (!whole && !f.has(month)) refuse("that tells the month");
            return;
        case DatePart::day:
            if (!whole && !f.has(day)) refuse("that tells the day of the month");
            return;
        case DatePart::weekday:
            if (!whole && !f.has(weekday)) refuse("that tells the day of the week");
            return;
        case DatePart::day_of_year:
            if (!whole && !f.has(day_of_year)) refuse("that tells the day of the year");
            return;
        case DatePart::hour:
            if (!f.has(hour) && !f.has(hour_of_12) && !f.has(since_1970)) refuse("that tells the hour");
            return;
    }
}

/// The Monday with which week 1 begins, the one that has January 4.
SIGMA_IMPL std::chrono::sys_days first_iso_week(std::chrono::year of) {
    const std::chrono::sys_days fourth = of / 1 / 4;
    return fourth - (std::chrono::weekday(fourth) - std::chrono::Monday);
}

/// The day that the fields tell; 2000 has all days that a year may have.
SIGMA_IMPL std::optional<std::chrono::sys_days> day_of(const DateFields& f) {
    using enum DateFields::Field;
    using std::chrono::days;
    const auto number = [&](DateFields::Field field, long long otherwise) {
        return static_cast<int>(f.get(field, otherwise));
    };
    const std::chrono::year of(number(year, 2000));
    const std::chrono::sys_days first = of / 1 / 1;
    std::chrono::sys_days found = first;
    if (f.has(month) || f.has(day)) {
        const auto date = of / number(month, 1) / number(day, 1);
        if (!date.ok()) return std::nullopt;
        found = date;
    } else if (f.has(day_of_year)) {
        found = first + days(number(day_of_year, 1) - 1);
    } else if (f.has(iso_week)) {
        found = first_iso_week(std::chrono::year(number(iso_year, 2000))) +
                days(7 * (number(iso_week, 1) - 1) + number(weekday, 0));
    } else if (f.has(sunday_week) || f.has(monday_week)) {
        // Week 1 begins with the first such day.
        const bool sunday = f.has(sunday_week);
        const auto begins = sunday ? std::chrono::Sunday : std::chrono::Monday;
        found = first + (begins - std::chrono::weekday(first)) +
                days(7 * (number(sunday ? sunday_week : monday_week, 1) - 1) + (number(weekday, 0) + sunday) % 7);
    } else if (f.has(weekday) && !f.has(year)) {
        found = first_iso_week(of) + days(number(weekday, 0));
    }
    return found;
}

/// Does the day say all that the fields say?
SIGMA_IMPL bool agrees(const DateFields& f, std::chrono::sys_days found) {
    using enum DateFields::Field;
    const std::chrono::year_month_day date = found;
    const std::chrono::weekday at(found);
    const auto since_monday = (at - std::chrono::Monday).count(), since_sunday = (at - std::chrono::Sunday).count();
    const auto of_year = (found - std::chrono::sys_days(date.year() / 1 / 1)).count();
    // The year that a week belongs to is that of its Thursday.
    const std::chrono::year week_year = std::chrono::year_month_day(found + std::chrono::days(3 - since_monday)).year();
    return f.agrees(year, static_cast<int>(date.year())) && f.agrees(month, static_cast<unsigned>(date.month())) &&
           f.agrees(day, static_cast<unsigned>(date.day())) && f.agrees(weekday, since_monday) &&
           f.agrees(day_of_year, of_year + 1) && f.agrees(iso_year, static_cast<int>(week_year)) &&
           f.agrees(iso_week, (found - first_iso_week(week_year)).count() / 7 + 1) &&
           f.agrees(sunday_week, (of_year + 7 - since_sunday) / 7) &&
           f.agrees(monday_week, (of_year + 7 - since_monday) / 7);
}

/// Seconds since 1970-01-01, in UTC.
SIGMA_IMPL std::optional<std::chrono::sys_seconds> second_of(const DateFields& f) {
    using enum DateFields::Field;
    using std::chrono::seconds;
    if (f.has(since_1970)) return std::chrono::sys_seconds(seconds(f.get(since_1970, 0)));
    const auto found = day_of(f);
    if (!found || !agrees(f, *found)) return std::nullopt;
    const long long of_12 = f.get(hour_of_12, 0) % 12 + 12 * f.get(afternoon, 0);
    if (f.has(hour_of_12) && !f.agrees(hour, of_12)) return std::nullopt;
    return *found + seconds(3600 * f.get(hour, of_12) + 60 * f.get(minute, 0) + f.get(second, 0) - f.get(offset, 0));
}

SIGMA_IMPL std::optional<double> number_of_date(std::string_view text, const DateOptions& options) {
    DateFields fields;
    if (!take_date(options.format, text, fields) || !text.empty()) return std::nullopt;
    const auto found = second_of(fields);
    if (!found) return std::nullopt;
    const auto day = std::chrono::floor<std::chrono::days>(*found);
    const std::chrono::year_month_day date = day;
    const auto number = [](auto x) { return static_cast<double>(x); };
    switch (options.part) {
        case DatePart::days: return number(found->time_since_epoch().count()) / 86400;
        case DatePart::year: return number(static_cast<int>(date.year()));
        case DatePart::month: return number(static_cast<unsigned>(date.month()));
        case DatePart::day: return number(static_cast<unsigned>(date.day()));
        case DatePart::weekday: return number(std::chrono::weekday(day).iso_encoding() - 1);
        case DatePart::day_of_year: return number((day - std::chrono::sys_days(date.year() / 1 / 1)).count() + 1);
        case DatePart::hour: return number((*found - day).count()) / 3600;
    }
    return std::nullopt;
}

}  // namespace sigma::data::detail
