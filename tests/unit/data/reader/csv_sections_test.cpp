// SPDX-License-Identifier: BSL-1.0
#include "csv_support.hpp"

#include <sigma/data/source/source.hpp>

#include <cmath>

using namespace sigma::data;
using Floats = std::vector<float>;
using Names = std::vector<std::string>;
using sigma::Text;

namespace {

const std::string pets =
    "weight,age,kind,legs,name\n4.5,3,cat,4,Tom\n30,7,dog,4,Rex\n0.1,?,bird,2,\"Tweety, the bird\"\n5,2,cat,,Kit\n";
const CsvFormat pets_format{.header = true, .missing = {"", "?"}};

template <class C>
Floats values(const C& chosen, const std::string& text = pets, const CsvFormat& format = pets_format) {
    return all_of(csv(text_source(text), format) >> sections(inputs = chosen)).values.at(0).floats();
}
template <class C>
std::vector<std::size_t> shape(const C& chosen) {
    return (csv(text_source(pets), pets_format) >> sections(inputs = chosen)).reader->sections().at(0).shape;
}
template <class C>
using RecordOf = typename decltype(std::declval<C>().template named<"x", Role::input>())::SectionField::Record;
template <class A, class B>
constexpr bool same = std::is_same_v<A, B>;

}  // namespace

TEST_CASE("A table becomes records of named sections") {
    auto pipeline = csv(text_source("5.1,3.5,setosa\n7,3.2,versicolor\n6.3,3.3,setosa\n")) >>
                    sections(inputs = columns(0, 1), targets = labels(2, {"setosa", "versicolor", "virginica"}));
    const std::vector<SectionInfo> expected{{"inputs", {2}, false}, {"targets", {}, true}};
    CHECK(pipeline.reader->sections() == expected);
    CHECK(pipeline.reader->name() == "x.csv");
    CHECK_FALSE(pipeline.reader->size());
    Block block;
    CHECK(pipeline.reader->read(2, block) == 2);
    CHECK(block.values == std::vector<sigma::NumberList>{{5.1f, 3.5f, 7, 3.2f}, {0, 1}});
    CHECK(pipeline.reader->read(2, block) == 1);
    CHECK(block.values == std::vector<sigma::NumberList>{{6.3f, 3.3f}, {0}});
    CHECK(pipeline.reader->read(2, block) == 0);
    CHECK(pipeline.reader->read(2, block) == 0);
    CHECK(block.values == std::vector<sigma::NumberList>{{}, {}});
    pipeline.reader->rewind();
    CHECK(pipeline.reader->read(100, block) == 3);
    CHECK(block.values[1].floats() == Floats{0, 1, 0});
    CHECK(pipeline.reader->classes() == Names{"setosa", "versicolor", "virginica"});
    STATIC_REQUIRE(same<decltype(pipeline)::Schema, Schema<SectionField<"inputs", Role::input, UnknownExtents>,
                                                           SectionField<"targets", Role::target, Extents<>>>>);
}

TEST_CASE("Columns are chosen by number, from the end, and by name") {
    CHECK(values(column(0)) == Floats{4.5f, 30, 0.1f, 5});
    CHECK(values(columns(0, 0)) == values(column("weight")));
    CHECK(values(mapped(column(-2), {{"4", 8}, {"2", 4}, {"", 0}})) == Floats{8, 8, 4, 0});
    CHECK(values(columns({"age", "weight"}))[1] == 4.5f);
    CHECK(values(columns({1, 0}))[0] == 3);
    CHECK(values(columns("weight", "age"))[3] == 7);
    CHECK(values(except("kind", "name"))[2] == 4);
    CHECK(values(except(2, -1)).size() == 12);
    CHECK(values(columns(1, -1), "1,2,3\n4,5,6\n", {}) == Floats{2, 3, 5, 6});
    CHECK(shape(columns(0, 1)) == std::vector<std::size_t>{2});
    CHECK(shape(column(0)) == std::vector<std::size_t>{1});
    CHECK(shape(labels("kind")).empty());
}

TEST_CASE("Groups of columns stand one after the other in a section") {
    const auto both = columns(0, 0) + labels("kind") + column(3);
    CHECK(shape(both) == std::vector<std::size_t>{3});
    const Floats found = values(both);
    CHECK(Floats(found.begin(), found.begin() + 9) == Floats{4.5f, 1, 4, 30, 2, 4, 0.1f, 0, 2});
    CHECK(std::isnan(found[11]));
}

