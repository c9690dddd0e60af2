// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/error.hpp>
#include <sigma/core/number_text.hpp>

#include <catch2/catch.hpp>
#include <support/comma_locale.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using namespace sigma;

namespace {

std::string number(double x, int decimals = 3) {
    std::string text;
    detail::append_number(text, x, decimals);
    return text;
}
template <class X>
std::string exact(X x) {
    std::string text;
    detail::append_exact(text, x);
    return text;
}
template <class X>
X read(const std::string& text) {
    X x{};
    if constexpr (std::is_same_v<X, float>) CHECK(detail::read_front(text, x).length == text.size());
    else CHECK(detail::read_number(text, x));
    return x;
}
/// Reads a binary fraction by integers, because other functions depend on the locale or are missing in some libraries.
double read_binary(const std::string& text) {
    const bool negative = text[0] == '-';
    const std::size_t begin = negative ? 3 : 2, power = text.find('p'), point = std::min(text.find('.'), power);
    std::string digits = text.substr(begin, power - begin);
    if (point < power) digits.erase(point - begin, 1);
    const double size =
        std::ldexp(static_cast<double>(std::stoull(digits, nullptr, 16)),
                   std::stoi(text.substr(power + 1)) - 4 * static_cast<int>(begin + digits.size() - point));
    return negative ? -size : size;
}
template <class X>
bool same_bits(X a, X b) {
    return a == b && std::signbit(a) == std::signbit(b);
}
/// Returns the number of significant digits; integers may have zeros at the end.
int digits_of(std::string text) {
    text.resize(std::min(text.find('e'), text.size()));
    std::erase_if(text, [](char c) { return c < '0' || c > '9'; });
    text.erase(0, text.find_first_not_of('0'));
    text.resize(text.find_last_not_of('0') + 1);
    return static_cast<int>(text.size());
}
/// Runs a function again with a decimal comma.
template <class Check>
void in_each_locale(Check examine) {
    examine();
    const CommaLocale comma;
    examine();
}

}  // namespace

TEMPLATE_TEST_CASE("An exact number has few digits and gives its bits again, in every locale", "", float, double) {
    using X = TestType;
    using Bits = std::conditional_t<sizeof(X) == 4, std::uint32_t, std::uint64_t>;
    using Limits = std::numeric_limits<X>;
    std::vector<X> all{0, 1, X(0.1), X(1) / 3, X(1e5), X(1e-7), X(1e22), X(123456789)};
    for (const X x : {Limits::max(), Limits::min(), Limits::denorm_min(), Limits::epsilon(), Limits::infinity()})
        all.insert(all.end(), {x, std::nextafter(x, X(0))});
    std::mt19937_64 random(1);
    for (int i = 0; i < 1000; ++i) {
        all.push_back(std::bit_cast<X>(static_cast<Bits>(random())));
        all.push_back(std::bit_cast<X>(static_cast<Bits>(random() >> (64 - Limits::digits + 1))));  // no normal one
        all.push_back(static_cast<X>(std::ldexp(static_cast<double>(random() >> 11), -60)));        // from 0 to 1
        all.push_back(static_cast<X>(static_cast<std::int64_t>(random()) >> (i % 64)));             // whole
    }
    in_each_locale([&] {
        CHECK(exact(X(0.1)) == "0.1");
        CHECK(exact(X(-0.0)) == "-0");
        CHECK(exact(X(1e-7)) == "1e-07");
        CHECK(exact(-Limits::infinity()) == "-inf");
        for (const X size : all)
            for (const X x : {size, -size}) {
                const std::string text = exact(x);
                CHECK(text == sentence(x));
                if (std::isnan(x)) {
                    CHECK(text == "nan");
                    continue;
                }
                CHECK(same_bits(read<X>(text), x));
                if (!std::isfinite(x)) continue;
                CHECK(digits_of(text) <= Limits::max_digits10);
                CHECK(same_bits(static_cast<X>(read_binary(detail::binary_text(x))), x));
            }
    });
}

