// SPDX-License-Identifier: BSL-1.0
// Losses of single elements: reductions, ignored targets, and the formulas of the small ones.
#include "loss_support.hpp"

#include <sigma/layer/squared_diff.hpp>
#include <sigma/tape/print.hpp>

using namespace sigma;
using namespace sigma::test;

namespace {

constexpr Shape images{batch, 2, 3}, rows{batch, 3};

/// Three records of which the second has some ignored targets, and the third nothing else.
Numbers_ marked(double mark) {
    Numbers_ y = random_numbers(2, 18);
    y[7] = y[10] = mark;
    std::fill(y.begin() + 12, y.end(), mark);
    return y;
}
double squared(double z, double y) { return (z - y) * (z - y); }
double half(double z, double y) { return squared(z, y) / 2; }
double absolute(double z, double y) { return std::abs(z - y); }

TEST_CASE("Each reduction of squared differences") {
    const Numbers_ z = random_numbers(1, 18), y = random_numbers(2, 18);
    check_elements<SquaredDiff{}, images>(z, y, squared);
    check_elements<SquaredDiff({.reduction = Reduction::over_elements}), images>(z, y, squared);
    check_elements<SquaredDiff({.reduction = Reduction::total}), images>(z, y, squared);
    check_elements<MeanSquaredError{}, images>(z, y, squared);
    check_elements<HalfSquared{}, images>(z, y, half);
    check_elements<AbsoluteError{}, images>(z, y, absolute);
}
TEST_CASE("Each reduction with ignored targets counts the others only") {
    const Numbers_ z = random_numbers(1, 18);
    check_elements<SquaredDiff({.ignore = -1}), images>(z, marked(-1), squared);
    check_elements<SquaredDiff({.reduction = Reduction::over_elements, .ignore = -1}), images>(z, marked(-1), squared);
    check_elements<SquaredDiff({.reduction = Reduction::total, .ignore = -1}), images>(z, marked(-1), squared);
    check_elements<MeanSquaredError({.ignore = 0.5}), rows>(z, marked(0.5), squared);
    check_elements<HalfSquared({.ignore = 1e30}), images>(z, marked(1e30), half);
    check_elements<AbsoluteError({.ignore = -1}), images>(z, marked(-1), absolute);
}
TEST_CASE("Where everything is ignored the loss is 0 and so is its gradient, however odd the mark") {
    const Numbers_ z = random_numbers(1, 6);
    const auto examine = [&](const Differentiated& found) {
        CHECK(found.value == 0);
        for (double g : found.gradient) CHECK(g == 0);
    };
    constexpr double infinite = std::numeric_limits<double>::infinity();
    examine(differentiated<MeanSquaredError({.ignore = infinite}), rows, rows, float>(z, Numbers_(6, infinite)));
    examine(differentiated<SquaredDiff({.ignore = -1}), rows, rows>(z, Numbers_(6, -1)));
    examine(differentiated<AbsoluteError({.reduction = Reduction::total, .ignore = 0}), rows, rows>(z, Numbers_(6, 0)));
}
TEST_CASE("Half of a square has the difference for its gradient, and no distance has none") {
    const Differentiated found = differentiated<HalfSquared{}, rows, rows>({1, 2, 3}, {1, 0, 4});
    CHECK(found.value == 2.5);
    CHECK(found.gradient == Numbers_{0, 2, -1});
    CHECK(differentiated<AbsoluteError{}, rows, rows>({1, 2, 3}, {1, 0, 4}).gradient == Numbers_{0, 1.0 / 3, -1.0 / 3});
    CHECK(predicted<AbsoluteError{}, rows>({1, -2, 3}) == Numbers_{1, -2, 3});
}
TEST_CASE("The default of SquaredDiff traces to what it always was") {
    sigma::detail::Program found, wanted;
    const Tensor z{detail::input(found, images, 0)}, y{detail::input(found, images, 1)};
    found.outputs.push(SquaredDiff{}.loss(z, y).variable);
    const Tensor a{detail::input(wanted, images, 0)}, b{detail::input(wanted, images, 1)};
    wanted.outputs.push((6.0 * mean(square(a - b))).variable);
    CHECK(to_text(found) == to_text(wanted));
}

}  // namespace