TEST_CASE("Chosen columns and sections that were moved from stay what they are") {
    auto chosen = columns(0, 0) + labels("kind");
    const auto moved = std::move(chosen);
    CHECK(values(chosen)[2] == 30);
    auto given = sections(inputs = moved);
    const auto taken = std::move(given);
    CHECK(all_of(csv(text_source(pets), pets_format) >> given).values.at(0).floats()[2] == 30);
}

TEST_CASE("The compiler knows the extents of columns it is told") {
    STATIC_REQUIRE(same<RecordOf<decltype(columns<0, 3>())>, Extents<4>>);
    STATIC_REQUIRE(same<RecordOf<decltype(columns<-3, -1>())>, Extents<3>>);
    STATIC_REQUIRE(same<RecordOf<decltype(columns<1, -1>())>, UnknownExtents>);
    STATIC_REQUIRE(same<RecordOf<decltype(columns(0, 3))>, UnknownExtents>);
    STATIC_REQUIRE(same<RecordOf<decltype(column<4>() + columns<0, 1>() + labels(2))>, Extents<4>>);
    STATIC_REQUIRE(same<RecordOf<decltype(columns<0, 1>() + columns(4, 5))>, UnknownExtents>);
    STATIC_REQUIRE(same<RecordOf<decltype(mapped(columns<0, 41>(), {{"x", 1}}))>, Extents<42>>);
    CHECK(values(columns<0, 1>()).size() == 8);
    CHECK(values(column<-2>(), "1,2,3\n", {}) == Floats{2});
}

TEST_CASE("Missing numbers are NaN where the format says what they look like") {
    const Floats ages = values(column("age"));
    CHECK(std::isnan(ages[2]));
    CHECK(ages[3] == 2);
    CHECK(std::isnan(values(column(0), "-9\n1\n", {.missing = {"-9"}})[0]));
    CHECK(values(column(0), "-9.0\n1\n", {.missing = {"-9"}})[0] == -9);
    CHECK(std::isnan(values(labels(0), "a\n?\n", {.missing = {"?"}})[1]));
    CHECK(values(labels(0, {"NA", "EU"}), "EU\nNA\n", {.missing = {"NA"}}) == Floats{1, 0});
    CHECK(std::isinf(values(column(0), "-inf\n", {.non_finite = true})[0]));
}

TEST_CASE("Labels are numbered in sorted order, or as they are given") {
    auto table = csv(text_source(pets), pets_format) >> sections(targets = labels("kind"), inputs = labels("name"));
    Block block;
    CHECK(table.reader->read(2, block) == 2);
    table.reader->rewind();
    CHECK(all_of(table, 1).values[0].floats() == Floats{1, 2, 0, 1});
    CHECK(table.reader->classes() == Names{"bird", "cat", "dog"});
    CHECK(values(labels("kind", {"bird", "cat", "dog"})) == Floats{1, 2, 0, 1});
    CHECK(values(labels(columns(0, 1)), "a,b\nb,c\n", {}) == Floats{0, 1, 1, 2});
    CHECK(values(mapped(columns(0, 2), {{"x", 1}, {"b", 0}, {"o", -1}}), "x,o,b\nb,x,x\n", {}) ==
          Floats{1, -1, 0, 0, 1, 1});
}

TEST_CASE("Labels without names are sorted by value where all are numbers, else by their bytes") {
    const auto classes = [](const std::string& text, const CsvFormat& format = {}) {
        auto table = csv(text_source(text), format) >> sections(inputs = labels(0), targets = labels(0));
        all_of(table, 1);
        return table.reader->classes();
    };
    CHECK(classes("10\n9\n-2.5\n+3\n1e2\n9\n") == Names{"-2.5", "+3", "9", "10", "1e2"});
    CHECK(classes("10\n9\nx\n") == Names{"10", "9", "x"});
    CHECK(classes("10\n9\n+-1\n") == Names{"+-1", "10", "9"});
    CHECK(classes("10\n9\nnan\n") == Names{"10", "9", "nan"});
    CHECK(classes("10\n9\n1e999\n") == Names{"10", "1e999", "9"});
    CHECK(classes("\xC3\xA4\nz\nZ\na\n") == Names{"Z", "a", "z", "\xC3\xA4"});
    // Equal numbers written in two ways stay two classes.
    CHECK(classes("6.0\n5\n6\n06\n7\n") == Names{"5", "06", "6", "6.0", "7"});
    CHECK(values(labels(0), "6.0\n5\n6\n06\n7\n", {}) == Floats{3, 0, 2, 1, 4});
    CHECK(classes("b\n?\na\n", {.missing = {"?"}}) == Names{"a", "b"});
    CHECK(values(labels(columns(0, 1)) + labels(2), "b,c,10\na,b,9\n", {}) == Floats{1, 2, 1, 0, 1, 0});
}

