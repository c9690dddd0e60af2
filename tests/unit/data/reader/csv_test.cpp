// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/csv.hpp>
#include <sigma/data/source/file.hpp>
#include <sigma/data/source/memory.hpp>

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
    const auto check = [](const Dataset& dataset) {
        CHECK(dataset.size() == 2);
        CHECK(dataset.input_size() == 2);
        CHECK(dataset.input(1)[0] == 3.0f);
        CHECK(dataset.input(1)[1] == 4.0f);
        CHECK(dataset.classes()[1] == "b");
    };
    check(read("1,2,a\n3,4,b"));
    check(read("1,2,a\r\n3,4,b\r\n"));
    check(read("\n1,2,a\n   \n3,4,b\n\n\n"));
    check(
        read("\xEF\xBB\xBF"
             "1,2,a\n3,4,b\n"));
    check(read(" 1 ,\t2 , a \n 3,4, b\n"));
    check(read("\"1\",2,\"a\"\n\"3\",\"4\" ,b\n"));
    check(read("x,y,name\n1,2,a\n3,4,b\n", {.header = true}));
    check(read("1;2;a\n3;4;b\n", {.separator = ';'}));
    check(read("1,2,a\n3,4,b\n", labels(-1, {"a", "b", "c"})));
    const auto with = [](const std::string& text, const auto& given, int label) {
        return csv(memory(text)) >> sections(inputs = given, targets = labels(label)) >> dataset("x.csv");
    };
    check(with("a,1,2\nb,3,4\n", except(0), 0));
    check(with("id1,1,a,2\nid2,3,b,4\n", except(-2, 0), -2));
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
    CHECK(refused("1e99,1,a\n") == "file 'x.csv', line 1, column 1: expected a finite number, found '1e99'");
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
          "file '" + (scratch.path / "none.csv").string() +
              "': expected a readable file, found 'No such file or directory'");
    CHECK(data_error([&] { table(scratch.path.string()); }).found == "a directory");
    CHECK(table(scratch.write("two.csv", std::string("1,a\n2,b\n"))).size() == 2);
}
