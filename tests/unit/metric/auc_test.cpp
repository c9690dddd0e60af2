// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/array.hpp>
#include <sigma/core/xtensor.hpp>
#include <sigma/metric/metrics.hpp>

#include <catch2/catch.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <random>

using namespace sigma;
using Catch::Matchers::Contains;

namespace {

TEST_CASE("AUC by hand") {
    AUC auc;
    CHECK(std::isnan(auc.value()));
    auc.add(std::vector<double>{0.1, 0.4}, std::vector<int>{0, 0});
    CHECK(std::isnan(auc.value()));  // of one kind only
    auc.add(std::vector<double>{0.35, 0.8}, std::vector<int>{1, 1});
    CHECK(auc.value() == 0.75);
    CHECK(auc.count() == 4);
    auc.add(xt::xtensor<float, 1>{std::numeric_limits<float>::infinity()}, xt::xtensor<float, 1>{1});
    CHECK(auc.value() == 5.0 / 6);
    auc.reset();
    auc.add(std::vector<double>{3, 3, 3}, std::vector<int>{0, 1, 1});
    CHECK(auc.value() == 0.5);
    CHECK_THROWS_AS(auc.add(std::vector<double>{NAN}, std::vector<int>{1}), ArgumentError);
    CHECK_THROWS_AS(auc.add(std::vector<double>{1}, std::vector<int>{2}), ArgumentError);
    CHECK_THROWS_AS(auc.add(std::vector<double>{1, 2}, std::vector<int>{1}), ShapeError);
    CHECK(auc.count() == 3);
}
TEST_CASE("One output and class numbers are of one shape") {
    Array<float> p = Array<float>::from_shape({4, 1}), y = Array<float>::from_shape({4});
    for (std::size_t i = 0; i < 4; ++i) {
        p.data()[i] = std::array{0.1f, 0.4f, 0.35f, 0.8f}[i];
        y.data()[i] = i >= 2 ? 1.0f : 0.0f;
    }
    AUC auc;
    auc.add(p, y);
    CHECK(auc.value() == 0.75);
    BinaryCounts counts(0.375);
    counts.add(p, y);
    CHECK((counts.true_positives() == 1 && counts.false_positives() == 1));
    CHECK((counts.true_negatives() == 1 && counts.false_negatives() == 1));
    RootMeanSquaredError squared;
    squared.add(y, p);
    CHECK(squared.value() == Approx(std::sqrt((0.01 + 0.16 + 0.65 * 0.65 + 0.04) / 4)));
    CHECK_THROWS_WITH(auc.add(Array<float>::from_shape({2, 2}), y),
                      Contains("expected shape (2, 2) as the predictions, found shape (4)"));
    CHECK_THROWS_AS(auc.add(Array<float>::from_shape({1}), Array<float>::from_shape({})), ShapeError);
    CHECK_THROWS_AS(auc.add(Array<float>::from_shape({4, 1, 1}), y), ShapeError);
    CHECK_THROWS_AS(auc.add(Array<float>::from_shape({4, 2}), y), ShapeError);
    CHECK(auc.count() == 4);
}
TEST_CASE("AUC counts pairs, with one half for each tie") {
    std::mt19937_64 bits(1);
    for (int trial = 0; trial < 200; ++trial) {
        const std::size_t n = 2 + bits() % 40, values = 1 + bits() % 12;
        std::vector<double> p(n), y(n);
        for (std::size_t i = 0; i < n; ++i)
            p[i] = static_cast<double>(bits() % values), y[i] = static_cast<double>(bits() % 2);
        double won = 0, pairs = 0;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                if (y[i] == 1 && y[j] == 0) {
                    ++pairs;
                    won += p[i] > p[j] ? 1 : p[i] == p[j] ? 0.5 : 0;
                }
        AUC auc;
        auc.add(std::vector<double>(p.begin(), p.begin() + 1), std::vector<double>(y.begin(), y.begin() + 1));
        auc.add(std::vector<double>(p.begin() + 1, p.end()), std::vector<double>(y.begin() + 1, y.end()));
        if (pairs == 0) CHECK(std::isnan(auc.value()));
        else CHECK(auc.value() == won / pairs);
    }
}

}  // namespace
