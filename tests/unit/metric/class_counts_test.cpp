// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/xtensor.hpp>
#include <sigma/metric/metrics.hpp>

#include <catch2/catch.hpp>

#include <cmath>

using namespace sigma;

namespace {

/// Labels 0 0 0 1 1 2, taken for 0 0 1 1 2 1; nothing of or for class 3.
ClassCounts counted() {
    ClassCounts counts(4);
    const xt::xtensor<double, 2> one_hot = {{1, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}, {0, 1, 0, 0}};
    counts.add(one_hot, xt::xtensor<int, 1>{0, 0, 0, 1});
    counts.add(1, 2);
    counts.add(2, 1);
    return counts;
}

TEST_CASE("Precision, recall and F1 of each class") {
    const ClassCounts c = counted();
    CHECK(c.count() == 6);
    CHECK(c.count(1, 2) == 1);
    CHECK(c.count_actual(0) == 3);
    CHECK(c.count_predicted(1) == 3);
    CHECK(c.precision(0) == 1);
    CHECK(c.recall(0) == 2.0 / 3);
    CHECK(c.f1(0) == 0.8);
    CHECK(c.precision(1) == 1.0 / 3);
    CHECK(c.recall(1) == 0.5);
    CHECK(c.f1(1) == 0.4);
    CHECK(c.precision(2) == 0);
    CHECK(c.recall(2) == 0);
    CHECK(c.f1(2) == 0);
    CHECK(std::isnan(c.precision(3)));
    CHECK(std::isnan(c.recall(3)));
    CHECK(std::isnan(c.f1(3)));
}
TEST_CASE("Macro and micro means") {
    ClassCounts c = counted();
    CHECK(c.accuracy() == 0.5);
    CHECK(c.micro_precision() == 0.5);
    CHECK(c.micro_recall() == 0.5);
    CHECK(c.micro_f1() == 0.5);
    CHECK(c.macro_precision() == Approx((1 + 1.0 / 3 + 0) / 3));  // class 3 does not occur
    CHECK(c.macro_recall() == Approx((2.0 / 3 + 0.5 + 0) / 3));
    CHECK(c.macro_f1() == Approx((0.8 + 0.4 + 0) / 3));
    c.add(3, 0);  // now it does: its precision, 0/0, counts 0
    CHECK(std::isnan(c.precision(3)));
    CHECK(c.macro_precision() == Approx((2.0 / 3 + 1.0 / 3 + 0 + 0) / 4));
    ClassCounts predicted_only = counted();
    predicted_only.add(0, 3);  // its recall, 0/0, counts 0 too
    CHECK(predicted_only.macro_recall() == Approx((0.5 + 0.5 + 0 + 0) / 4));
    c.reset();
    CHECK(std::isnan(c.accuracy()));
    CHECK(std::isnan(c.macro_f1()));
}
TEST_CASE("Labels that do not count, and wrong ones") {
    ClassCounts c(2, -1);
    c.add(std::vector<float>{1, 0, 0, 1, 1, 0}, std::vector<int>{0, -1, 1});
    CHECK(c.count() == 2);
    CHECK(c.accuracy() == 0.5);
    CHECK_THROWS_WITH(c.add(std::vector<float>{1, 0}, std::vector<int>{2}),
                      "labels of confusion matrix, position 0: expected a label from 0 to 1, found 2");
    CHECK_THROWS_AS(c.add(std::vector<float>{1, 0, 1}, std::vector<int>{1}), ShapeError);
    CHECK_THROWS_AS(c.add(2, 0), ArgumentError);
}

TEST_CASE("Answers to yes or no, with a threshold") {
    BinaryCounts half, low(0.2);
    const xt::xtensor<float, 2> p = {{0.9f, 0.5f}, {0.4f, 0.1f}, {0.8f, 0.3f}};
    const xt::xtensor<float, 2> y = {{1, 1}, {1, 0}, {0, 0}};
    half.add(p, y);
    low.add(p, y);
    CHECK(half.true_positives() == 2);  // at the threshold is yes
    CHECK(half.false_negatives() == 1);
    CHECK(half.false_positives() == 1);
    CHECK(half.true_negatives() == 2);
    CHECK(half.accuracy() == 4.0 / 6);
    CHECK(half.precision() == 2.0 / 3);
    CHECK(half.recall() == 2.0 / 3);
    CHECK(half.f1() == 2.0 / 3);
    CHECK(low.recall() == 1);
    CHECK(low.precision() == 0.6);
    CHECK(low.f1() == 0.75);
    half.add(std::vector<double>{0.1}, std::vector<int>{0});
    CHECK(half.accuracy() == 5.0 / 7);
    half.reset();
    CHECK(std::isnan(half.accuracy()));
    CHECK(std::isnan(half.precision()));
    CHECK(std::isnan(half.f1()));
    CHECK_THROWS_WITH(half.add(std::vector<double>{0.1}, std::vector<int>{-1}),
                      "labels of binary counts, position 0: expected a label from 0 to 1, found -1");
    CHECK_THROWS_WITH(half.add(p, xt::xtensor<float, 1>{1, 0, 1, 0, 1, 0}),
                      "targets of binary counts: expected shape (3, 2) as the predictions, found shape (6)");
    CHECK_THROWS_AS(half.add(std::vector<double>{NAN}, std::vector<int>{1}), ArgumentError);
    CHECK_THROWS_AS(BinaryCounts(NAN), ArgumentError);
}

TEST_CASE("Two classes are told by one number for each record, too") {
    ClassCounts counts(2, -1);
    counts.add(xt::xtensor<float, 2>{{0.2f}, {0.5f}, {0.9f}, {0.4f}, {0.7f}}, xt::xtensor<int, 1>{0, 0, 1, 1, -1});
    counts.add(std::vector<double>{0.6}, std::vector<int>{1});
    CHECK(counts.count() == 5);
    CHECK(counts.count(0, 0) == 1);
    CHECK(counts.count(0, 1) == 1);
    CHECK(counts.count(1, 0) == 1);
    CHECK(counts.count(1, 1) == 2);
    counts.add(xt::xtensor<float, 2>{{0.6f, 0.4f}}, xt::xtensor<int, 1>{0});  // one for each class
    CHECK(counts.count(0, 0) == 2);
    counts.add(xt::xtensor<float, 2>::from_shape({0, 2}), xt::xtensor<int, 1>::from_shape({0}));
    CHECK_THROWS_WITH(counts.add(std::vector<double>{0.1}, std::vector<double>{0.5}),
                      "labels of confusion matrix, position 0: expected a label from 0 to 1, found 0.5");
    CHECK_THROWS_WITH(counts.add(xt::xtensor<float, 2>{{0.2f, 0.5f}}, xt::xtensor<int, 1>{0, 1}),
                      "targets of confusion matrix: expected shape (1, 2) as the predictions, found shape (2)");
    CHECK_THROWS_AS(counts.add(std::vector<double>{NAN}, std::vector<int>{1}), ArgumentError);
}

TEST_CASE("Classes that there are not are refused") {
    const ClassCounts counts(3), none(0);
    CHECK_THROWS_WITH(counts.recall(3), "confusion matrix: expected a class below 3, found 3");
    CHECK_THROWS_WITH(counts.count(0, 1u << 20), "confusion matrix: expected a class below 3, found 1048576");
    CHECK_THROWS_AS(counts.count_predicted(4), ArgumentError);
    CHECK_THROWS_AS(counts.f1(static_cast<std::size_t>(-1)), ArgumentError);
    CHECK_THROWS_WITH(none.recall(1),
                      "confusion matrix: expected a class (there is none before the first score), found 1");
    CHECK(std::isnan(none.macro_recall()));
}

}  // namespace
