// SPDX-License-Identifier: BSL-1.0
// Tables nobody should have written: each is refused with one error that says where, what was expected and what was
// found.
#include "csv_support.hpp"

using namespace sigma::data;
using sigma::sentence;

namespace {

/// The error of reading a table with numbers in all columns but the last, which holds labels.
std::string refusal(const std::string& text, const CsvFormat& format = {}) {
    return error_text(
        [&] { all_of(csv(text_source(text), format) >> sections(inputs = columns(0, -2), targets = labels(-1))); });
}
template <class C>
std::string refusal_of(const C& chosen, const std::string& text, const CsvFormat& format = {}) {
    return error_text([&] { all_of(csv(text_source(text), format) >> sections(inputs = chosen)); });
}
std::string at(const std::string& place, const std::string& expected, const std::string& found) {
    return sentence("file 'x.csv'", place.empty() ? "" : ", ", place, ": expected ", expected, ", found ", found);
}

}  // namespace

TEST_CASE("Tables without records are refused") {
    for (const char* text : {"", "\n", "\r\n\r\n", " \t\n", "\xEF\xBB\xBF", "\xEF\xBB\xBF\n"})
        CHECK(refusal(text) == at("", "at least one record", "none"));
    CHECK(refusal("# 1,a\n", {.comment = '#'}) == at("", "at least one record", "none"));
    CHECK(refusal("1,a\n", {.skip_lines = 7}) == at("", "at least one record", "none"));
    CHECK(refusal("x,y\n", {.header = true}) == at("", "at least one record", "none"));
    CHECK(refusal("", {.header = true}) == at("", "a line with the names of columns", "the end of the file"));
}

TEST_CASE("Lines that are not as long as the first are refused") {
    CHECK(refusal("1,2,a\n3,b\n") == at("line 2", "3 columns as in the first line", "2"));
    CHECK(refusal("1,2,a\n3,4,b,\n") == at("line 2", "3 columns as in the first line", "4"));
    CHECK(refusal("1,2,a\n\n\r\n3\n") == at("line 4", "3 columns as in the first line", "1"));
    CHECK(refusal("x,y\n1,2,a\n", {.header = true}) == at("line 2", "2 columns as in the first line", "3"));
    CHECK(refusal("1 2 a\n3  b\n", {.separator = blanks}) == at("line 2", "3 columns as in the first line", "2"));
    CHECK(refusal("1,a\n2;b\n") == at("line 2", "2 columns as in the first line", "1"));
    CHECK(refusal("1,\"a\nb\nc\"\n2,d,e\n") == at("line 4", "2 columns as in the first line", "3"));
}

TEST_CASE("Quotes that go wrong are refused where they began") {
    CHECK(refusal("1,a\n2,\"b\n3,c\n4,d\n") == at("line 2, column 2", "a closing quote", "the end of the file"));
    CHECK(refusal("\"") == at("line 1, column 1", "a closing quote", "the end of the file"));
    CHECK(refusal("1,\"\"\"\n") == at("line 1, column 2", "a closing quote", "the end of the file"));
    CHECK(refusal("\"1\n\",\"a\n\n") == at("line 2, column 2", "a closing quote", "the end of the file"));
    CHECK(refusal("1,\"a\"b\n") == at("line 1, column 2", "a separator after the closing quote", "'b'"));
    CHECK(refusal("1,\"a\" \"b\" \n") == at("line 1, column 2", "a separator after the closing quote", "'\"b\"'"));
    CHECK(refusal("\"1\"\"2\"3,a\n") == at("line 1, column 1", "a separator after the closing quote", "'3'"));
    CHECK(refusal("1 \"a\"b\n", {.separator = blanks}) ==
          at("line 1, column 2", "a separator after the closing quote", "'b'"));
    CHECK(refusal("1,\"a\nb\",c\n") == at("line 1, column 2", "a finite number", "'a\\x0ab'"));
}