TEST_CASE("Whole numbers have all their digits") {
    CHECK(exact(0LL) == "0");
    CHECK(exact(LLONG_MIN) == "-9223372036854775808");
    CHECK(exact(ULLONG_MAX) == "18446744073709551615");
    CHECK(read<std::uint64_t>("18446744073709551615") == ULLONG_MAX);
    CHECK(sentence(std::int8_t{-3}, ' ', std::uint8_t{200}, ' ', true, ' ', 'x') == "-3 200 1 x");
}

TEST_CASE("What is no number, or not only one, is not read") {
    in_each_locale([] {
        double x = 7;
        for (const char* wrong : {"", "0,5", " 1", "1 ", "+1", "0x1p1", "one", "1e999"})
            CHECK_FALSE(detail::read_number(wrong, x));
        std::uint64_t n = 7;
        for (const char* wrong : {"", "-1", "1.", "1e3", "18446744073709551616"})
            CHECK_FALSE(detail::read_number(wrong, n));
    });
}

TEST_CASE("A number in front of a text is read as std::from_chars reads it, in every locale") {
    struct Case {
        std::string_view text;
        std::size_t length;
        double value;
    };
    const std::array all{Case{"1", 1, 1},
                         Case{"-0.5x", 4, -0.5},
                         Case{".5", 2, 0.5},
                         Case{"5.", 2, 5},
                         Case{"5.e1", 4, 50},
                         Case{"1e", 1, 1},
                         Case{"1e+", 1, 1},
                         Case{"1e-1-", 4, 0.1},
                         Case{"0x10", 1, 0},
                         Case{"1,5", 1, 1},
                         Case{"1E2", 3, 100},
                         Case{"1 ", 1, 1},
                         Case{"4.9e-324", 8, 4.9e-324},
                         Case{"INF", 3, HUGE_VAL},
                         Case{"-infinite", 4, -HUGE_VAL},
                         Case{"infinity", 8, HUGE_VAL}};
    in_each_locale([&] {
        for (const auto& [text, length, value] : all) {
            INFO(text);
            double x = 7;
            const detail::NumberInFront found = detail::read_front(text, x);
            CHECK(found.length == length);
            CHECK_FALSE(found.out_of_range);
            CHECK(same_bits(x, value));
        }
        double x = 7;
        for (const char* none : {"", "+1", " 1", "-", ".", "-.", "e5", ".e5", "x", "in", "--1"})
            CHECK(detail::read_front(none, x).length == 0);
        for (const std::string_view beyond : {"1e999", "-1e999", "1e-999", "0.001e-400"}) {
            const detail::NumberInFront found = detail::read_front(beyond, x);
            CHECK(found.out_of_range);
            CHECK(found.length == beyond.size());
        }
        float small = 7;
        CHECK(detail::read_front("1e39", small).out_of_range);
        CHECK(detail::read_front("1e-50", small).out_of_range);
        CHECK(small == 7);
        CHECK(x == 7);
        CHECK(detail::read_front("0e999", x).length == 5);
        CHECK(same_bits(x, 0.0));
        for (const std::string_view text : {"nan", "-NaN", "nan(0x1f)", "nan()"}) {
            x = 7;
            CHECK(detail::read_front(text, x).length == text.size());
            CHECK(std::isnan(x));
        }
        CHECK(detail::read_front("nan(1", x).length == 3);
    });
}

TEST_CASE("Numbers for people are as wide and as exact as asked for, in every locale") {
    in_each_locale([] {
        CHECK(detail::fixed_text(1234.5678, 2) == "1234.57");
        CHECK(detail::fixed_text(0.5, 1, 6) == "   0.5");
        CHECK(detail::fixed_text(-0.04, 1) == "-0.0");
        CHECK(detail::fixed_text(1e300, 0, 3).size() == 301);
        CHECK(detail::fixed_text(-DBL_MAX, 6).size() == 317);
        CHECK(detail::rounded_text(1.0 / 3) == "0.333333");
        CHECK(detail::rounded_text(1e30) == "1e+30");
        CHECK(detail::rounded_text(1234567) == "1.23457e+06");
        CHECK(number(1.5, 1) == "1.5");
    });
}

