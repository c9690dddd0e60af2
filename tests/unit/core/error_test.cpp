// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/error.hpp>
#include <sigma/core/text.hpp>

#include <catch2/catch.hpp>
#include <support/comma_locale.hpp>

#include <cmath>
#include <vector>

using namespace sigma;

TEST_CASE("An error says where, what was expected and what was found") {
    const DataError in_file("labels.gz", "byte 16", "60000 labels", "59999");
    CHECK(in_file.what() == std::string("file 'labels.gz', byte 16: expected 60000 labels, found 59999"));
    CHECK(in_file.file == "labels.gz");
    CHECK(in_file.place == "byte 16");
    CHECK(in_file.expected == "60000 labels");
    CHECK(in_file.found == "59999");

    CHECK(DataError("x.csv", "", "a record", "an empty file").what() ==
          std::string("file 'x.csv': expected a record, found an empty file"));
    CHECK(DataError::in_dataset("iris", "record 3", "a label from 0 to 2", "7").what() ==
          std::string("dataset 'iris', record 3: expected a label from 0 to 2, found 7"));
    CHECK(DataError::in_directory("photos", "a sub-directory for each class", "none").what() ==
          std::string("directory 'photos': expected a sub-directory for each class, found none"));
    CHECK(ArgumentError("minibatches", "a batch size from 1 to 150", "0").what() ==
          std::string("minibatches: expected a batch size from 1 to 150, found 0"));
    CHECK(NumericError(17, "2-dense", "the loss became NaN").what() ==
          std::string("iteration 17, layer '2-dense': the loss became NaN"));
}

TEST_CASE("A sentence takes texts, numbers and characters") {
    CHECK(sentence("byte ", 16, ", ", 0.5, ' ', 'X', std::string("O")) == "byte 16, 0.5 XO");
}

TEST_CASE("Numbers in a sentence have all their digits, in every locale") {
    const auto examine = [] {
        CHECK(sentence(0.5, ' ', 1e-7, ' ', 100000.0, ' ', 0.0001, ' ', 60'000'000.0, ' ', -0.0) ==
              "0.5 1e-07 100000 0.0001 6e+07 -0");
        CHECK(sentence(0.1f, ' ', 0.02f) == "0.1 0.02");
        CHECK(sentence(0.12345678) == "0.12345678");
        CHECK(sentence(0.12345678) != sentence(0.12345679));
        CHECK(sentence(std::nan(""), ' ', -std::nan(""), ' ', -HUGE_VAL) == "nan nan -inf");
    };
    examine();
    const CommaLocale comma;
    examine();
}

TEST_CASE("A name is never cut: what is put together at run time throws") {
    Text name("a name of sixty-three characters, for which there is just room.");
    CHECK(name.size == 63);
    CHECK(name.append("").view() == "a name of sixty-three characters, for which there is just room.");
    CHECK_THROWS_AS(name.append("x"), ArgumentError);
    CHECK_THROWS_AS(name.append(0), ArgumentError);
    CHECK(name.size == 63);
    CHECK(Text("layer ").append(1203).append("-").append(0).view() == "layer 1203-0");
}

TEST_CASE("Every error is caught as Error and as std::exception") {
    CHECK_THROWS_AS(throw DataError("a", "b", "c", "d"), Error);
    CHECK_THROWS_AS(throw ShapeError("a", "b", "c"), MismatchError);
    CHECK_THROWS_AS(throw ArgumentError("a", "b", "c"), Error);
    CHECK_THROWS_AS(throw NumericError(1, "a", "b"), std::exception);
}

TEST_CASE("Shapes print as tuples") {
    CHECK(detail::shape_text(std::vector<std::size_t>{}) == "()");
    CHECK(detail::shape_text(std::vector<std::size_t>{10}) == "(10)");
    CHECK(detail::shape_text(std::vector<std::size_t>{10, 28, 28}) == "(10, 28, 28)");
}
