// SPDX-License-Identifier: BSL-1.0
#include <time.h>
#include <sigma/core/philox.hpp>
#include <sigma/data/data.hpp>

#include <array>
#include <clocale>
#include <cmath>
#include <optional>
#include <string>

#include "../support.hpp"

using namespace sigma;
using namespace sigma::data;

namespace {

/// As a table has it; nothing where it is refused.
std::optional<double> number(const std::string& format, const std::string& text, DatePart part = DatePart::days) {
    const auto column = date(0, {.format = format, .part = part});
    try {
        const Dataset read = csv(memory(text + "|1\n", "x.csv"), {.separator = '|', .trim = false, .doubles = true}) >>
                             sections(inputs = column, targets = data::column(1)) >> dataset("x");
        return read.inputs<double>()(0, 0);
    } catch (const DataError&) { return std::nullopt; }
}

std::string format_error(const std::string& format, DatePart part = DatePart::days) {
    return error_text([&] { date(0, {.format = format, .part = part}); });
}

constexpr double day = 18720;  // 2021-04-03, a Saturday

}  // namespace

TEST_CASE("A year has as many digits as its format says") {
    CHECK(number("%Y-%m-%d", "2021-04-03") == day);
    CHECK(number("%Y-%m-%d", "2021-4-3") == day);
    CHECK(number("%Y-%m-%d", " 2021-04-03") == day);
    CHECK(number("%Y-%m-%d", "0021-04-03") == -711765);
    CHECK(number("%Y%m%d", "20210403") == day);
    for (const char* text : {"21-04-03", "021-04-03", "12021-04-03", "+2021-04-03", "-2021-04-03", "2021-04-03 ", ""})
        CHECK_FALSE(number("%Y-%m-%d", text));
    CHECK_FALSE(number("%Y%m%d", "210403"));
    CHECK_FALSE(number("%d.%m.%Y", "03.04.21"));
    CHECK(number("%d.%m.%y", "03.04.21") == day);
    CHECK(number("%d.%m.%y", "03.04.69") == -273);
    CHECK(number("%d.%m.%y", "03.04.68") == 35887);
    CHECK_FALSE(number("%d.%m.%y", "03.04.1"));
    CHECK_FALSE(number("%d.%m.%y", "03.04.2021"));
}

TEST_CASE("Parts that a format lacks are the first, parts that it has twice agree") {
    CHECK(number("%Y", "2021") == 18628);
    CHECK(number("%m/%Y", "04/2021") == 18718);
    CHECK(number("%a %d %b %Y", "Sat 03 Apr 2021") == day);
    CHECK_FALSE(number("%a %d %b %Y", "Sun 03 Apr 2021"));
    CHECK(number("%Y-%m-%d %j", "2021-04-03 093") == day);
    CHECK_FALSE(number("%Y-%m-%d %j", "2021-04-03 094"));
    CHECK(number("%d %d %m %Y", "3 03 4 2021") == day);
    CHECK_FALSE(number("%d %d %m %Y", "3 04 4 2021"));
    CHECK(number("%H %I%p", "15 3pm", DatePart::hour) == 15);
    CHECK_FALSE(number("%H %I%p", "15 4pm", DatePart::hour));
    CHECK(number("%F week %V of %G", "2021-01-02 week 53 of 2020") == 18629);
    CHECK_FALSE(number("%F week %V of %G", "2021-01-02 week 53 of 2021"));
    CHECK(number("%b", "sep", DatePart::month) == 9);
    CHECK(number("%d.%m.", "29.02.", DatePart::day) == 29);  // some year has it
    CHECK(number("%A", "FRIDAY", DatePart::weekday) == 4);
    CHECK(number("%j", "366", DatePart::day_of_year) == 366);
}

