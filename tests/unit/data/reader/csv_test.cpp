// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/csv.hpp>
#include <sigma/data/source/source.hpp>

#include "../support.hpp"

using namespace sigma;
using namespace sigma::data;
using Names = std::vector<std::string>;

namespace {

/// All columns but the last are inputs, the last is the target.
template <class C>
Dataset read(const std::string& text, const C& last, const CsvFormat& format = {}) {
    return csv(memory(text, "x.csv"), format) >> sections(inputs = except(-1), targets = last) >> dataset("x.csv");
}
Dataset read(const std::string& text, const CsvFormat& format = {}) { return read(text, labels(-1), format); }

}  // namespace

TEST_CASE("A table of numbers and a class name becomes a dataset") {
    const Dataset dataset = read("1,2.5,cat\n-3,4e1,dog\n5,6,cat\n");
    CHECK(dataset.name() == "x.csv");
    CHECK(dataset.size() == 3);
    CHECK(dataset.input_size() == 2);
    CHECK(dataset.input(0)[1] == 2.5f);
    CHECK(dataset.input(1)[0] == -3.0f);
    CHECK(dataset.input(1)[1] == 40.0f);
    CHECK(dataset.classes() == Names{"cat", "dog"});
    CHECK(dataset.label(1) == 1);
    CHECK(dataset.label(2) == 0);
}

TEST_CASE("Tables as programs write them") {
    const auto examine = [](const Dataset& dataset) {
        CHECK(dataset.size() == 2);
        CHECK(dataset.input_size() == 2);
        CHECK(dataset.input(1)[0] == 3.0f);
        CHECK(dataset.input(1)[1] == 4.0f);
        CHECK(dataset.classes()[1] == "b");
    };
    examine(read("1,2,a\n3,4,b"));
    examine(read("1,2,a\r\n3,4,b\r\n"));
    examine(read("\n1,2,a\n   \n3,4,b\n\n\n"));
    examine(
        read("\xEF\xBB\xBF"
             "1,2,a\n3,4,b\n"));
    examine(read(" 1 ,\t2 , a \n 3,4, b\n"));
    examine(read("\"1\",2,\"a\"\n\"3\",\"4\" ,b\n"));
    examine(read("x,y,name\n1,2,a\n3,4,b\n", {.header = true}));
    examine(read("1;2;a\n3;4;b\n", {.separator = ';'}));
    examine(read("1,2,a\n3,4,b\n", labels(-1, {"a", "b", "c"})));
    const auto with = [](const std::string& text, const auto& given, int label) {
        return csv(memory(text)) >> sections(inputs = given, targets = labels(label)) >> dataset("x.csv");
    };
    examine(with("a,1,2\nb,3,4\n", except(0), 0));
    examine(with("id1,1,a,2\nid2,3,b,4\n", except(-2, 0), -2));
}

TEST_CASE("Quoted names may hold separators and quotes") {
    const Dataset dataset = read("1,\"a, \"\"b\"\"\"\n2,\"\"\"\"\n");
    CHECK(dataset.classes() == Names{"\"", "a, \"b\""});
}

TEST_CASE("Targets may be numbers") {
    const Dataset dataset = read("1,0.5\n2,-7\n", column(-1));
    CHECK_FALSE(dataset.has_labels());
    CHECK(dataset.target(1)[0] == -7.0f);
}

TEST_CASE("Numbers in a column may be classes as they stand") {
    const Dataset dataset = read("0.5,2\n0.25,0\n1,10\n", classes(-1));
    CHECK(dataset.has_labels());
    CHECK(dataset.target_shape().empty());
    CHECK(dataset.target(0)[0] == 2);
    CHECK(dataset.target(2)[0] == 10);
    CHECK(dataset.classes().empty());
    const Dataset named = read("5,2\n6,-0\n7,1e0\n", classes(column(1), 3));
    CHECK(named.classes() == Names{"0", "1", "2"});
    CHECK(named.target(1)[0] == 0);
    CHECK_FALSE(std::signbit(named.target(1)[0]));
    CHECK(named.target(2)[0] == 1);
    const auto refused = [](const std::string& target, int count = 0) {
        return error_text([&] { read("1," + target + "\n", classes(-1, count)); });
    };
    const std::string at = "file 'x.csv', line 1, column 2: expected ";
    CHECK(refused("2.5") == at + "a class, a whole number from 0, found '2.5'");
    CHECK(refused("-1") == at + "a class, a whole number from 0, found '-1'");
    CHECK(refused("") == at + "a class, a whole number from 0, found nothing");
    CHECK(refused("a", 3) == at + "a class from 0 to 2, found 'a'");
    CHECK(refused("3", 3) == at + "a class from 0 to 2, found '3'");
    CHECK(refused("16777216") == at + "a class, a whole number from 0, found '16777216'");
    CHECK(refused("nan") == at + "a class, a whole number from 0, found 'nan'");
    CHECK(refused("2", 3) == "no error");
    CHECK_THROWS_AS(classes(0, -1), ArgumentError);
    CHECK_THROWS_AS(classes(0, (1 << 20) + 1), ArgumentError);
    CHECK(error_text([] { classes(labels(column(0))); }) ==
          "classes: expected columns of numbers, found columns with labels, classes, dates or mapped values");
}