TEST_CASE("What is no finite number is refused") {
    for (const std::string field : {"x", "nan", "NaN", "inf",   "-Infinity", "0x10", "1.2.3", "--1", "+-1", "1e",
                                    "-", ".",   "1 2", "1_000", "٣",         "1d5",  "1f",    "NA",  "?",   "true"})
        CHECK(refusal(sentence("1,a\n", field, ",b\n")) ==
              at("line 2, column 1", "a finite number", sentence("'", field, "'")));
    CHECK(refusal(",a\n") == at("line 1, column 1", "a finite number", "an empty field (see .missing)"));
    CHECK(refusal("\"\",a\n") == at("line 1, column 1", "a finite number", "an empty field (see .missing)"));
    CHECK(refusal("\"1,5\",a\n") == at("line 1, column 1", "a finite number", "'1,5'"));
    CHECK(refusal(std::string("1\0,a\n", 5)) == at("line 1, column 1", "a finite number", "'1\\x00'"));
    CHECK(refusal("1\xFF,a\n") == at("line 1, column 1", "a finite number", "'1\\xff'"));
    CHECK(refusal("NA,a\n", {.header = false, .missing = {"?"}}).find("found 'NA'") != std::string::npos);
    CHECK(refusal("1\u00A0234,a\n") == at("line 1, column 1", "a finite number", "'1<U+00A0>234'"));
    for (const bool non_finite : {false, true}) {
        for (const std::string field : {"3.5e38", "1e99", "-1e39"})
            CHECK(refusal(field + ",a\n", {.non_finite = non_finite}) ==
                  at("line 1, column 1", "a number of at most 3.4e38, the largest float, or {.doubles = true}",
                     sentence("'", field, "'")));
        for (const std::string field : {"1e400", "-1e309", "1e99999999999999999999"})
            for (const bool doubles : {false, true})
                CHECK(refusal(field + ",a\n", {.non_finite = non_finite, .doubles = doubles}) ==
                      at("line 1, column 1", "a number of at most 1.8e308, the largest double",
                         sentence("'", field, "'")));
    }
    CHECK(refusal_of(column(1), "\"a\n\"\"\n\",1\n\n\"b\nc\",x\n") == at("line 6, column 2", "a finite number", "'x'"));
    CHECK(refusal_of(column(1), "1,2\n\"\"\"\"\"\"\n3\n\",x\n") == at("line 2", "2 columns as in the first line", "1"));
}

TEST_CASE("A header that was not announced is asked for") {
    const auto asked = [](const std::string& field) {
        return at("line 1, column 1", "a finite number",
                  sentence("'", field, "' (does the file need {.header = true}?)"));
    };
    CHECK(refusal("x1,y\n1,a\n") == asked("x1"));
    CHECK(refusal("\nx1,y\n1,a\n") ==
          at("line 2, column 1", "a finite number", "'x1' (does the file need {.header = true}?)"));
    CHECK(refusal("x1,y\n1,a\n", {.skip_lines = 1}) == "no error");
    CHECK(refusal("x1,2\n1,a\n") == at("line 1, column 1", "a finite number", "'x1'"));
    CHECK(refusal("x1,-.5\n1,a\n") == at("line 1, column 1", "a finite number", "'x1'"));
    CHECK(refusal("1,a\nx,y\n") == at("line 2, column 1", "a finite number", "'x'"));
    CHECK(refusal("x,y\nz,a\n", {.header = true}) == at("line 2, column 1", "a finite number", "'z'"));
    CHECK(refusal(",y\n", {.missing = {"?"}}) ==
          at("line 1, column 1", "a finite number", "an empty field (see .missing)"));
}