TEST_CASE("Two tables with the same texts in another order have the same class numbers") {
    const auto first = csv(text_source("1,0\n2,7\n3,10\n")) >> sections(inputs = column(0), targets = labels(1));
    const auto second = csv(text_source("1,10\n2,0\n3,7\n")) >> sections(inputs = column(0), targets = labels(1));
    CHECK(all_of(first, 2).values[1].floats() == Floats{0, 1, 2});
    CHECK(all_of(second, 2).values[1].floats() == Floats{2, 0, 1});
    CHECK(first.reader->classes() == second.reader->classes());
}

TEST_CASE("Texts of inputs are no classes") {
    const auto table = csv(text_source("b,1\na,0\n")) >> sections(inputs = labels(0), targets = classes(1));
    CHECK(all_of(table, 2).values[0].floats() == Floats{1, 0});
    CHECK(table.reader->classes().empty());
    const auto zipped = zip(csv(text_source("b\na\n")) >> sections(inputs = labels(0)),
                            csv(text_source("1\n0\n")) >> sections(targets = classes(0)));
    CHECK(all_of(zipped, 2).values[0].floats() == Floats{1, 0});
    CHECK(zipped.reader->classes().empty());
}

TEST_CASE("A table that has changed since its labels were numbered is numbered anew") {
    const Scratch scratch;
    const auto table = csv(file(scratch.write("kinds.csv", std::string("b\nc\n")))) >>
                       sections(inputs = labels(0), targets = labels(0));
    CHECK(all_of(table).values[0].floats() == Floats{0, 1});
    table.reader->rewind();
    CHECK(all_of(table).values[0].floats() == Floats{0, 1});
    scratch.write("kinds.csv", std::string("b\nccc\na\n"));
    table.reader->rewind();
    CHECK(all_of(table).values[0].floats() == Floats{1, 2, 0});
    CHECK(table.reader->classes() == Names{"a", "b", "ccc"});
}

TEST_CASE("A section may have any name, and a table gives its header") {
    auto pipeline =
        csv(text_source(pets), pets_format) >> sections(input<"body"> = columns(0, 1), target<"legs"> = column("legs"));
    CHECK(pipeline.reader->sections()[0] == SectionInfo{"body", {2}, false});
    CHECK(pipeline.reader->sections()[1] == SectionInfo{"legs", {1}, true});
    CHECK(csv(text_source(pets), pets_format).names() == Names{"weight", "age", "kind", "legs", "name"});
    CHECK(csv(text_source("1,2\n")).names().empty());
}

TEST_CASE("Keys differ when records may") {
    const auto key = [](const auto& chosen, const std::string& text = "1,2,3\n", const CsvFormat& format = {}) {
        return (csv(text_source(text), format) >> sections(inputs = chosen)).reader->key();
    };
    const std::vector<std::string> keys{key(columns(0, 1)),
                                        key(columns(0, 2)),
                                        key(columns(0, 1), "1,2,4\n"),
                                        key(columns(0, 1), "1,2,3\n", {.separator = ';'}),
                                        key(columns(0, 1), "1,2,3\n", {.missing = {"1"}}),
                                        key(columns(0, 1), "1,2,3\n", {.missing = {"1", ""}}),
                                        key(columns(0, 1), "1,2,3\n", {.skip_malformed = true}),
                                        key(column(0)),
                                        key(labels(0)),
                                        key(labels(0, {"1"})),
                                        key(labels(0, {"1", "2"})),
                                        key(mapped(0, {{"1", 0.1}})),
                                        key(mapped(0, {{"1", 0.10000001}})),
                                        key(column("0")),
                                        key(except(0))};
    for (std::size_t i = 0; i < keys.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) CHECK(keys[i] != keys[j]);
    CHECK(key(columns(0, 1)) == keys[0]);
}
