// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/philox.hpp>
#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/json_lines.hpp>
#include <sigma/data/transform/transforms.hpp>

#include <sigma/sigma.hpp>

#include "csv_support.hpp"

#include <cmath>
#include <regex>

using namespace sigma;
using namespace sigma::data;
using Names = std::vector<std::string>;

namespace {

struct Fruits : Network<Input(3) + Dense(2) + SoftmaxCE()> {};

Source lines(const std::string& text, std::size_t chunk = std::size_t{1} << 20) {
    return text_source(text, chunk, "x.jsonl");
}
std::string at(const std::string& place, const std::string& expected, const std::string& found) {
    return sentence("file 'x.jsonl'", place.empty() ? "" : ", ", place, ": expected ", expected, ", found ", found);
}
/// Returns the error of reading all columns as numbers.
std::string refusal(const std::string& text, const JsonOptions& options = {}) {
    return error_text([&] { all_of(json_lines(lines(text), options) >> sections(inputs = columns(0, -1))); });
}

constexpr const char* fruits =
    R"({"weight": 150, "size": {"width": 7.5, "spots": [1, 2]}, "kind": "apple", "ripe": true}
{"kind": "lemon", "weight": 1.1e2, "ripe": false, "size": {"spots": [3, 4], "width": -6}}

{"weight": 5, "size": {"width": 0.1, "spots": [5, 6]}, "kind": "fig \u00e4\uD83D\uDE00", "ripe": true, }
)";

}  // namespace

TEST_CASE("Lines of JSON become a data set") {
    std::string text = fruits;
    text.replace(text.find(", }"), 3, "}");
    for (const std::size_t chunk : {std::size_t{1}, std::size_t{7}, std::size_t{1} << 20}) {
        const Table table = json_lines(lines(text, chunk));
        CHECK(table.names() == Names{"weight", "size.width", "size.spots.0", "size.spots.1", "kind", "ripe"});
        const Dataset set =
            table >> sections(inputs = columns("weight", "size.spots.1") + column("ripe"), targets = labels("kind")) >>
            dataset("fruits");
        CHECK(set.size() == 3);
        CHECK(std::vector<float>(set.input(0).begin(), set.input(0).end()) == std::vector<float>{150, 7.5f, 1, 2, 1});
        CHECK(std::vector<float>(set.input(1).begin(), set.input(1).end()) == std::vector<float>{110, -6, 3, 4, 0});
        CHECK(set.classes() == Names{"apple", "fig \u00e4\U0001F600", "lemon"});
        CHECK(set.label(1) == 2);
    }
}

TEST_CASE("A network learns from lines of JSON") {
    const Scratch scratch;
    PhiloxSequence random{Philox(9)};
    std::string text;
    for (int i = 0; i < 300; ++i) {
        const bool apple = random.below(2) == 0;
        text += sentence("{\"weight\": ", (apple ? 150 : 110) + random.normal<double>(),
                         ", \"size\": {\"width\": ", apple ? 7.5 : 6, "}, \"ripe\": ", apple ? "true" : "null",
                         ", \"kind\": \"", apple ? "apple" : "lemon", "\"}\n");
    }
    const std::string path = scratch.write("fruits.jsonl", text);
    CHECK(error_text([&] {
              json_lines(file(path)) >> sections(inputs = column("ripe"), targets = labels("kind")) >>
                  dataset("fruits");
          }).find("impute it before dataset") != std::string::npos);
    text.replace(0, text.size(), std::regex_replace(text, std::regex("null"), "false"));
    scratch.write("fruits.jsonl", text);
    // [json-lines]
    const auto fruits_of_file = json_lines(file(path)) >>
                                sections(inputs = columns({"weight", "size.width"}) + column("ripe"),
                                         targets = labels("kind", {"apple", "lemon"})) >>
                                dataset("fruits");
    // [json-lines]
    const auto [training, testing] = split(fruits_of_file, 0.8, 0.2);
    const Preprocessing p = fitted(standardize(inputs), training);
    const Dataset raw = testing >> p;
    Trainer trainer("fruits", Fruits{}, Adam{.learning_rate = 0.05}, minibatches(training >> p, 20));
    int epochs = 0;
    trainer.add(every(epoch).then([&] { ++epochs; }));
    trainer.run(cpu(), 10);
    CHECK(epochs == 10);
    CHECK(trainer.evaluate(raw).accuracy == 1);
}

