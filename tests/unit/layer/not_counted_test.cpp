// SPDX-License-Identifier: BSL-1.0
// What does not count reaches no gradient, though it be infinite or NaN.
#include "loss_support.hpp"

#include <sigma/layer/binary_ce.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/layer/weighted_records.hpp>

using namespace sigma;
using namespace sigma::test;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN(),
                 infinite = std::numeric_limits<double>::infinity();
constexpr Shape rows{batch, 3}, classes{batch};

/// Of three records the second is ignored; what it has there changes nothing.
template <auto layer, Shape Y>
void check_ignored(const Numbers_& y) {
    Numbers_ z = random_numbers(7, 9, 0.1, 0.9);
    const Differentiated wanted = differentiated<layer, rows, Y>(z, y);
    CHECK(std::isfinite(wanted.value));
    for (const double odd : {not_a_number, infinite, -infinite}) {
        z[3] = odd, z[4] = 1, z[5] = -odd;
        const Differentiated found = differentiated<layer, rows, Y>(z, y);
        CHECK(found.value == wanted.value);
        CHECK(found.gradient == wanted.gradient);
        for (int i = 3; i < 6; ++i) CHECK(found.gradient[static_cast<std::size_t>(i)] == 0);
    }
}

}  // namespace

TEST_CASE("outputs whose targets are ignored may be anything") {
    const Numbers_ y{0.2, 0.3, 0.5, -7, -7, -7, 0, 0.6, 0.4}, yes{1, 0, 1, -7, -7, -7, 0, 0, 1}, of_class{2, -7, 0};
    check_ignored<SquaredDiff({.ignore = -7}), rows>(y);
    check_ignored<MeanSquaredError({.ignore = -7}), rows>(y);
    check_ignored<HalfSquared({.ignore = -7}), rows>(y);
    check_ignored<AbsoluteError({.ignore = -7}), rows>(y);
    check_ignored<Huber(1, {.ignore = -7}), rows>(y);
    check_ignored<Hinge({.ignore = -7}), rows>(yes);
    check_ignored<BinaryCE({.ignore = -7}), rows>(yes);
    check_ignored<CosineLoss(1e-8, {.ignore = -7}), rows>(y);
    check_ignored<NLL(1e-8, {.ignore = -7}), rows>(y);
    check_ignored<KLDivergence({.ignore = -7}), rows>(y);
    check_ignored<SoftmaxDistributionCE({.ignore = -7}), rows>(y);
    check_ignored<SoftmaxDistributionCE({.smoothing = 0.1, .ignore = -7}), rows>(y);
    check_ignored<SoftmaxCE({.ignore = -7}), classes>(of_class);
    check_ignored<SoftmaxCE({.smoothing = 0.1, .ignore = -7}), classes>(of_class);
    check_ignored<SoftmaxCE({.ignore = -7}).weighted(1, 2, 3), classes>(of_class);
    check_ignored<MulticlassHinge({.ignore = -7}), classes>(of_class);
}

TEST_CASE("a class that cannot be and is not wanted changes no loss of distributions") {
    const Numbers_ z{0, 0, -infinite}, q{1, 0, 0};
    const Numbers_ wanted{-0.5, 0.5, 0};
    for (const Differentiated& found :
         {differentiated<SoftmaxDistributionCE{}, rows, rows>(z, q), differentiated<KLDivergence{}, rows, rows>(z, q),
          differentiated<SoftmaxCE{}, rows, classes>(z, {0})}) {
        CHECK(found.value == Approx(std::log(2.0)));
        CHECK(found.gradient == wanted);
    }
    CHECK(differentiated<SoftmaxDistributionCE{}, rows, rows>(z, {0, 0, 1}).value == infinite);
}

TEST_CASE("a score that cannot be and is not wanted changes no other loss") {
    const auto yes = differentiated<BinaryCE{}, rows, rows>({-infinite, infinite, 0}, {0, 1, 1});
    CHECK(yes.value == Approx(std::log(2.0) / 3));
    CHECK(yes.gradient == Numbers_{0, 0, -0.5 / 3});
    CHECK(differentiated<BinaryCE{}, rows, rows>({-infinite, 0, 0}, {1, 0, 0}).value == infinite);

    constexpr auto weighted = SoftmaxCE().weighted(1, 1, 0);
    const auto of = differentiated<weighted, rows, classes>({0, 0, -infinite, 0, 0, -infinite}, {0, 2});
    CHECK(of.value == Approx(std::log(2.0)));  // the second counts nothing
    CHECK(of.gradient == Numbers_{-0.5, 0.5, 0, 0, 0, 0});
}

TEST_CASE("a record of weight 0 may be anything") {
    constexpr auto weighed = weighted_records(MeanSquaredError());
    const Numbers_ y{1, 2, 3, 1, 4, 5, 6, 0};
    Numbers_ z{1, 1, 1, 2, 2, 2};
    constexpr Shape flat{batch, 4};
    const auto wanted = differentiated<weighed, rows, flat>(z, y);
    CHECK(std::isfinite(wanted.value));
    for (const double odd : {not_a_number, infinite, -infinite}) {
        z[3] = odd, z[4] = 1, z[5] = -odd;
        const auto found = differentiated<weighed, rows, flat>(z, y);
        CHECK(found.value == wanted.value);
        CHECK(found.gradient == wanted.gradient);
    }
}
