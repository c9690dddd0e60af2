// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/array.hpp>
#include <sigma/core/xtensor.hpp>
#include <sigma/metric/metrics.hpp>

#include <catch2/catch.hpp>

using namespace sigma;

namespace {

const xt::xtensor<double, 1> predictions = {2.5, 0, 2, 8}, targets = {3, -0.5, 2, 7};

template <class Metric>
void check_batches(Metric whole) {
    Metric parts = whole;
    whole.add(predictions, targets);
    parts.add(std::vector<double>{2.5}, std::vector<double>{3});
    parts.add(std::vector<double>{0, 2, 8}, std::vector<double>{-0.5, 2, 7});
    CHECK(parts.value() == Approx(whole.value()).epsilon(1e-15));
    whole.reset();
    CHECK(std::isnan(whole.value()));
    CHECK_THROWS_AS(whole.add(predictions, std::vector<double>{1}), ShapeError);
    CHECK_THROWS_AS(whole.add(predictions, xt::xtensor<double, 2>{{1, 2}, {3, 4}}), ShapeError);
    CHECK_THROWS_AS(whole.add(std::vector<double>{NAN}, std::vector<double>{1}), ArgumentError);
    CHECK_THROWS_AS(whole.add(std::vector<double>{1}, std::vector<double>{NAN}), ArgumentError);
    CHECK(std::isnan(whole.value()));
}

TEST_CASE("Errors of numbers") {
    MeanAbsoluteError absolute;
    absolute.add(predictions, targets);
    CHECK(absolute.value() == 0.5);
    CHECK(absolute.count() == 4);
    RootMeanSquaredError squared;
    squared.add(predictions, targets);
    CHECK(squared.value() == std::sqrt(1.5 / 4));
    check_batches(MeanAbsoluteError());
    check_batches(RootMeanSquaredError());
    check_batches(R2());
}
TEST_CASE("R2 by hand, far from 0, and of several outputs") {
    R2 r2;
    r2.add(predictions, targets);
    CHECK(r2.value() == Approx(1 - 1.5 / 29.1875).epsilon(1e-15));  // mean 2.875
    R2 mean;
    mean.add(xt::xtensor<double, 1>{2.875, 2.875, 2.875, 2.875}, targets);
    CHECK(mean.value() == Approx(0).margin(1e-15));

    R2 far;
    const double offset = 1e9;
    far.add(predictions + offset, targets + offset);
    CHECK(far.value() == Approx(1 - 1.5 / 29.1875).epsilon(1e-9));

    R2 two(2);
    two.add(xt::xtensor<double, 2>{{1, 10}, {2, 20}, {3, 33}}, xt::xtensor<double, 2>{{1, 10}, {2, 20}, {4, 30}});
    CHECK(two.value(0) == Approx(1 - 1 / (14.0 / 3)));
    CHECK(two.value(1) == Approx(1 - 9 / 200.0));
    CHECK(two.value() == Approx((two.value(0) + two.value(1)) / 2));
    CHECK_THROWS_WITH(two.add(xt::xtensor<double, 2>{{1}, {2}}, xt::xtensor<double, 2>{{1}, {2}}),
                      "targets of R2: expected rows of 2 outputs, found shape (2, 1)");
    CHECK_THROWS_AS(two.add(std::vector<double>{1}, std::vector<double>{1}), ShapeError);
    CHECK_THROWS_AS(two.value(2), ArgumentError);
    CHECK_THROWS_AS(R2(0), ArgumentError);

    R2 constant;
    constant.add(std::vector<double>{0.1, 0.2}, std::vector<double>{0.1, 0.1});
    CHECK(std::isnan(constant.value()));
}
TEST_CASE("Perplexity") {
    Perplexity even(4);
    even.add(xt::xtensor<float, 2>{{0.25f, 0.25f, 0.25f, 0.25f}, {0.25f, 0.25f, 0.25f, 0.25f}},
             xt::xtensor<int, 1>{0, 3});
    CHECK(even.value() == Approx(4).epsilon(1e-15));
    even.add_loss(std::log(2.0), 2);
    CHECK(even.value() == Approx(std::sqrt(8.0)));
    Perplexity some(2, -1);
    some.add(xt::xtensor<double, 3>{{{0.5, 0.5}, {0.9, 0.1}}, {{0, 1}, {0.25, 0.75}}},
             xt::xtensor<int, 2>{{0, -1}, {1, -1}});
    CHECK(some.count() == 2);
    CHECK(some.value() == Approx(std::sqrt(2.0)));
    some.add(std::vector<double>{0, 1}, std::vector<int>{0});
    CHECK(std::isinf(some.value()));
    CHECK(std::isnan(Perplexity(3).value()));
    CHECK_THROWS_WITH(some.add(std::vector<double>{-1, 2}, std::vector<int>{0}),
                      "predictions of perplexity, position 0: expected a probability from 0 to 1, found -1");
    CHECK_THROWS_AS(some.add(std::vector<double>{0.5, NAN}, std::vector<int>{0}), ArgumentError);
    CHECK_THROWS_AS(some.add(std::vector<double>{0.5, 0.5}, std::vector<int>{2}), ArgumentError);
    CHECK_THROWS_AS(some.add_loss(NAN, 1), ArgumentError);
}

}  // namespace

TEST_CASE("R2 of several outputs takes no column for a row of them") {
    const auto column = Array<double>::from_shape({3, 1}), row = Array<double>::from_shape({3});
    CHECK_THROWS_AS(R2(3).add(column, row), ShapeError);
}