TEST_CASE("Lines of JSON may be arrays") {
    const Dataset set = json_lines(lines("[1, 2.5, \"a\"]\r\n\t[3,4,\"b\"] \r\n")) >>
                        sections(inputs = columns<0, 1>(), targets = labels(-1)) >> dataset("pairs");
    CHECK(set.size() == 2);
    CHECK(set.input(1)[1] == 4);
    CHECK(set.classes() == Names{"a", "b"});
    CHECK(json_lines(lines("[1, [2, {\"a\": 3}]]")).names() == Names{"0", "1.0", "1.1.a"});
}

TEST_CASE("Values that are null, absent or NaN in lines of JSON are missing") {
    const std::string text =
        "{\"a\": 1, \"b\": {\"c\": 2, \"d\": \"?\"}}\n"
        "{\"a\": null, \"b\": null}\n"
        "{}\n"
        "{\"b\": {\"c\": NaN, \"d\": 4}}\n";
    const Block all = all_of(json_lines(lines(text), {.missing = {"?"}}) >> sections(inputs = columns(0, -1)));
    REQUIRE(all.records == 4);
    const std::vector<float>& values = all.values[0].floats();
    CHECK(values[0] == 1);
    CHECK(values[1] == 2);
    for (std::size_t i = 2; i < 11; ++i) CHECK(std::isnan(values[i]));
    CHECK(values[11] == 4);
    const std::string known = "{\"y\": 1, \"a\": 2, \"b\": 3}\n{\"y\": 0, \"a\": null, \"b\": 2}\n{\"y\": 7}\n";
    const auto kept = json_lines(lines(known)) >> sections(inputs = columns(1, 2), targets = column(0));
    CHECK((kept >> dataset("x", {.missing = true})).size() == 3);
    CHECK((kept >> impute(constant, 9) >> dataset("x")).input(2)[0] == 9);
    CHECK(error_text([&] { kept >> dataset("x"); }).find("impute it before dataset") != std::string::npos);
    const auto of = [](const std::string& line) {
        return all_of(json_lines(lines("{\"k\": \"a\"}\n" + line), {.missing = {"NA"}}) >>
                      sections(inputs = labels("k")));
    };
    CHECK(std::isnan(of("{\"k\": null}").values[0].floats()[1]));
    CHECK(std::isnan(of("{\"k\": \"NA\"}").values[0].floats()[1]));
}

TEST_CASE("Names of classes, mapped texts and dates in lines of JSON") {
    const auto first = [](const std::string& value, const auto& chosen, const JsonOptions& options = {}) {
        return all_of(json_lines(lines(sentence("{\"k\": ", value, "}")), options) >> sections(inputs = chosen))
            .values[0]
            .floats()[0];
    };
    CHECK(first("true", labels("k", {"false", "true"})) == 1);
    CHECK(first("false", classes("k")) == 0);
    CHECK(first("true", classes("k", 2)) == 1);
    CHECK(first("7", classes("k")) == 7);
    CHECK(first("7", labels("k", {"5", "7"})) == 1);
    CHECK(first("9007199254740993", labels("k", {"9007199254740992", "9007199254740993"})) == 1);
    CHECK(first("\"o\"", mapped("k", {{"x", 1}, {"o", -1}})) == -1);
    CHECK(first("\"1970-01-03\"", date("k")) == 2);
    CHECK(first("19700103", date("k", {.format = "%Y%m%d"})) == 2);
    CHECK(first("\"2.5\"", column("k")) == 2.5f);
    CHECK(first("Infinity", column("k"), {.non_finite = true}) == std::numeric_limits<float>::infinity());
    CHECK(first("-Infinity", column("k"), {.non_finite = true}) == -std::numeric_limits<float>::infinity());
}

TEST_CASE("Numbers in lines of JSON are the nearest floats and doubles") {
    PhiloxSequence random{Philox(11)};
    std::string text;
    std::vector<double> wanted;
    for (int i = 0; i < 3000; ++i) {
        const double value = std::ldexp(2 * random.uniform<double>() - 1, static_cast<int>(random.below(240)) - 120);
        wanted.push_back(value);
        text += sentence("{\"x\":", value, "}\n");
    }
    const auto floats = all_of(json_lines(lines(text, 101)) >> sections(inputs = column("x")), 7);
    Block doubles;
    const auto exact = json_lines(lines(text), {.doubles = true}) >> sections(inputs = column("x"));
    REQUIRE(exact.reader->read(4000, doubles) == 3000);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        CHECK(floats.values[0].floats()[i] == static_cast<float>(wanted[i]));
        CHECK(doubles.values[0].doubles()[i] == wanted[i]);
    }
}

