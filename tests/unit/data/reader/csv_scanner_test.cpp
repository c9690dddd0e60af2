// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/philox.hpp>
#include <sigma/data/reader/csv_scanner.hpp>

#include "csv_support.hpp"

#include <ctime>

using namespace sigma::data;
using sigma::data::detail::CsvScanner;
using Rows = std::vector<std::vector<std::string>>;

namespace {

/// The stream gives, and the scanner keeps, so many bytes.
Rows rows(const std::string& text, const CsvFormat& format = {}, std::size_t chunk = std::size_t{1} << 17) {
    CsvScanner scanner(text_source(text, chunk).open(), "x.csv", format, chunk);
    Rows all;
    while (scanner.next()) all.emplace_back(scanner.fields().begin(), scanner.fields().end());
    return all;
}

}  // namespace

TEST_CASE("Tables are cut into fields") {
    CHECK(rows("a,b\nc,d\n") == Rows{{"a", "b"}, {"c", "d"}});
    CHECK(rows("a,b\r\nc,d") == Rows{{"a", "b"}, {"c", "d"}});
    CHECK(rows("a,b\rc,d\r") == Rows{{"a", "b"}, {"c", "d"}});
    CHECK(rows("\n\r\n \t\na,b\n\n\nc,d\n\n") == Rows{{"a", "b"}, {"c", "d"}});
    CHECK(rows("\xEF\xBB\xBF"
               "a,b\n") == Rows{{"a", "b"}});
    CHECK(rows(",\n,x\n\"\",\n") == Rows{{"", ""}, {"", "x"}, {"", ""}});
    CHECK(rows("\"\"\n") == Rows{{""}});
    CHECK(rows("a").at(0) == std::vector<std::string>{"a"});
    CHECK(rows("").empty());
    CHECK(rows("\xEF\xBB\xBF").empty());
    CHECK(rows(" a b ,\t\"c \" \n") == Rows{{"a b", "c "}});
    CHECK(rows(" a ,b \n", {.trim = false}) == Rows{{" a ", "b "}});
    CHECK(rows("a\t\tb \n", {.separator = '\t'}) == Rows{{"a", "", "b"}});
    CHECK(rows("a b  c\n", {.separator = ' '}) == Rows{{"a", "b", "", "c"}});
}

TEST_CASE("Quotes hold separators, line breaks and, doubled, themselves") {
    CHECK(rows("\"a,b\",\"c\r\nd\n\re\"\nf,g") == Rows{{"a,b", "c\r\nd\n\re"}, {"f", "g"}});
    CHECK(rows("\"a\"\"b\",\"\"\"\"\n\"\"\"\"\"\",\"\"\"x\"") == Rows{{"a\"b", "\""}, {"\"\"", "\"x"}});
    CHECK(rows("5\" pipe,a\"b\"\n") == Rows{{"5\" pipe", "a\"b\""}});
    CHECK(rows("'a,b',\"\n", {.quote = '\''}) == Rows{{"a,b", "\""}});
    CHECK(rows("\"a,b\"\n", {.quote = '\0'}) == Rows{{"\"a", "b\""}});
    CHECK(rows("\x01,a\x01\n", {.quote = '\0'}) == Rows{{"\x01", "a\x01"}});
}

TEST_CASE("Blanks may separate, runs of them at once") {
    CHECK(rows("18.0   8   307.0 \t\"a b\"\n  1 2\t3 4  \n\n \t \n5 6 7 \"\"", {.separator = blanks}) ==
          Rows{{"18.0", "8", "307.0", "a b"}, {"1", "2", "3", "4"}, {"5", "6", "7", ""}});
}

TEST_CASE("Comments and first lines are passed over") {
    CHECK(rows("# a, \"b\na,b\n  # c\n\"#\",#\n#", {.comment = '#'}) == Rows{{"a", "b"}, {"#", "#"}});
    CHECK(rows("made by \"hand\n\na,b\n", {.skip_lines = 2}) == Rows{{"a", "b"}});
    CHECK(rows("one", {.skip_lines = 2}).empty());
}

TEST_CASE("Malformed lines are passed over where that is asked for") {
    const auto table = csv(text_source("1,2\n3\n\n4,5,6\n\"7\"x,8\n9,10\n"), {.skip_malformed = true});
    const Block block = all_of(table >> sections(inputs = columns(0, 1)), 1);
    CHECK(block.values[0].floats() == std::vector<float>{1, 2, 9, 10});
    CHECK(table.skipped() == 3);
}

TEST_CASE("Records longer than the first buffer are read") {
    const std::string text(300000, 'x');
    const Rows found = rows("a,b\n\"" + text + "\n\"\"" + text + "\"," + text + "\nc,d\n");
    REQUIRE(found.size() == 3);
    CHECK(found[1] == std::vector<std::string>{text + "\n\"" + text, text});
    CHECK(found[2] == std::vector<std::string>{"c", "d"});
    std::string many;
    for (int i = 0; i < 40000; ++i) many += "1234,\"5\",\n";
    CHECK(rows(many) == Rows(40000, {"1234", "5", ""}));
}

TEST_CASE("Lines are counted in pieces of any size") {
    for (std::size_t piece = 8; piece <= 64; ++piece)
        for (const std::string end : {"\n", "\r\n", "\r"}) {
            const std::string text = "a,\"b" + end + "c\"" + end + end + "d,e" + end + "# f" + end + end + "g" + end;
            CHECK(error_text([&] { rows(text, {.comment = '#'}, piece); }) ==
                  "file 'x.csv', line 7: expected 2 columns as in the first line, found 1");
        }
}

