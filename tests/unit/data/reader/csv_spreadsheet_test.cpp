// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/philox.hpp>
#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/csv.hpp>

#include "csv_support.hpp"

using namespace sigma;
using namespace sigma::data;

namespace {

std::vector<float> numbers(const std::string& text, const CsvFormat& format, int last = 1,
                           std::size_t chunk = 1 << 20) {
    return all_of(csv(text_source(text, chunk), format) >> sections(inputs = columns(0, last))).values[0].floats();
}
std::string refusal(const std::string& text, const CsvFormat& format) {
    return error_text([&] { numbers(text, format, 0); });
}

/// A text of UTF-8 as UTF-16 with its mark.
std::string utf16(std::string_view text, bool big) {
    std::string all = big ? "\xFE\xFF" : "\xFF\xFE";
    const auto unit = [&](std::uint32_t u) {
        const char high = static_cast<char>(u >> 8), low = static_cast<char>(u & 0xFF);
        all += big ? high : low;
        all += big ? low : high;
    };
    for (std::size_t i = 0; i < text.size(); i += storage::utf8_length(text.substr(i))) {
        const std::uint32_t c = storage::utf8_character(text.substr(i));
        if (c >= 0x10000) unit(0xD800 + ((c - 0x10000) >> 10));
        unit(c < 0x10000 ? c : 0xDC00 + ((c - 0x10000) & 0x3FF));
    }
    return all;
}

}  // namespace

TEST_CASE("Numbers may have a decimal comma and groups of digits") {
    const CsvFormat german{.separator = ';', .decimal = ',', .thousands = '.'};
    CHECK(numbers("1,5;-0,25\n1.234.567,5;+,5\n1e3;2,5e-1\n", german) ==
          std::vector<float>{1.5f, -0.25f, 1234567.5f, 0.5f, 1000, 0.25f});
    CHECK(numbers("\"1,234.5\",2\n12,3\n", {.thousands = ','}) == std::vector<float>{1234.5f, 2, 12, 3});
    CHECK(numbers("1'234.5;1234\n", {.separator = ';', .thousands = '\''}) == std::vector<float>{1234.5f, 1234});
    CHECK(numbers("1 234,5;12\n", {.separator = ';', .decimal = ',', .thousands = ' '}) ==
          std::vector<float>{1234.5f, 12});
    CHECK(numbers("1,5 -2,5\n", {.separator = blanks, .decimal = ','}) == std::vector<float>{1.5f, -2.5f});
    CHECK(numbers("1,5\tNA\n", {.separator = '\t', .missing = {"NA"}, .decimal = ','})[0] == 1.5f);
    CHECK(numbers("inf;1\n", {.separator = ';', .non_finite = true, .decimal = ','})[0] ==
          std::numeric_limits<float>::infinity());
    CHECK(numbers("1.023;10.000.000\n", german) == std::vector<float>{1023, 1e7f});
    // What begins with 0 is a fraction with a decimal point that somebody took for the sign between groups.
    for (const std::string wrong : {"0.123", "-0.123", "00.123", "012.345", "000.123", "0.123.456", "0.123,5"})
        CHECK(refusal(wrong + "\n", german) ==
              sentence("file 'x.csv', line 1, column 1: expected a finite number, found '", wrong, "'"));
    for (const std::string wrong : {"1.5", "1,5,5", "1.23,5", "1.2345", "1234.567", ".123", "1..234", "1,234.567", "1.",
                                    "1.234.", "1,5.", "12.34e5", "-.123"})
        CHECK(refusal(wrong + "\n", german) ==
              sentence("file 'x.csv', line 1, column 1: expected a finite number, found '", wrong, "'"));
    CHECK(refusal("1.5\n", {.separator = ';', .decimal = ','}).ends_with("found '1.5'"));
    CHECK(refusal("3,5e38\n", german)
              .ends_with("a number of at most 3.4e38, the largest float, or {.doubles = true}, found '3,5e38'"));
    CHECK(refusal("1.000e400\n", german).ends_with("the largest double, found '1.000e400'"));
    const auto table = read_table(text_source("a;b\n1,5;x\n1.000;y\n"),
                                  {.separator = ';', .header = true, .decimal = ',', .thousands = '.'});
    CHECK(table["a"].numbers == std::vector<double>{1.5, 1000});
    // The same numbers, whatever they look like.
    PhiloxSequence random{Philox(9)};
    for (int round = 0; round < 2000; ++round) {
        std::string usual = random.bits() % 2 == 0 ? "-" : "", other = usual,
                    integer = sentence(random.bits() % 100'000'000);
        usual += integer;
        for (std::size_t i = 0; i < integer.size(); ++i) {
            if (i > 0 && (integer.size() - i) % 3 == 0) other += '.';
            other += integer[i];
        }
        const std::string rest = sentence(random.bits() % 1000, random.bits() % 3 == 0 ? "e-3" : "");
        usual += "." + rest;
        other += "," + rest;
        REQUIRE(numbers(other + "\n", german, 0) == numbers(usual + "\n", {.separator = ';'}, 0));
    }
}

