// SPDX-License-Identifier: BSL-1.0
// SpatialDropout, GaussianDropout, AlphaDropout and GaussianNoise.
#include "support.hpp"

#include <sigma/layer/dense.hpp>
#include <sigma/layer/dropout.hpp>
#include <support/direct_step.hpp>

using namespace sigma;
using namespace sigma::test;

namespace {

/// What training makes of its input: with a bias for each element (all 0), one record, and targets of 0, the gradient
/// of the bias is 2y under a learning rate of 1/2.
template <class N>
Values in_training(const Values& x, std::uint64_t number, std::uint64_t seed = 1) {
    Model<N, double> model(seed);
    sigma::test::DirectStep<N, GradientDescent, double> step(model);
    const Values y(static_cast<std::size_t>(N::target.count()));
    step(GradientDescent{.learning_rate = 0.5}, number, x.data(), y.data(), 1);
    Values out = values(model.parameter(model.parameter_count - 1));
    for (double& v : out) v = -v;
    return out;
}

struct Features : Network<Input(6, 50) + SpatialDropout(0.25) + Elementwise() + SquaredDiff()> {};
struct Times : Network<Input(50, 6) + SpatialDropout(0.25, 2) + Elementwise() + SquaredDiff()> {};
struct Multiplied : Network<Input(40000) + GaussianDropout(0.2) + Elementwise() + SquaredDiff()> {};
struct Alpha : Network<Input(40000) + AlphaDropout(0.1) + Elementwise() + SquaredDiff()> {};
struct Noise : Network<Input(40000) + GaussianNoise(0.5) + Elementwise() + SquaredDiff()> {};
struct Nothing : Network<Input(30) + SpatialDropout(0) + GaussianDropout(0) + AlphaDropout(0) + GaussianNoise(0) +
                         Elementwise() + SquaredDiff()> {};
struct Together : Network<Input(3, 5) + Elementwise() + SpatialDropout(0.3) + GaussianDropout(0.2) + AlphaDropout(0.3) +
                          GaussianNoise(0.5) + SquaredDiff()> {};

struct Moments {
    double mean = 0, variance = 0;
    explicit Moments(const Values& x) {
        for (double v : x) mean += v / static_cast<double>(x.size());
        for (double v : x) variance += (v - mean) * (v - mean) / static_cast<double>(x.size());
    }
};

}  // namespace

TEST_CASE("SpatialDropout drops whole features, or what its axes share") {
    const Values x(300, 1.0);
    int dropped = 0, dropped_times = 0;
    for (std::uint64_t number = 1; number <= 40; ++number) {
        const Values f = in_training<Features>(x, number), t = in_training<Times>(x, number);
        for (std::size_t i = 0; i < 50; ++i) {
            CHECK((f[i] == 0 || f[i] == Approx(4.0 / 3)));
            CHECK((t[6 * i] == 0 || t[6 * i] == Approx(4.0 / 3)));
            for (std::size_t k = 0; k < 6; ++k) {
                CHECK(f[50 * k + i] == f[i]);
                CHECK(t[6 * i + k] == t[6 * i]);
            }
            dropped += f[i] == 0;
            dropped_times += t[6 * i] == 0;
        }
    }
    CHECK(dropped / 2000.0 == Approx(0.25).margin(4 * std::sqrt(0.1875 / 2000)));
    CHECK(dropped_times / 2000.0 == Approx(0.25).margin(4 * std::sqrt(0.1875 / 2000)));
}

TEST_CASE("Gaussian dropout and noise have their moments") {
    const Moments m(in_training<Multiplied>(Values(40000, 2.0), 3));
    CHECK(m.mean == Approx(2).margin(4 * 2 * 0.5 / 200));
    CHECK(m.variance == Approx(4 * 0.25).epsilon(0.03));
    const Moments n(in_training<Noise>(Values(40000, 3.0), 3));
    CHECK(n.mean == Approx(3).margin(4 * 0.5 / 200));
    CHECK(n.variance == Approx(0.25).epsilon(0.03));
}

TEST_CASE("AlphaDropout keeps mean 0 and variance 1") {
    const Values x = normal(40000, 9);
    const Values y = in_training<Alpha>(x, 3);
    CHECK(Moments(y).mean == Approx(0).margin(4.0 / 200));
    CHECK(Moments(y).variance == Approx(1).epsilon(0.05));
    const double dropped = -1.7580993408473766, scale = 1 / std::sqrt(0.9 * (1 + 0.1 * dropped * dropped));
    int count = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double shift = -scale * dropped * 0.1, gone = scale * dropped + shift;
        const bool is_gone = std::abs(y[i] - gone) < 1e-12;
        count += is_gone;
        if (!is_gone) REQUIRE(y[i] == Approx(scale * x[i] + shift).margin(1e-12));
    }
    CHECK(count / 40000.0 == Approx(0.1).margin(4 * 0.3 / 200));
}

TEST_CASE("Noise repeats with seed and step, changes with either, and is off outside training") {
    const Values x = normal(40000, 9);
    CHECK(in_training<Noise>(x, 3) == in_training<Noise>(x, 3));
    CHECK(in_training<Noise>(x, 3) != in_training<Noise>(x, 4));
    CHECK(in_training<Noise>(x, 3) != in_training<Noise>(x, 3, 2));
    Model<Together, double> model;
    const Values z = normal(45, 9);
    CHECK(distance(predict(model, z), z) == 0);
    const Values one = normal(30, 9);
    CHECK(distance(in_training<Nothing>(one, 1), one) < 1e-15);
}

TEST_CASE("Gradients pass through noise") { CHECK(gradient_error<Together>(4) < gradient_tolerance); }