TEST_CASE("Days of a year and weeks are days") {
    CHECK(number("%Y-%j", "2021-093") == day);
    CHECK(number("%Y-%j", "2020-366") == 18627);
    CHECK_FALSE(number("%Y-%j", "2021-366"));
    CHECK_FALSE(number("%Y-%j", "2021-0"));
    CHECK(number("%G-W%V-%u", "2021-W13-6") == day);
    CHECK(number("%G-W%V-%u", "2020-W53-6") == 18629);
    CHECK(number("%G-W%V", "2021-W13") == day - 5);
    CHECK_FALSE(number("%G-W%V-%u", "2021-W53-1"));
    CHECK_FALSE(number("%G-W%V-%u", "2021-W13-0"));
    CHECK(number("%Y-%U-%w", "2021-13-6") == day);
    CHECK(number("%Y-%W-%a", "2021-13-Sat") == day);
    CHECK_FALSE(number("%Y-%U-%w", "2021-53-6"));
    CHECK_FALSE(number("%Y-%U-%w", "2021-00-0"));
    // Whatever the C library writes is read.
    PhiloxSequence random{Philox(5)};
    for (int round = 0; round < 500; ++round) {
        const auto at = static_cast<::time_t>(random.bits() % 7'000'000'000) - 2'000'000'000;
        std::tm broken{};
        ::gmtime_r(&at, &broken);
        const double days = static_cast<double>(at) / 86400;
        for (const char* format : {"%Y-%m-%d", "%Y %j", "%G %V %u", "%Y %U %w", "%Y %W %a", "%A, %d %B %Y", "%F %T",
                                   "%D %r", "%s", "%d %b %Y %H:%M:%S %z", "%Y-%j %R:%S", "%e. %h %Y"}) {
            std::array<char, 80> text{};
            std::strftime(text.data(), text.size(), format, &broken);
            const std::string_view f(format);
            const bool time = f == "%s" || f.find('T') != f.npos || f.find('r') != f.npos || f.find('S') != f.npos;
            if (f.starts_with("%D") && (days < -273 || days >= 36159)) continue;  // of two digits
            INFO(format << ": " << text.data());
            REQUIRE(number(format, text.data()) == (time ? days : std::floor(days)));
        }
    }
}

TEST_CASE("Dates with an offset are those of UTC") {
    CHECK(number("%Y-%m-%d %H:%M %z", "2021-04-03 12:00 +0200") == Approx(day + 10 / 24.0).epsilon(1e-15));
    CHECK(number("%Y-%m-%d %H:%M %z", "2021-04-03 23:00 -0500") == Approx(day + 28 / 24.0).epsilon(1e-15));
    CHECK(number("%Y-%m-%dT%H:%M:%S%z", "2021-04-03T12:00:00Z") == day + 0.5);
    CHECK(number("%FT%T%z", "2021-04-03T12:00:00+12:00") == day);
    CHECK(number("%F%z", "2021-04-03-06") == day + 0.25);
    CHECK(number("%F %R %z", "2021-04-03 23:00 -0500", DatePart::day) == 4);
    CHECK(number("%F %R %z", "2021-04-03 23:00 -0500", DatePart::weekday) == 6);
    CHECK(number("%R%z", "01:30+0200", DatePart::hour) == 23.5);
    for (const char* wrong : {"", "0200", "+2", "+02:", "+02:0", "+0260", "+2400", "CET", "+02000"})
        CHECK_FALSE(number("%F %R %z", "2021-04-03 12:00 " + std::string(wrong)));
}

TEST_CASE("Seconds since 1970 are those of UTC, wherever the program runs") {
    const char* const before = std::getenv("TZ");
    const std::string kept = before == nullptr ? "" : before;
    for (const char* zone : {"UTC", "America/New_York", "EST5"}) {
        setenv("TZ", zone, 1);
        ::tzset();
        CHECK(number("%s", "1617444000") == Approx(day + 10 / 24.0).epsilon(1e-15));
        CHECK(number("%s", "1617444000", DatePart::hour) == 10);
        CHECK(number("%s", "-86400") == -1);
        CHECK(number("%F %R", "2021-04-03 12:00") == day + 0.5);
    }
    before == nullptr ? unsetenv("TZ") : setenv("TZ", kept.c_str(), 1);
    ::tzset();
    CHECK_FALSE(number("%s", "1617444000.5"));
    CHECK_FALSE(number("%s", "161744400000"));
}

TEST_CASE("Hours go from 0 to 23, and those of 12 have their half of the day") {
    CHECK(number("%m/%d/%y %I:%M %p", "04/03/21 12:00 AM") == day);
    CHECK(number("%m/%d/%y %I:%M %p", "04/03/21 12:00 pm") == day + 0.5);
    CHECK(number("%m/%d/%y %I:%M %p", "04/03/21 06:00 PM") == day + 0.75);
    CHECK_FALSE(number("%m/%d/%y %I:%M %p", "04/03/21 13:00 PM"));
    CHECK_FALSE(number("%F %T", "2021-04-03 24:00:00"));
    CHECK_FALSE(number("%F %T", "2021-04-03 12:60:00"));
    CHECK_FALSE(number("%F %T", "2021-04-03 12:00:61"));
    CHECK_FALSE(number("%F %T", "2021-04-03 12:00:00.5"));
    CHECK(number("%F %T", "2021-04-03 23:59:60") == day + 1);  // a leap second
    CHECK(number("%H:%M", "12:30", DatePart::hour) == 12.5);
    CHECK(number("%n%F%t100%%", "  2021-04-03 100%") == day);
}

TEST_CASE("Names of months and days are English in every locale") {
    const std::string before = std::setlocale(LC_ALL, nullptr);
    for (const char* locale : {"C", "C.UTF-8", "de_DE.UTF-8", "fr_FR.UTF-8"}) {
        if (std::setlocale(LC_ALL, locale) == nullptr) continue;
        INFO(locale);
        CHECK(number("%b %d %Y", "Apr 3 2021") == day);
        CHECK(number("%B %d %Y", "april 03 2021") == day);
        CHECK(number("%B %d %Y", "May 03 2021") == day + 30);
        for (const char* text : {"3. M\u00E4rz 2021", "3. Mai 2021", "3. Apri 2021", "3. Sept 2021"})
            CHECK_FALSE(number("%d. %B %Y", text));
    }
    std::setlocale(LC_ALL, before.c_str());
}

TEST_CASE("A format that is not understood whole is refused") {
    CHECK(format_error("") == "date: expected a format such as %Y-%m-%d, found none");
    CHECK(format_error("%Q") ==
          "date: expected a format of %Y %y %m %d %e %j %H %I %M %S %u %w %G %V %U %W %b %B %h %a %A %p %z %s %n %t %F "
          "%D "
          "%T %R %r %%, found '%Q'");
    for (const char* other : {"%x", "%X", "%c", "%Z", "%C", "%k", "%l", "%P", "%E", "%Ey", "%Od", "%+", "%"})
        CHECK(format_error(std::string("%Y-%m-%d ") + other)
                  .ends_with(sentence(", found '", std::string(other).substr(0, 2), "'")));
    CHECK(format_error("%H:%M") == "date: expected a format with the day, found '%H:%M'");
    for (const char* no_day : {"x", "%j", "%d", "%m-%d", "%Y-%d", "%a", "%V", "%m %V"}) {
        INFO(no_day);
        CHECK(format_error(no_day) != "no error");
    }
    CHECK(format_error("%m-%d", DatePart::year) == "date: expected a format with the year, found '%m-%d'");
    CHECK(format_error("%H", DatePart::month) == "date: expected a format with the month, found '%H'");
    CHECK(format_error("%m", DatePart::day) == "date: expected a format with the day of the month, found '%m'");
    CHECK(format_error("%d", DatePart::weekday) == "date: expected a format with the day of the week, found '%d'");
    CHECK(format_error("%d", DatePart::day_of_year) == "date: expected a format with the day of the year, found '%d'");
    CHECK(format_error("%F", DatePart::hour) == "date: expected a format with the hour, found '%F'");
    CHECK(format_error("%F %I:%M") == "date: expected a format with %I and %p together, found '%F %I:%M'");
    CHECK(format_error("%F %p") == "date: expected a format with %I and %p together, found '%F %p'");
    CHECK(format_error("%s %z") == "date: expected a format with %s alone, found '%s %z'");
    for (const char* week : {"%Y-%U", "%Y-W%V-%u", "%G-%u"})
        CHECK(format_error(week) ==
              sentence("date: expected a format with the year and the day of its week, found '", week, "'"));
}
