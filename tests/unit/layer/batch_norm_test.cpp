// SPDX-License-Identifier: BSL-1.0
#include "support.hpp"

#include <sigma/layer/dense.hpp>
#include <sigma/layer/normalization.hpp>
#include <support/direct_step.hpp>

using namespace sigma;
using namespace sigma::test;

namespace {

struct Rows : Network<Input(3) + BatchNorm() + SquaredDiff()> {};
struct Images : Network<Input(2, 5, 3) + BatchNorm({.momentum = 0.3, .epsilon = 0.01}) + SquaredDiff()> {};
struct Plain : Network<Input(4) + BatchNorm({.affine = false}) + SquaredDiff()> {};
struct Deep : Network<Input(4) + Elementwise() + Dense(5) + BatchNorm() + Dense(2) + SquaredDiff()> {};
struct DeepImages : Network<Input(2, 3, 4) + Elementwise() + BatchNorm({.epsilon = 0.1}) + SquaredDiff()> {};

struct Moments {
    Values mean, variance;  // of each feature; the variance divided by n
};
Moments moments(const Values& x, std::size_t features) {
    Moments m{Values(features), Values(features)};
    const auto n = static_cast<double>(x.size() / features);
    for (std::size_t i = 0; i < x.size(); ++i) m.mean[i % features] += x[i] / n;
    for (std::size_t i = 0; i < x.size(); ++i) m.variance[i % features] += std::pow(x[i] - m.mean[i % features], 2) / n;
    return m;
}
Values normalized(const Values& x, const Moments& m, const Values& scale, const Values& shift, double epsilon) {
    Values y;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t f = i % m.mean.size();
        y.push_back((x[i] - m.mean[f]) / std::sqrt(m.variance[f] + epsilon) * scale[f] + shift[f]);
    }
    return y;
}

/// Three training steps that learn nothing: their losses tell what training computes, the statistics what it keeps.
template <class N>
void examine(std::ptrdiff_t records, double momentum, double epsilon) {
    constexpr std::size_t features = N::input.last();
    Model<N, double> model(1);
    model.initialize("*.scales", constant(1.5));
    model.initialize("*.shifts", constant(-0.25));
    const Values scale(features, 1.5), shift(features, -0.25);
    sigma::test::DirectStep<N, GradientDescent, double> step(model);
    Moments running{Values(features, 0), Values(features, 1)};
    const auto count = static_cast<std::size_t>(N::input.count() * records);
    const auto n = static_cast<double>(count / features);
    for (std::uint64_t number = 1; number <= 3; ++number) {
        Values x = normal(count, number, 2);
        for (double& v : x) v += 3;
        const Values y = normal(count, 10 + number);
        const Moments now = moments(x, features);
        double loss = 0;
        const Values wanted = normalized(x, now, scale, shift, epsilon);
        for (std::size_t i = 0; i < count; ++i) loss += std::pow(wanted[i] - y[i], 2) / static_cast<double>(records);
        CHECK(step(GradientDescent{.learning_rate = 0}, number, x.data(), y.data(), records) ==
              Approx(loss).epsilon(1e-12));
        for (std::size_t f = 0; f < features; ++f) {
            running.mean[f] += momentum * (now.mean[f] - running.mean[f]);
            running.variance[f] += momentum * (now.variance[f] * n / (n - 1) - running.variance[f]);
        }
        CHECK(distance(values(model.template parameter<"1-batch_norm.running_mean">()), running.mean) < 1e-13);
        CHECK(distance(values(model.template parameter<"1-batch_norm.running_variance">()), running.variance) < 1e-13);
        CHECK(distance(predict(model, x), normalized(x, running, scale, shift, epsilon)) < 1e-13);
    }
}

}  // namespace

TEST_CASE("BatchNorm trains with the batch's statistics, predicts with running ones") {
    examine<Rows>(7, 0.1, 1e-5);
    examine<Images>(3, 0.3, 0.01);
    examine<Images>(1, 0.3, 0.01);
}

TEST_CASE("One row has no variance, and the running one stays") {
    Model<Plain, double> model;
    sigma::test::DirectStep<Plain, GradientDescent, double> step(model);
    const Values x{1, 2, 3, 4}, y(4);
    CHECK(step(GradientDescent{.learning_rate = 0}, 1, x.data(), y.data(), 1) == 0);
    CHECK(model.parameter_count == 2);
    CHECK(model.parameter<"1-batch_norm.running_variance">()(2) == Approx(1));
    CHECK(model.parameter<"1-batch_norm.running_mean">()(2) == Approx(0.3));
}

TEST_CASE("BatchNorm's gradients flow through mean and variance") {
    CHECK(gradient_error<Deep>(6) < gradient_tolerance);
    CHECK(gradient_error<Deep>(2) < 1e-5);  // differences of two rows: third derivatives are large near ε
    CHECK(gradient_error<DeepImages>(3) < gradient_tolerance);
}

TEST_CASE("What BatchNorm predicts for a record depends on no other") {
    Model<Images, double> model(2);
    scramble(model, 3);
    const Values x = normal(3 * 30, 4);
    const Values all = predict(model, x), alone = predict(model, Values(x.begin() + 30, x.begin() + 60));
    CHECK(Values(all.begin() + 30, all.begin() + 60) == alone);
}