TEST_CASE("Labels that cannot be are refused") {
    CHECK(refusal("1,\n") == at("line 1, column 2", "the name of a class", "nothing"));
    CHECK(refusal("1,\"\"\n") == at("line 1, column 2", "the name of a class", "nothing"));
    CHECK(refusal("1,caf\xE9\n") == at("line 1, column 2", "the name of a class in UTF-8", "'caf\\xe9'"));
    CHECK(refusal("1,\xC0\x80\n") == at("line 1, column 2", "the name of a class in UTF-8", "'\\xc0\\x80'"));
    CHECK(refusal(std::string("1,a\0b\n", 6)) == at("line 1, column 2", "the name of a class in UTF-8", "'a\\x00b'"));
    CHECK(refusal_of(labels(0, {"a", "b"}), "a\nb\nA\n") == at("line 3, column 1", "'a' or 'b'", "'A'"));
    CHECK(refusal_of(labels(0, {"a", "b", "c", "d", "e"}), "f\n") ==
          at("line 1, column 1", "'a', 'b', 'c', 'd' or 'e'", "'f'"));
    CHECK(refusal_of(labels(0, {"a", "b", "c", "d", "e", "f"}), "g\n") ==
          at("line 1, column 1", "one of 6 classes: 'a', 'b', 'c', 'd', 'e', …", "'g'"));
    CHECK(refusal_of(mapped(0, {{"x", 1}}), "x\no\n") == at("line 2, column 1", "'x'", "'o'"));
    CHECK(refusal_of(mapped(0, {{"x", 1}}), "x\n1\n") == at("line 2, column 1", "'x'", "'1'"));
}

TEST_CASE("Columns that are not there are refused") {
    const CsvFormat header{.header = true};
    CHECK(refusal_of(column(2), "1,2\n") == at("line 1", "a column 2", "2 columns"));
    CHECK(refusal_of(column(-3), "1,2\n") == at("line 1", "a column -3", "2 columns"));
    CHECK(refusal_of(columns(0, 2), "1,2\n") == at("line 1", "a column 2", "2 columns"));
    CHECK(refusal_of(columns<0, 2>(), "1,2\n") == at("line 1", "a column 2", "2 columns"));
    CHECK(refusal_of(column(std::numeric_limits<int>::min()), "1,2\n") ==
          at("line 1", "a column -2147483648", "2 columns"));
    CHECK(refusal_of(columns(1, -2), "1,2\n") == at("line 1", "column 1 before column -2", "the opposite order"));
    CHECK(refusal_of(columns("b", "a"), "a,b\n1,2\n", header) ==
          at("line 2", "column 'b' before column 'a'", "the opposite order"));
    CHECK(refusal_of(column("c"), "a,b\n1,2\n", header) == at("header", "a column 'c'", "'a', 'b'"));
    CHECK(refusal_of(column("A"), "a,b\n1,2\n", header) == at("header", "a column 'A'", "'a', 'b'"));
    CHECK(refusal_of(column("a"), "a;b\n1;2\n", header) ==
          at("header", "a column 'a'", "one column 'a;b' with separator ','"));
    CHECK(refusal_of(column("a"), "a;b\n1;2\n", {.separator = blanks, .header = true}) ==
          at("header", "a column 'a'", "one column 'a;b' with blanks as separator"));
    CHECK(refusal_of(column(1), "1;2\n") == at("line 1", "a column 1", "one column '1;2' with separator ','"));
    CHECK(refusal_of(column("a"), "a,b,a\n1,2,3\n", header) == at("header", "one column 'a'", "several"));
    CHECK(refusal_of(column("a"), "\xFF,b\n1,2\n", header) == at("line 1, column 1", "a name in UTF-8", "'\\xff'"));
    CHECK(refusal_of(column("a"), "a,b\n1,2\n") ==
          "column 'a' of 'x.csv': expected a header, CsvFormat{.header = true}, found none");
    CHECK(refusal_of(except(0, 1), "1,2\n") == at("line 1", "at least one column for 'inputs'", "2 columns in all"));
}

