// SPDX-License-Identifier: BSL-1.0
#include "loss_support.hpp"

#include <sigma/layer/binary_ce.hpp>

using namespace sigma;
using namespace sigma::test;

namespace {

constexpr Shape rows{batch, 3}, one{batch, 1};

double l(double z, double y) {
    const double p = 1 / (1 + std::exp(-z));
    return -y * std::log(p) - (1 - y) * std::log(1 - p);
}

TEST_CASE("BinaryCE is the cross-entropy of the logistic function, for hard and soft targets") {
    Numbers_ y = random_numbers(4, 15, 0, 1);
    y[0] = y[4] = 0;
    y[1] = y[7] = 1;
    check_elements<BinaryCE{}, rows>(random_numbers(3, 15, -4, 4), y, l);
    check_elements<BinaryCE({.reduction = Reduction::over_batch}), rows>(random_numbers(3, 15), y, l);
    y[3] = y[4] = y[5] = y[14] = -1;
    check_elements<BinaryCE({.reduction = Reduction::over_batch, .ignore = -1}), rows>(random_numbers(3, 15), y, l);
}
TEST_CASE("BinaryCE weighs what should be a yes") {
    const auto weighed = [](double z, double y) {
        const double p = 1 / (1 + std::exp(-z));
        return -3.5 * y * std::log(p) - (1 - y) * std::log(1 - p);
    };
    Numbers_ y = random_numbers(4, 15, 0, 1);
    y[0] = y[4] = 0;
    y[1] = y[7] = 1;
    check_elements<BinaryCE({.positive_weight = 3.5}), rows>(random_numbers(3, 15, -4, 4), y, weighed);
    y[3] = y[4] = y[5] = y[14] = -1;
    check_elements<BinaryCE({.positive_weight = 3.5, .ignore = -1}), rows>(random_numbers(3, 15), y, weighed);
    check_elements<BinaryCE({.positive_weight = 3.5, .reduction = Reduction::total, .ignore = -1}), rows>(
        random_numbers(3, 15), y, weighed);
    // At a score of 0, and where it is so great that the other side must not reach the value.
    constexpr BinaryCE loss({.positive_weight = 4});
    CHECK(differentiated<loss, one, one>({0, 0, 0}, {0, 1, 0.5}, 3).gradient == Numbers_{0.5, -2, -0.75});
    CHECK(differentiated<loss, one, one>({1e4}, {1}).value == 0);
    CHECK(differentiated<loss, one, one>({-1e4}, {1}).value == 4e4);
    CHECK(differentiated<loss, one, one>({1e4}, {0}).value == 1e4);
}
TEST_CASE("The gradient of BinaryCE at a score of 0 is σ(0) - y") {
    CHECK(differentiated<BinaryCE{}, one, one>({0, 0, 0}, {0, 1, 0.5}, 3).gradient == Numbers_{0.5, -0.5, 0});
}
TEMPLATE_TEST_CASE("BinaryCE of saturated scores is exact to the last digits", "", float, double) {
    const double tolerance = sizeof(TestType) == 4 ? 2e-6 : 1e-14;
    const Numbers_ z{1e4, 1e4, -1e4, -1e4, 20, -20, 20, -20}, y{1, 0, 0, 1, 1, 0, 0, 1};
    const double tiny = std::exp(-20.0);
    const Numbers_ value{
        0, 1e4, 0, 1e4, std::log1p(tiny), std::log1p(tiny), 20 + std::log1p(tiny), 20 + std::log1p(tiny)};
    const Numbers_ slope{0, 1, 0, -1, -tiny / (1 + tiny), tiny / (1 + tiny), 1 / (1 + tiny), -1 / (1 + tiny)};
    for (std::size_t i = 0; i < z.size(); ++i) {
        const auto found = differentiated<BinaryCE{}, one, one, TestType>({z[i]}, {y[i]});
        CHECK(found.value == Approx(value[i]).epsilon(tolerance));
        CHECK(found.gradient[0] == Approx(slope[i]).epsilon(tolerance));
    }
}
TEST_CASE("BinaryCE predicts probabilities") {
    const Numbers_ p = predicted<BinaryCE{}, one>({0, 2, -1e4});
    CHECK(p[0] == 0.5);
    CHECK(p[1] == Approx(1 / (1 + std::exp(-2.0))));
    CHECK(p[2] == 0);
}

}  // namespace
