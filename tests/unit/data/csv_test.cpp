// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/csv.hpp>

#include "support.hpp"

using namespace sigma;
using data::CsvOptions;
using data::parse_csv;

TEST_CASE("A table of numbers and a class name becomes a dataset") {
    const Dataset dataset = parse_csv("1,2.5,cat\n-3,4e1,dog\n5,6,cat\n", "pets.csv");
    CHECK(dataset.name() == "pets.csv");
    CHECK(dataset.size() == 3);
    CHECK(dataset.input_size() == 2);
    CHECK(dataset.input(0)[1] == 2.5f);
    CHECK(dataset.input(1)[0] == -3.0f);
    CHECK(dataset.input(1)[1] == 40.0f);
    CHECK(dataset.classes() == std::vector<std::string>{"cat", "dog"});
    CHECK(dataset.label(1) == 1);
    CHECK(dataset.label(2) == 0);
}

TEST_CASE("Tables as programs write them") {
    const auto accepted = [](const std::string& text, CsvOptions options = {}) {
        const Dataset dataset = parse_csv(text, "x.csv", options);
        CHECK(dataset.size() == 2);
        CHECK(dataset.input_size() == 2);
        CHECK(dataset.input(1)[0] == 3.0f);
        CHECK(dataset.input(1)[1] == 4.0f);
        CHECK(dataset.classes()[1] == "b");
    };
    accepted("1,2,a\n3,4,b");
    accepted("1,2,a\r\n3,4,b\r\n");
    accepted("\n1,2,a\n   \n3,4,b\n\n\n");
    accepted(
        "\xEF\xBB\xBF"
        "1,2,a\n3,4,b\n");
    accepted(" 1 ,\t2 , a \n 3,4, b\n");
    accepted("\"1\",2,\"a\"\n\"3\",\"4\" ,b\n");
    accepted("x,y,name\n1,2,a\n3,4,b\n", {.header = true});
    accepted("1;2;a\n3;4;b\n", {.separator = ';'});
    accepted("a,1,2\nb,3,4\n", {.target_column = 0});
    accepted("id1,1,a,2\nid2,3,b,4\n", {.target_column = -2, .ignored_columns = {0}});
    accepted("1,2,a\n3,4,b\n", {.classes = {"a", "b", "c"}});
}

TEST_CASE("Quoted names may hold separators and quotes") {
    const Dataset dataset = parse_csv("1,\"a, \"\"b\"\"\"\n2,\"\"\"\"\n", "x.csv");
    CHECK(dataset.classes() == std::vector<std::string>{"\"", "a, \"b\""});
}

TEST_CASE("Targets may be numbers") {
    const Dataset dataset = parse_csv("1,0.5\n2,-7\n", "x.csv", {.labels = false});
    CHECK_FALSE(dataset.has_labels());
    CHECK(dataset.target(1)[0] == -7.0f);
}

TEST_CASE("A bad table is refused with its line and column") {
    const auto refused = [](const std::string& text, CsvOptions options = {}) {
        return error_text([&] { parse_csv(text, "x.csv", options); });
    };
    CHECK(refused("") == "file 'x.csv': expected at least one record, found none");
    CHECK(refused("\n\n") == "file 'x.csv': expected at least one record, found none");
    CHECK(refused("a,b\n", {.header = true}) == "file 'x.csv': expected at least one record, found none");
    CHECK(refused("1,2,a\n\n3,b\n") == "file 'x.csv', line 3: expected 3 columns as in the first line, found 2");
    CHECK(refused("1,2,a\n3,4,b,\n") == "file 'x.csv', line 2: expected 3 columns as in the first line, found 4");
    CHECK(refused("1,x,a\n") == "file 'x.csv', line 1, column 2: expected a finite number, found 'x'");
    CHECK(refused("1,2 3,a\n") == "file 'x.csv', line 1, column 2: expected a finite number, found '2 3'");
    CHECK(refused("1,,a\n") == "file 'x.csv', line 1, column 2: expected a finite number, found an empty field (see .missing)");
    CHECK(refused("1,nan,a\n") == "file 'x.csv', line 1, column 2: expected a finite number, found 'nan'");
    CHECK(refused("-inf,1,a\n") == "file 'x.csv', line 1, column 1: expected a finite number, found '-inf'");
    CHECK(refused("1e99,1,a\n") == "file 'x.csv', line 1, column 1: expected a finite number, found '1e99'");
    CHECK(refused("1,2,\n") == "file 'x.csv', line 1, column 3: expected the name of a class, found nothing");
    CHECK(refused("1,\"2,a\n") == "file 'x.csv', line 1, column 2: expected a closing quote, found the end of the file");
    CHECK(refused("1,\"\n") == "file 'x.csv', line 1, column 2: expected a closing quote, found the end of the file");
    CHECK(refused("1,\"2\"3,a\n") ==
          "file 'x.csv', line 1, column 2: expected a separator after the closing quote, found '3'");
    CHECK(refused("1,2,c\n", {.classes = {"a"}}) ==
          "file 'x.csv', line 1, column 3: expected 'a', found 'c'");
    CHECK(refused("a\nb\n") ==
          "file 'x.csv', line 1: expected at least one column for 'inputs', found 1 columns in all");
    CHECK(refused("1,a\n", {.target_column = 2}) == "file 'x.csv', line 1: expected a column 2, found 2 columns");
    CHECK(refused("1,a\n", {.target_column = -3}) == "file 'x.csv', line 1: expected a column -3, found 2 columns");
}

TEST_CASE("Every piece of a table either reads or is refused") {
    const std::string text = "1,\"2\",\"a \"\"x\"\"\"\r\n3,4,b\n";
    for (std::size_t end = 0; end <= text.size(); ++end) {
        try {
            const Dataset dataset = parse_csv(text.substr(0, end), "x.csv");
            CHECK(dataset.size() <= 2);
        } catch (const DataError& error) {
            CHECK(error.file == "x.csv");
        }
    }
}

TEST_CASE("A file that is not there is refused with the reason") {
    const Scratch scratch;
    CHECK(error_text([&] { data::read_csv((scratch.path / "none.csv").string()); }) ==
          "file '" + (scratch.path / "none.csv").string() +
              "': expected a readable file, found 'No such file or directory'");
    CHECK(data_error([&] { data::read_csv(scratch.path.string()); }).found == "'Is a directory'");
    CHECK(data::read_csv(scratch.write("two.csv", "1,a\n2,b\n")).size() == 2);
}