TEST_CASE("Tables larger than their limits are refused") {
    CHECK(refusal("1,abcd\n2,abcde\n", {.longest_field = 4}) == at("line 2, column 2", "at most 4 bytes", "5"));
    CHECK(refusal("1,2,3\n", {.most_columns = 2}) == at("line 1", "at most 2 columns", "more"));
    CHECK(refusal(std::string(9, ','), {.most_columns = 9}) == at("line 1", "at most 9 columns", "more"));
    CHECK(refusal("1,a\n2,bcdefg\n", {.longest_record = 8}) == at("line 2", "a record of at most 8 bytes", "more"));
    const std::string large(std::size_t{1} << 18, '1');
    CHECK(refusal("1,a\n2," + large, {.longest_record = 1000}) ==
          at("line 2", "a record of at most 1000 bytes", "more"));
    CHECK(refusal("1,a\n2,\"" + large, {.longest_record = 1000}) ==
          at("line 2, column 2", "a closing quote within 1000 bytes", "none"));
    CHECK(refusal(large + ",a\n", {.longest_field = 100000}) ==
          at("line 1, column 1", "at most 100000 bytes", "262144"));
    std::string names;
    for (int i = 0; i < 1048577; ++i) names += sentence(i, "\n");
    CHECK(refusal_of(labels(0), names) ==
          at("line 1048577, column 1", "at most 1048576 different names of classes", "more"));
}

TEST_CASE("Files that are no text are refused") {
    const auto found = [](const std::string& bytes) { return refusal(bytes + "1,a\n"); };
    CHECK(found("\x1F\x8B") == at("byte 0", "text in UTF-8", "data packed by gzip"));
    CHECK(found("PK\x03\x04") == at("byte 0", "text in UTF-8", "a zip archive"));
    CHECK(found("BZh91AY&SY") == at("byte 0", "text in UTF-8", "data packed by bzip2"));
    CHECK(found(std::string("\xFD\x37zXZ\0", 6)) == at("byte 0", "text in UTF-8", "data packed by xz"));
    CHECK(found("\x28\xB5\x2F\xFD") == at("byte 0", "text in UTF-8", "data packed by zstd"));
    CHECK(found("LZIP\x01") == at("byte 0", "text in UTF-8", "data packed by lzip"));
    CHECK(found(std::string("a.csv").append(252, '\0') + "ustar") == at("byte 0", "text in UTF-8", "a tar archive"));
    CHECK(found(sentence("1,", std::string(255, 'b'), "ustar\n")) == "no error");  // no archive
    CHECK(found("BZh11,a\n").find("'BZh11'") != std::string::npos);
    CHECK(found(std::string("\xFF\xFE\0\0", 4)) == at("byte 0", "text in UTF-8 or UTF-16", "UTF-32"));
}

TEST_CASE("Formats and selections that cannot be are refused") {
    const auto format = [](const CsvFormat& f) { return error_text([&] { csv(text_source(""), f); }); };
    CHECK(format({.separator = '\n'}) ==
          "CsvFormat::separator: expected a character other than digits, '+', '-', '.' and line ends, found '\\x0a'");
    CHECK(format({.separator = '.'}) ==
          "CsvFormat::separator: expected a character other than digits, '+', '-', '.' and line ends, found '.'");
    CHECK(format({.quote = ','}) ==
          "CsvFormat::quote: expected a character other than digits, '+', '-', '.', line ends, blanks and the "
          "separator, found ','");
    CHECK_THROWS_AS(csv(text_source(""), {.comment = '"'}), sigma::ArgumentError);
    CHECK_THROWS_AS(csv(text_source(""), {.comment = '-'}), sigma::ArgumentError);
    CHECK(format({.longest_field = 0}) == "limit of CsvFormat: expected a number from 1 to 1073741824, found 0");
    CHECK(error_text([] { columns(3, 0); }) == "columns: expected the first before the last, found 3 and 0");
    CHECK(error_text([] { columns(-1, -2); }) == "columns: expected the first before the last, found -1 and -2");
    CHECK(error_text([] { labels(0, {"a", "b", "a"}); }) ==
          "names of labels: expected each name once, found 'a' twice");
    CHECK(error_text([] { mapped(0, {{"a", 1}, {"a", 2}}); }) ==
          "mapped values: expected each text once, found 'a' twice");
    CHECK(error_text([] { labels(mapped(0, {{"a", 1}})); }) ==
          "labels or mapped values: expected columns of numbers, found columns with labels, classes, dates or mapped "
          "values");
}
