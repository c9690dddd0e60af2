// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/reader/csv.hpp>

#include "csv_support.hpp"

#include <cmath>

using namespace sigma::data;
using Names = std::vector<std::string>;

TEST_CASE("A table in memory has numbers and texts") {
    const TableValues table =
        read_table(text_source("n,x,name\n1,0.1,a\n,1e300,\"b, c\"\n3,-7,5\n", 5), {.header = true, .missing = {""}});
    CHECK(table.records == 3);
    REQUIRE(table.columns.size() == 3);
    CHECK(table["x"].numbers == std::vector<double>{0.1, 1e300, -7});
    CHECK(std::isnan(table["n"].numbers[1]));
    CHECK_FALSE(table[-1].numeric);
    CHECK(table["name"].texts == Names{"a", "b, c", "5"});
    CHECK(table["name"].numbers.empty());
    CHECK(table[0].name == "n");
    CHECK(read_table(text_source("1,a\n"))[1].texts == Names{"a"});
    CHECK(read_table(text_source("1,\n"))[1].texts == Names{""});
}

TEST_CASE("A table in memory is refused as others are, and so are its columns") {
    CHECK(error_text([] { read_table(text_source("")); }) == "file 'x.csv': expected at least one record, found none");
    CHECK(error_text([] { read_table(text_source("1,2\n3\n")); }) ==
          "file 'x.csv', line 2: expected 2 columns as in the first line, found 1");
    const TableValues table = read_table(text_source("a,b\n1,2\n"), {.header = true});
    CHECK(error_text([&] { table["c"]; }) == "table 'x.csv': expected one of its 2 columns, found 'c'");
    CHECK(error_text([&] { table[2]; }) == "table 'x.csv': expected one of its 2 columns, found 2");
    CHECK(error_text([&] { table[-3]; }) == "table 'x.csv': expected one of its 2 columns, found -3");
}
