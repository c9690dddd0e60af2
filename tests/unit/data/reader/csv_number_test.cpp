// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/philox.hpp>
#include <sigma/data/reader/csv_number.hpp>

#include <catch2/catch.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <string>

namespace {

template <class T>
std::optional<T> number_before(const std::string& behind, const std::string& text, bool non_finite) {
    const std::string padded = text + behind;
    T value = -99;
    const auto field = std::string_view(padded).substr(0, text.size());
    const bool good = sigma::data::detail::parse_number(field, non_finite, value);
    if (!good) CHECK(value == -99);
    return good ? std::optional(value) : std::nullopt;
}

/// What stands behind does not matter: a separator, or characters that could belong to the number.
template <class T>
std::optional<T> number(const std::string& text, bool non_finite = false) {
    const auto found = number_before<T>(std::string(40, ','), text, non_finite);
    const auto other = number_before<T>("7e9.5-3123456789012345678901234567890123", text, non_finite);
    const auto bits = [](const std::optional<T>& value) {
        std::uint64_t all = value ? 0 : 1;
        if (value) std::memcpy(&all, &*value, sizeof(T));
        return all;
    };
    if (bits(found) != bits(other)) CHECK(found == other);
    return found;
}

template <class T>
void check_like_the_library(const std::string& text) {
    T expected;  // in the C locale
    if constexpr (sizeof(T) == sizeof(float)) expected = std::strtof(text.c_str(), nullptr);
    else expected = std::strtod(text.c_str(), nullptr);
    const auto found = number<T>(text);
    if (!found || std::memcmp(&*found, &expected, sizeof(T)) != 0) {  // CHECK alone would take seconds
        INFO(text);
        CHECK(found.value_or(-99) == expected);
        CHECK(false);
    }
}

}  // namespace

TEST_CASE("Numbers of tables are those of the C locale") {
    CHECK(number<float>("0") == 0.0f);
    CHECK(number<float>("-0") == 0.0f);
    CHECK(std::signbit(*number<float>("-0")));
    CHECK(number<float>("+1") == 1.0f);
    CHECK(number<float>("007") == 7.0f);
    CHECK(number<float>(".28") == 0.28f);
    CHECK(number<float>("3504.") == 3504.0f);
    CHECK(number<float>("-1.5E+3") == -1500.0f);
    CHECK(number<float>("1e-3") == 0.001f);
    CHECK(number<float>("12345678") == 12345678.0f);
    CHECK(number<double>("123456789012345") == 123456789012345.0);
    CHECK(number<double>("12345678901234567890") == 12345678901234567890.0);
    CHECK(number<double>("0.1234567890123456789") == 0.1234567890123456789);
    CHECK(number<float>("16777217") == 16777216.0f);          // between two floats: to the even one
    CHECK(number<float>("16777217.0000001") == 16777218.0f);  // a little above
    CHECK(number<float>("340282346638528859811704183484516925440") == std::numeric_limits<float>::max());
    CHECK(number<float>("1e-45") == std::numeric_limits<float>::denorm_min());
}

TEST_CASE("Numbers too small are 0, those too large are refused") {
    CHECK(number<float>("1e-60") == 0.0f);
    CHECK(number<double>("-1e-400") == 0.0);
    CHECK(number<double>("1e-99999999999999999999") == 0.0);
    CHECK(number<double>("0." + std::string(500, '0') + "1") == 0.0);
    CHECK(number<double>("0e9999") == 0.0);
    CHECK_FALSE(number<float>("1e39"));
    CHECK_FALSE(number<float>("3.5e38"));
    CHECK_FALSE(number<double>("1e400"));
    CHECK_FALSE(number<double>("1e+99999999999999999999"));
    CHECK_FALSE(number<double>("1" + std::string(400, '0')));
    CHECK_FALSE(number<double>("1" + std::string(400, '0') + "e-5"));
}

TEST_CASE("What is no number is refused") {
    for (const char* text :
         {"",      "-",   "+",   ".",  "-.", "e5",   "1e", "1e+",   "1e-", "--1", "+-1",       "-+1",
          "1.2.3", "1,5", "1 2", " 1", "1 ", "0x1A", "1f", "1_000", "abc", "1a",  "12345678x", "1234567890123456x",
          "1.5e3x"})
        CHECK_FALSE(number<float>(text));
    CHECK_FALSE(number<float>(std::string("1\0", 2)));
    CHECK_FALSE(number<float>("\xD9\xA1"));  // a digit, but not of ASCII
}

TEST_CASE("Infinity and NaN are read only where they are allowed") {
    for (const char* text : {"inf", "-inf", "Infinity", "nan", "NaN"}) CHECK_FALSE(number<float>(text));
    CHECK(number<float>("inf", true) == std::numeric_limits<float>::infinity());
    CHECK(number<float>("-Infinity", true) == -std::numeric_limits<float>::infinity());
    CHECK(std::isnan(*number<float>("NaN", true)));
    CHECK_FALSE(number<float>("1e99", true));
    CHECK_FALSE(number<float>("information", true));
}

TEST_CASE("Numbers are the nearest, as the standard library's") {
    sigma::PhiloxSequence random{sigma::Philox(5)};
    const char* const formats[] = {"%.6g", "%.9g", "%.17g", "%.3f", "%.8f", "%.0f", "%e", "%.12g", "%.15g"};
    char text[400];
    for (int i = 0; i < 60000; ++i) {
        const double scale = std::pow(10.0, static_cast<double>(random.bits() % 50) - 25);
        const double value = (static_cast<double>(random.bits() % 2000001) - 1e6) * scale +
                             static_cast<double>(random.bits() % 1000) * scale * 1e-9;
        std::snprintf(text, sizeof text, formats[i % 9], value);
        check_like_the_library<float>(text);
        check_like_the_library<double>(text);
        // Right between two floats, and a last digit away.
        const auto bits = static_cast<std::uint32_t>(random.bits() % 0x60000000 + 0x10000000);
        const double middle =
            (static_cast<double>(std::bit_cast<float>(bits)) + static_cast<double>(std::bit_cast<float>(bits + 1))) / 2;
        std::snprintf(text, sizeof text, i % 2 == 0 ? "%.17g" : "%.16g", middle);
        check_like_the_library<float>(text);
    }
    // Sixteen digits beside the middle between two floats, where going through a double may round twice.
    for (int i = 0; i < 60000; ++i) {
        const auto bits = static_cast<std::uint32_t>(random.bits() % 0x20000000 + 0x30000000);
        long double middle = (static_cast<long double>(std::bit_cast<float>(bits)) +
                              static_cast<long double>(std::bit_cast<float>(bits + 1))) /
                             2;
        int power = 0;
        for (; middle < 1e7L; --power) middle *= 10;
        for (; middle > 9e7L; ++power) middle /= 10;
        std::snprintf(text, sizeof text, "%.8Lfe%d", middle, power);
        check_like_the_library<float>(text);
    }
}
