// SPDX-License-Identifier: BSL-1.0
#include <sigma/execution/step.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/optimizer/gradient_descent.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <support/direct_step.hpp>
#include <vector>

using namespace sigma;

namespace {

// These networks have nothing to learn; with targets 0 the loss tells which elements a training step kept.
struct Bits : Network<Input(20) + Dropout(0.25f) + SquaredDiff()> {};
struct Once : Network<Input(200) + Dropout(0.25f) + SquaredDiff()> {};
struct Twice : Network<Input(200) + 2 * Dropout(0.25f) + SquaredDiff()> {};
struct None : Network<Input(200) + Dropout(0.0f) + SquaredDiff()> {};

/// The sum over records of 4^i for each element i that was kept.
std::uint64_t kept(std::uint64_t seed, std::uint64_t number, std::ptrdiff_t records = 1) {
    Model<Bits, double> model(seed);
    sigma::test::DirectStep<Bits, GradientDescent, double> step(model);
    std::vector<double> x, y(static_cast<std::size_t>(20 * records));
    for (std::ptrdiff_t r = 0; r < records; ++r)
        for (int i = 0; i < 20; ++i) x.push_back(std::ldexp(1.0, i));
    const double loss = step(GradientDescent{}, number, x.data(), y.data(), records);
    return static_cast<std::uint64_t>(std::llround(loss * static_cast<double>(records) * 9 / 16));
}
/// The mean square of what 100 records of ones become.
template <class N>
double mean_square() {
    Model<N, float> model(4);
    sigma::test::DirectStep<N, GradientDescent, float> step(model);
    const std::vector<float> x(20000, 1.0f), y(20000);
    return step(GradientDescent{}, 1, x.data(), y.data(), 100) / 200;
}

TEST_CASE("Dropout keeps the expectation, and repeats draw on their own") {
    // An element becomes 4/3 with probability 3/4, so its square has the mean 4/3; the margin is four deviations.
    CHECK(mean_square<Once>() == Approx(4.0 / 3).epsilon(0).margin(4 * 0.77 / std::sqrt(20000)));
    CHECK(mean_square<Twice>() == Approx(16.0 / 9).epsilon(0).margin(4 * 1.57 / std::sqrt(20000)));
    CHECK(mean_square<None>() == 1);
}

TEST_CASE("The mask is another one in each step and record, and the same for the same seed") {
    CHECK(kept(1, 1) == kept(1, 1));
    CHECK(kept(1, 1) != kept(1, 2));
    CHECK(kept(1, 1) != kept(2, 1));
    std::uint64_t two = kept(1, 1, 2);
    int differ = 0;
    for (; two != 0; two /= 4) differ += two % 4 == 1;
    CHECK(differ > 0);
}

TEST_CASE("Dropout is the identity outside training") {
    Model<Once> model(1);
    Array<float> x = Array<float>::from_shape({3, 200});
    Philox(2).fill_normal(std::span<float>(x.data(), x.size()));
    CHECK(model.predict(x) == x);
}

}  // namespace