TEST_CASE("Hexadecimal digits are as many as asked for") {
    CHECK(detail::hexadecimal(0xc0ffee00c0ffee) == "00c0ffee00c0ffee");
    CHECK(detail::hexadecimal(~std::uint64_t{0}) == "ffffffffffffffff");
    std::string text = "\\x";
    detail::append_hexadecimal(text, 0x1f, 2);
    CHECK(text == "\\x1f");
    CHECK(detail::binary_text(-3) == "-0x1.8p+1");
    CHECK(detail::binary_text(0.0) == "0x0p+0");
}

TEST_CASE("Numbers of reports are short") {
    CHECK(number(0.21304) == "0.213");
    CHECK(number(0.9996) == "1.000");
    CHECK(number(0) == "0.000");
    CHECK(number(-12.3456) == "-12.346");
    CHECK(number(0.0213) == "0.021");
    CHECK(number(0.00213) == "2.13e-03");
    CHECK(number(-0.00002134) == "-2.13e-05");
    CHECK(number(999.4994) == "999.499");
    CHECK(number(999.6) == "1000");
    CHECK(number(123456.7) == "123457");
    CHECK(number(-5e20) == "-5.00e+20");
    CHECK(number(NAN) == "-");
    CHECK(number(INFINITY) == "inf");
    CHECK(number(-INFINITY) == "-inf");
    CHECK(number(0.96875, 1) == "1.0");
    CHECK(number(0.0213, 6) == "0.021300");
    for (int i = 0; i < 2000; ++i) {  // rounded as by printf, except near ties
        const double x = 0.5 + i * 0.1234567;
        std::array<char, 32> wanted{};
        std::snprintf(wanted.data(), wanted.size(), "%.3f", x);
        CHECK(number(x) == wanted.data());
    }
}

TEST_CASE("Numbers by a format are those of printf in the C locale") {
    const auto formatted = [](double x, detail::NumberFormat f) {
        std::string text = "|";
        detail::append_formatted(text, x, f);
        return text;
    };
    const auto printed = [](const char* format, double x) {
        std::array<char, 512> text{};
        std::snprintf(text.data(), text.size(), format, x);
        return std::string(text.data());
    };
    for (const double x : {0.0, 1.0, -1.0, 0.5, 2.0 / 3, -123456.789, 1e-9, 9.9995, 1e22, DBL_MAX, DBL_MIN}) {
        CHECK(formatted(x, {.letter = 'f', .digits = 4}) == printed("|%.4f", x));
        CHECK(formatted(x, {.letter = 'f'}) == printed("|%f", x));
        CHECK(formatted(x, {.letter = 'e', .width = 20, .digits = 3}) == printed("|%20.3e", x));
        CHECK(formatted(x, {.letter = 'g', .side = '<', .width = 20}) == printed("|%-20g", x));
        CHECK(formatted(x, {.letter = 'g', .plus = true, .zeros = true, .width = 14}) == printed("|%+014g", x));
        CHECK(formatted(x, {.letter = 'f', .zeros = true, .width = 14, .digits = 2}) == printed("|%014.2f", x));
    }
    CHECK(formatted(0.12345, {.letter = '%', .width = 8, .digits = 1}) == "|   12.3%");
    CHECK(formatted(7, {.letter = 'd', .zeros = true, .width = 3}) == "|007");
    CHECK(formatted(NAN, {.letter = 'f', .zeros = true, .width = 3}) == "|  -");
    CHECK(formatted(-INFINITY, {.letter = '%', .zeros = true, .width = 6}) == "|  -inf");
    CHECK(formatted(0.1234567, {}) == "|0.123");
}