TEST_CASE("Dates become numbers") {
    const auto first = [](const std::string& text, DateOptions options) {
        return read("1," + text + "\n", date(-1, std::move(options))).target(0)[0];
    };
    CHECK(first("1970-01-01", {}) == 0);
    CHECK(first("1969-12-31", {}) == -1);
    CHECK(first("2000-03-01", {}) == 11017);
    CHECK(first("2024-02-29", {}) == 19782);
    CHECK(first("29.02.2024 18:00", {.format = "%d.%m.%Y %H:%M"}) == 19782.75f);
    const auto part = [&](DatePart which) {
        return first("2024-12-30 06:30:00", {.format = "%Y-%m-%d %H:%M:%S", .part = which});
    };
    CHECK(part(DatePart::year) == 2024);
    CHECK(part(DatePart::month) == 12);
    CHECK(part(DatePart::day) == 30);
    CHECK(part(DatePart::weekday) == 0);
    CHECK(part(DatePart::day_of_year) == 365);
    CHECK(part(DatePart::hour) == 6.5f);
    const auto refused = [](const std::string& text) {
        return error_text([&] { read("1," + text + "\n", date(-1)); });
    };
    const std::string at = "file 'x.csv', line 1, column 2: expected a date as %Y-%m-%d, found ";
    for (const std::string text : {"2023-02-29", "2024-04-31", "2024-13-01", "2024-01-01x", "24", "soon", "21-04-03",
                                   "12021-04-03", "+2021-04-03", "2021-04-003"})
        CHECK(refused(text) == at + "'" + text + "'");
    CHECK(refused("") == at + "nothing");
    CHECK_THROWS_AS(date(0, {.format = ""}), ArgumentError);
    const Dataset both = csv(memory("2024-12-30,1\n", "x.csv")) >>
                         sections(inputs = date(0) + date(0, {.part = DatePart::weekday}), targets = classes(1)) >>
                         dataset("x");
    CHECK(both.input(0)[0] == 20087);
    CHECK(both.input(0)[1] == 0);
}

TEST_CASE("A bad table is refused with its line and column") {
    const auto refused = [](const std::string& text, const CsvFormat& format = {}) {
        return error_text([&] { read(text, format); });
    };
    CHECK(refused("") == "file 'x.csv': expected at least one record, found none");
    CHECK(refused("\n\n") == "file 'x.csv': expected at least one record, found none");
    CHECK(refused("a,b\n", {.header = true}) == "file 'x.csv': expected at least one record, found none");
    CHECK(refused("1,2,a\n\n3,b\n") == "file 'x.csv', line 3: expected 3 columns as in the first line, found 2");
    CHECK(refused("1,2,a\n3,4,b,\n") == "file 'x.csv', line 2: expected 3 columns as in the first line, found 4");
    CHECK(refused("1,x,a\n") == "file 'x.csv', line 1, column 2: expected a finite number, found 'x'");
    CHECK(refused("1,2 3,a\n") == "file 'x.csv', line 1, column 2: expected a finite number, found '2 3'");
    CHECK(refused("1,,a\n") ==
          "file 'x.csv', line 1, column 2: expected a finite number, found an empty field (see .missing)");
    CHECK(refused("1,nan,a\n") == "file 'x.csv', line 1, column 2: expected a finite number, found 'nan'");
    CHECK(refused("-inf,1,a\n") == "file 'x.csv', line 1, column 1: expected a finite number, found '-inf'");
    CHECK(refused("1e99,1,a\n") ==
          "file 'x.csv', line 1, column 1: expected a number of at most 3.4e38, the largest float, or {.doubles = "
          "true}, found '1e99'");
    CHECK(refused("1,2,\n") == "file 'x.csv', line 1, column 3: expected the name of a class, found nothing");
    CHECK(refused("1,\"2,a\n") ==
          "file 'x.csv', line 1, column 2: expected a closing quote, found the end of the file");
    CHECK(refused("1,\"\n") == "file 'x.csv', line 1, column 2: expected a closing quote, found the end of the file");
    CHECK(refused("1,\"2\"3,a\n") ==
          "file 'x.csv', line 1, column 2: expected a separator after the closing quote, found '3'");
    CHECK(error_text([] { read("1,2,c\n", labels(-1, {"a"})); }) ==
          "file 'x.csv', line 1, column 3: expected 'a', found 'c'");
    CHECK(refused("a\nb\n") ==
          "file 'x.csv', line 1: expected at least one column for 'inputs', found 1 columns in all");
    const auto with = [](int column) {
        return error_text([&] {
            csv(memory("1,a\n", "x.csv")) >> sections(inputs = except(column), targets = labels(column)) >>
                dataset("x");
        });
    };
    CHECK(with(2) == "file 'x.csv', line 1: expected a column 2, found 2 columns");
    CHECK(with(-3) == "file 'x.csv', line 1: expected a column -3, found 2 columns");
}

TEST_CASE("Every piece of a table either reads or is refused") {
    const std::string text = "1,\"2\",\"a \"\"x\"\"\"\r\n3,4,b\n";
    for (std::size_t end = 0; end <= text.size(); ++end) {
        try {
            const Dataset dataset = read(text.substr(0, end));
            CHECK(dataset.size() <= 2);
        } catch (const DataError& error) { CHECK(error.file == "x.csv"); }
    }
}

TEST_CASE("A file that is not there is refused with the reason") {
    const Scratch scratch;
    const auto table = [](const std::string& path) {
        return csv(file(path)) >> sections(inputs = column(0), targets = labels(1)) >> dataset("two");
    };
    CHECK(error_text([&] { table((scratch.path / "none.csv").string()); }) ==
          "file '" + (scratch.path / "none.csv").string() + "': cannot read it: No such file or directory");
    CHECK(data_error([&] { table(scratch.path.string()); }).found == "a directory");
    CHECK(table(scratch.write("two.csv", std::string("1,a\n2,b\n"))).size() == 2);
}
