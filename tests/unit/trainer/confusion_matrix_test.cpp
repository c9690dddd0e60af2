// SPDX-License-Identifier: BSL-1.0
#include <sigma/trainer/terminal/confusion.hpp>

#include <catch2/catch.hpp>

#include <cmath>

using namespace sigma;

TEST_CASE("A confusion matrix counts, and prints its counts with their recall") {
    ConfusionMatrix matrix(3, {"cat", "hedgehog of the woods"});
    for (int i = 0; i < 8; ++i) matrix.add(0, 0);
    matrix.add(0, 1);
    matrix.add(0, 2);
    for (int i = 0; i < 1234; ++i) matrix.add(1, 1);
    CHECK(matrix.count(0, 0) == 8);
    CHECK(matrix.count_actual(0) == 10);
    CHECK(matrix.count() == 1244);
    CHECK(matrix.recall(0) == 0.8);
    CHECK(std::isnan(matrix.recall(2)));
    CHECK(matrix.accuracy() == Approx(1242.0 / 1244.0));
    CHECK(sentence("\n", matrix.table()) == R"(
                       predicted
actual                          cat hedgehog of             2   recall
cat                               8            1            1   80.00 %
hedgehog of the woods             .         1234            .  100.00 %
2                                 .            .            .         -
accuracy 99.84 % of 1244 records
)");
}

TEST_CASE("More names than classes leave the table as it is") {
    CHECK(ConfusionMatrix(2, {"cat", "dog", "elephant"}).table() == ConfusionMatrix(2, {"cat", "dog"}).table());
}

TEST_CASE("Names in UTF-8 keep the columns straight") {
    ConfusionMatrix matrix(2, {"grün", "über"});
    matrix.add(0, 1);
    CHECK(sentence("\n", matrix.table()) == R"(
        predicted
actual  grün über   recall
grün       .    1    0.00 %
über       .    .         -
accuracy 0.00 % of 1 records
)");
}

TEST_CASE("A class that is not there is refused") {
    ConfusionMatrix matrix(2);
    CHECK_THROWS_WITH(matrix.add(2, 0), "confusion matrix: expected classes below 2, found actual 2 and predicted 0");
    CHECK_THROWS_AS(matrix.add(0, 2), ArgumentError);
    CHECK(std::isnan(matrix.accuracy()));
    CHECK(matrix.table().find("accuracy") == std::string::npos);
}