TEST_CASE("Names after the first line of JSON, and columns that the call names") {
    CHECK(refusal("{\"a\": 1}\n{\"b\": 1}\n") == at("line 2", "the names of the first line", "'b' (see .columns)"));
    CHECK(refusal("[1]\n\n[1, 2]\n") == at("line 3", "the names of the first line", "'1' (see .columns)"));
    const std::string text = "{\"a\": 1, \"z\": [[]]}\n{\"b\": 2, \"y\": {\"a\": null}}\n";
    const Table table = json_lines(lines(text), {.columns = {"b", "a"}});
    CHECK(table.names() == Names{"b", "a"});
    const auto values = all_of(table >> sections(inputs = columns(0, -1))).values[0].floats();
    CHECK(values[1] == 1);
    CHECK(values[2] == 2);
    CHECK(std::isnan(values[0]));
    CHECK(std::isnan(values[3]));
    CHECK(error_text([&] { json_lines(lines(text), {.columns = {"b", "a", "b"}}); }) ==
          "JsonOptions::columns: expected each name once, found 'b' twice");
    CHECK(error_text([&] { all_of(json_lines(lines(text), {.columns = {"b"}}) >> sections(inputs = column("c"))); }) ==
          at("", "a column 'c'", "'b'"));
    CHECK(error_text([&] { all_of(json_lines(lines(text)) >> sections(inputs = column("c"))); }) ==
          at("names of the first line", "a column 'c'", "'a'"));
    CHECK(error_text([&] { all_of(json_lines(lines(text)) >> sections(inputs = column(1))); }) ==
          at("line 1", "a column 1", "1 column"));
}

TEST_CASE("Lines that are no JSON are refused with their place") {
    CHECK(refusal("") == at("", "at least one record", "none"));
    CHECK(refusal("\n \r\n") == at("", "at least one record", "none"));
    CHECK(refusal("7\n") == at("line 1, byte 1", "an object or an array", "'7'"));
    CHECK(refusal("{\"a\": 1}\n\n{\"a\": 1,}\n") == at("line 3, byte 9", "a name in quotes", "'}'"));
    CHECK(refusal("{\"a\": 1} {\"a\": 2}\n") == at("line 1, byte 10", "the end of the line after a record", "'{'"));
    CHECK(refusal("{\"a\": 1\n}") == at("line 1, byte 8", "',' or '}' after a value", "the end of the line"));
    CHECK(refusal("[1, 2") == at("line 1, byte 6", "',' or ']' after a value", "the end of the line"));
    CHECK(refusal("[\n  {\"a\": 1}\n]\n") == at("line 1, byte 2", "a value", "the end of the line"));
    CHECK(refusal("{\"a\" 1}") == at("line 1, byte 6", "':'", "'1'"));
    CHECK(refusal("{'a': 1}") == at("line 1, byte 2", "a name in quotes", "'''"));
    CHECK(refusal("{\"a\": nul}") == at("line 1, byte 7", "a value", "'n'"));
    CHECK(refusal("{\"a\": \"\t\"}") == at("line 1, byte 8", "an escape in place of a control character", "'\\x09'"));
    CHECK(refusal("{\"a\": \"\\x\"}") ==
          at("line 1, byte 9", "one of the escapes \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u", "'x'"));
    CHECK(refusal("{\"a\": \"\xFF\"}") == at("line 1, byte 8", "UTF-8", "'\\xff'"));
    CHECK(refusal(std::string("{\"a\": 1}\n\0", 10)) == at("line 2, byte 1", "an object or an array", "'\\x00'"));
    for (const auto& [number, place, expected, found] :
         {std::array{"01", "7", "a number without leading zeros", "'0'"},
          std::array{"1.", "9", "a digit after the point", "'}'"}, std::array{"-", "8", "a digit", "'}'"},
          std::array{"1e+", "10", "a digit of the exponent", "'}'"}, std::array{".5", "7", "a value", "'.'"},
          std::array{"+1", "7", "a value", "'+'"}, std::array{"0x10", "8", "',' or '}' after a value", "'x'"}})
        CHECK(refusal(sentence("{\"a\": ", number, "}")) == at(sentence("line 1, byte ", place), expected, found));
    CHECK(refusal("{\"a\": 1, \"a\": 2}") == at("line 1", "each name once", "'a' twice"));
    CHECK(refusal("{\"a\": 1}\n{\"a\": 1, \"a\": 2}") == at("line 2", "each name once", "'a' twice"));
    CHECK(refusal("{\"a.b\": 1, \"a\": {\"b\": 2}}") == at("line 1", "each name once", "'a.b' twice"));
    CHECK(refusal("sep=;\n{\"a\": 1}\n") == at("line 1", "an object or an array", "the line 'sep=' of a spreadsheet"));
    CHECK(refusal("\x1F\x8B\x08").find("gzip") != std::string::npos);
    CHECK(refusal("\xEF\xBB\xBF{\"a\": 1}\n{\"a\": \"x\"}") == at("line 2, column 'a'", "a finite number", "'x'"));
}