TEST_CASE("Marks of numbers have one meaning") {
    const auto refused = [](const CsvFormat& format) { return error_text([&] { csv(text_source("1\n"), format); }); };
    CHECK(refused({.decimal = ','}) ==
          "CsvFormat::decimal: expected a point or a comma other than the separator, found ','");
    CHECK(refused({.separator = ';', .decimal = ';'}).starts_with("CsvFormat::decimal"));
    CHECK(refused({.separator = ';', .decimal = '5'}).starts_with("CsvFormat::decimal"));
    for (const char wrong : {'.', '5', 'x', '"'})
        CHECK(refused({.separator = ';', .thousands = wrong}).starts_with("CsvFormat::thousands"));
    CHECK(refused({.quote = '\0', .thousands = ','}).starts_with("CsvFormat::thousands"));
    CHECK(refused({.separator = blanks, .thousands = ' '}).starts_with("CsvFormat::thousands"));
    CHECK(refused({.separator = ';', .quote = '\'', .thousands = '\''}).starts_with("CsvFormat::thousands"));
    CHECK(data::detail::text({.separator = ';'}) != data::detail::text({.separator = ';', .decimal = ','}));
    CHECK(data::detail::text({.separator = ';'}) != data::detail::text({.separator = ';', .thousands = ','}));
}

TEST_CASE("A first line sep= names the separator, as Excel does") {
    for (const std::string end : {"\n", "\r\n", "\r"})
        for (const std::string mark : {"", "\uFEFF"})
            for (const std::size_t chunk : {1u, 3u, 1000u}) {
                const std::string text = sentence(mark, "sep=;", end, "1;2", end, "3;4", end);
                CHECK(numbers(text, {}, 1, chunk) == std::vector<float>{1, 2, 3, 4});
                CHECK(numbers(text, {.separator = ';', .skip_lines = 1}) == std::vector<float>{1, 2, 3, 4});
            }
    CHECK(numbers("sep=\t\n1\t2\n", {}) == std::vector<float>{1, 2});
    CHECK(numbers("sep=;\n1,5;2\n", {.separator = ';', .decimal = ','}) == std::vector<float>{1.5f, 2});
    CHECK(csv(text_source("sep=;\na;b\n1;2\n"), {.header = true}).names() == std::vector<std::string>{"a", "b"});
    CHECK(refusal("sep=;\n1;2\nx;3\n", {}) == "file 'x.csv', line 3, column 1: expected a finite number, found 'x'");
    CHECK(refusal("sep=5\n1\n", {}) ==
          "file 'x.csv', line 1: expected a character other than digits, '+', '-', '.' and line ends, found '5'");
    CHECK(refusal("sep=;", {}) ==
          "file 'x.csv', line 1, column 1: expected a finite number, found 'sep=;' (does the file "
          "need {.header = true}?)");
    CHECK(refusal("sep=;\n", {}) == "file 'x.csv': expected at least one record, found none");
    CHECK(numbers("sep=ab,2\n3,4\n", {.header = true}) == std::vector<float>{3, 4});  // the name of a column
}

TEST_CASE("Tables in UTF-16 are read by their byte-order mark") {
    const std::string text = "größe;\U0001F600\n1,5;2\n\u65E5;4\n";
    for (const bool big : {false, true})
        for (const std::size_t chunk : {1u, 2u, 3u, 1000u}) {
            const Source source = text_source(utf16(text, big), chunk);
            const auto table = read_table(source, {.separator = ';', .header = true, .decimal = ','});
            CHECK(table.columns[0].name == "größe");
            CHECK(table.columns[1].name == "\U0001F600");
            CHECK(table.columns[0].texts == std::vector<std::string>{"1,5", "\u65E5"});
            CHECK(table.columns[1].numbers == std::vector<double>{2, 4});
            CHECK(numbers(utf16("sep=;\r\n1;2\r\n", big), {}) == std::vector<float>{1, 2});
        }
    std::string many, expected;
    for (int i = 0; i < 40'000; ++i) many += "\U0001F600;1\n";  // pairs across the ends of blocks
    const auto long_one = read_table(text_source(utf16(many, false)), {.separator = ';'});
    CHECK(long_one.records == 40'000);
    CHECK(std::ranges::all_of(long_one.columns[0].texts, [](const std::string& t) { return t == "\U0001F600"; }));
    CHECK(refusal("\xFF\xFE", {}) == "file 'x.csv': expected at least one record, found none");
    const std::string head(
        "\xFF\xFE"
        "1\0\n\0",
        6);
    CHECK(refusal(head + "x", {}) ==
          "file 'x.csv', byte 6: expected a character of UTF-16, found half of one at the end of the file");
    CHECK(refusal(head + "\x3D\xD8", {}) ==
          "file 'x.csv', byte 6: expected a character of UTF-16, found half of a pair at the end of the file");
    CHECK(refusal(head + std::string("\x3D\xD8"
                                     "1\0",
                                     4),
                  {}) == "file 'x.csv', byte 6: expected a character of UTF-16, found half of a pair");
    CHECK(refusal(head + std::string("\x00\xDE", 2), {}) ==
          "file 'x.csv', byte 6: expected a character of UTF-16, found half of a pair");
}