TEST_CASE("Empty lines of all kinds are counted and passed over in pieces of any size") {
    sigma::PhiloxSequence random{sigma::Philox(8)};
    for (int round = 0; round < 300; ++round) {
        std::string text = "a,b\n";
        std::size_t lines = 1;
        for (std::uint64_t n = random.bits() % 20; n > 0; --n) {
            const char* const blanks_before[] = {"", "", " ", "\t ", "    "};
            const char* const ends[] = {"\n", "\r\n", "\r"};
            const std::string line = std::string(blanks_before[random.bits() % 5]) + ends[random.bits() % 3];
            if (text.ends_with('\r') && line == "\n") continue;  // one line end together
            text += line;
            ++lines;
        }
        if (text.ends_with('\r')) text += "\n";
        INFO(text);
        CHECK(error_text([&] { rows(text + "c", {}, 8 + static_cast<std::size_t>(round) % 60); }) ==
              sigma::sentence("file 'x.csv', line ", lines + 1, ": expected 2 columns as in the first line, found 1"));
        CHECK(rows(text + "c,d", {.skip_lines = lines}) == Rows{{"c", "d"}});
        CHECK(rows(text, {}, 8) == Rows{{"a", "b"}});
    }
}

// ThreadSanitizer's time for each access to memory is another share of each line.
#if defined(__SANITIZE_THREAD__)
constexpr bool comparable = false;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
constexpr bool comparable = false;
#else
constexpr bool comparable = true;
#endif
#else
constexpr bool comparable = true;
#endif

TEST_CASE("Lines that hold nothing take no longer than lines that hold a number") {
    const auto seconds = [](const std::string& line, const CsvFormat& format) {
        std::string text;
        while (text.size() < 150'000) text += line;
        CsvScanner scanner(text_source(text).open(), "x.csv", format);
        const std::clock_t begin = std::clock();
        while (scanner.next()) continue;
        return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    };
    // For as many bytes. Of a number's time a fifth to a half is measured, of what went line by line the double. Both
    // are timed in turn, and again while other programs have slowed one of them.
    const auto at_most = [&](double times, const std::string& line, const CsvFormat& format) {
        double least = 1e9, of_numbers = 1e9;
        for (int i = 0; i < 3 || (comparable && i < 30 && least >= 1.2 * times * of_numbers); ++i) {
            of_numbers = std::min(of_numbers, seconds("1\n", {}));
            least = std::min(least, seconds(line, format));
        }
        CAPTURE(line, least, of_numbers);
        if (comparable) CHECK(least < 1.2 * times * of_numbers);
    };
    for (const char* line : {"\n", "\r", "\r\n", " \n", "\t\r\n"}) {
        at_most(1, line, {});
        at_most(1, line, {.comment = '#'});
        at_most(1, line, {.separator = blanks});
        at_most(1, line, {.skip_lines = std::size_t{1} << 30});
    }
    at_most(2, "#\n", {.comment = '#'});
    at_most(2, ",\n", {});
    at_most(3, "\"\"\n", {});
    at_most(1, ",", {.most_columns = std::size_t{1} << 23});
}

TEST_CASE("Random tables are read as they were written, in pieces of any size") {
    sigma::PhiloxSequence random{sigma::Philox(7)};
    const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random.bits() % bound); };
    for (int round = 0; round < 320; ++round) {
        const bool merge = below(5) == 0;
        const std::string separators = merge ? " " : std::string(1, std::string(",;\t| ")[below(5)]);
        const std::string alphabet = "ab1.-\"'\n\r ,;\t|#é";
        const std::string ends[] = {"\n", "\r\n", "\r"};
        const std::string end = ends[below(3)];
        Rows table(1 + below(8), std::vector<std::string>(1 + below(5)));
        std::string text;
        for (auto& row : table) {
            for (std::size_t c = 0; c < row.size(); ++c) {
                for (std::size_t n = below(7); n > 0; --n) row[c] += alphabet[below(alphabet.size())];
                // In quotes where needed, and sometimes where not.
                const bool plain = row[c].find_first_of("\"\r\n ,;\t|#") == std::string::npos && !row[c].empty();
                std::string field = row[c];
                if (!plain || below(3) == 0) {
                    field = "\"";
                    for (const char x : row[c]) field += x == '"' ? std::string("\"\"") : std::string(1, x);
                    field += "\"";
                }
                const char other = separators == " " ? '\0' : ' ';
                if (other != '\0' && below(4) == 0) field = " " + field + "  ";
                if (merge && below(3) == 0) field += below(2) == 0 ? "\t" : "  ";
                text += (c == 0 ? "" : separators) + field;
            }
            text += end;
            if (below(4) == 0) text += merge ? end : "  " + end;
        }
        if (separators == " " && !merge) text.clear(), table.clear();  // its blank lines would be fields
        if (below(3) == 0 && !text.empty()) text.erase(text.size() - (text.ends_with("\r\n") ? 2 : 1));
        const CsvFormat format{.separator = merge ? blanks : separators[0], .comment = '#'};
        const std::size_t chunk = 1 + static_cast<std::size_t>(round) % 64;
        INFO(text);
        CHECK(rows(text, format, chunk) == table);
        CHECK(rows(text, format) == table);
    }
}