TEST_CASE("Values of lines of JSON that are no numbers are refused with their line and column") {
    CHECK(refusal("{\"a\": 1, \"b\": \"x\"}") == at("line 1, column 'b'", "a finite number", "'x'"));
    CHECK(refusal("{\"a\": 1}\n{\"a\": \"\"}") ==
          at("line 2, column 'a'", "a finite number", "an empty field (see .missing)"));
    CHECK(refusal("{\"a\": Infinity}") == at("line 1, column 'a'", "a finite number", "'inf'"));
    CHECK(refusal("{\"a\": 1e39}") ==
          at("line 1, column 'a'", "a number of at most 3.4e38, the largest float, or {.doubles = true}", "'1e39'"));
    CHECK(refusal("{\"a\": 1e400}", {.doubles = true}) ==
          at("line 1, column 'a'", "a number of at most 1.8e308, the largest double", "'1e400'"));
    const auto class_refusal = [](const std::string& value) {
        return error_text(
            [&] { all_of(json_lines(lines("{\"a\": " + value + "}")) >> sections(inputs = labels("a"))); });
    };
    CHECK(class_refusal("\"\"") == at("line 1, column 'a'", "the name of a class", "nothing"));
    CHECK(class_refusal("\"a\\u0000b\"") == at("line 1, column 'a'", "the name of a class in UTF-8", "'a\\x00b'"));
    CHECK(error_text([] { all_of(json_lines(lines("{\"a\": 3}")) >> sections(inputs = classes("a", 3))); }) ==
          at("line 1, column 'a'", "a class from 0 to 2", "'3'"));
}

TEST_CASE("Limits of lines of JSON") {
    const std::string deep(100000, '[');
    CHECK(refusal(deep) == at("line 1, byte 65", "at most 64 lists and objects in each other", "more"));
    CHECK(refusal(std::string(64, '[') + "1" + std::string(64, ']')) == "no error");
    const std::string text = "[1]\n[\"" + std::string(100, ' ') + "\"]\n";
    CHECK(refusal(text, {.longest_record = 50}) == at("line 2", "a record of at most 50 bytes", "more"));
    CHECK(refusal("[" + std::string(300000, ' '), {.longest_record = 50}) ==
          at("line 1", "a record of at most 50 bytes", "more"));
    CHECK(refusal("[1, 2, 3]", {.most_columns = 2}) == at("line 1", "at most 2 columns", "more"));
    CHECK(error_text([] { json_lines(lines(""), {.longest_record = 0}); }) ==
          "limit of a table: expected a number from 1 to 1073741824, found 0");
}

TEST_CASE("A table of JSON in memory, and its keys") {
    const TableValues table =
        read_table(json_lines(lines("{\"a\": 1, \"b\": \"x\", \"c\": null, \"d\": true}\n"
                                    "{\"a\": null, \"b\": 2, \"c\": 1e300, \"d\": false}\n")));
    CHECK(table.records == 2);
    CHECK(table["a"].numbers[0] == 1);
    CHECK(std::isnan(table["a"].numbers[1]));
    CHECK(table["b"].texts == Names{"x", "2"});
    CHECK(table["c"].numbers[1] == 1e300);
    CHECK(table["d"].numbers == std::vector<double>{1, 0});
    const auto key = [](const Table& of) { return (of >> sections(inputs = column(0))).reader->key(); };
    CHECK(key(json_lines(lines("[1]"))) == key(json_lines(lines("[1]"))));
    CHECK(key(json_lines(lines("[1]"))) != key(json_lines(lines("[2]"))));
    CHECK(key(json_lines(lines("[1]"))) != key(json_lines(lines("[1]"), {.columns = {"0"}})));
    CHECK(key(json_lines(lines("[1]"))) != key(json_lines(lines("[1]"), {.missing = {""}})));
    CHECK(key(json_lines(lines("[1]"))) != key(csv(lines("[1]"))));
    const auto pipeline = json_lines(lines("[1]")) >> sections(inputs = column(0));
    CHECK(pipeline.reader->origins()[0].reader == "json lines");
}
