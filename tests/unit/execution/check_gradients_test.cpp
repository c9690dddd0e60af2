// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/philox.hpp>
#include <sigma/execution/check_gradients.hpp>
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/normalization.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/branches.hpp>
#include <sigma/network/costs.hpp>

#include "support/thrown.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

using namespace sigma;

namespace {

/// Scales each feature; the gradient of the last weight is wrong by a factor of 2.
struct Half : Layer {
    static constexpr Text kind = "half";
    constexpr Tensor forward(Context& context, Tensor x) const {
        const int n = x.shape().last();
        const auto w = parameter(context, Shape{n}, "weights", uniform(0.5, 1.5));
        const auto all = x * w;
        const auto last = slice(all, axis(1), n - 1, n);
        const auto doubled = 0.5 * (last + stop_gradient(last));
        return concatenate(axis(1), slice(all, axis(1), 0, n - 1), doubled);
    }
};

struct Noisy : Network<Input(3) + Dense(5, tanh) + BatchNorm() + Dropout(0.4f) + Dense(4) + SoftmaxCE()> {};
struct Wrong : Network<Input(3) + Half() + Dense(2) + SquaredDiff()> {};
struct Two : Network<(Input(3) & Input(2)) + Parallel(Dense(3, tanh), Dense(3, sigmoid)) + Add() +
                     Costs(SquaredDiff(), loss_weight(0.3, SoftmaxCE()))> {};

Array<double> numbers(std::size_t records, std::size_t width, std::uint64_t seed) {
    auto x = Array<double>::from_shape({records, width});
    Philox(seed, RandomUse::user, 0).fill_normal(std::span<double>(x.data(), x.size()), 0.0, 1.0);
    return x;
}
Array<double> labels(std::size_t records, std::size_t classes) {
    auto y = Array<double>::from_shape({records});
    for (std::size_t i = 0; i < records; ++i) y.data()[i] = static_cast<double>(i % classes);
    return y;
}

}  // namespace

TEST_CASE("A network's gradients in training agree with differences in double, with dropout and statistics") {
    Model<Noisy> model(5);
    const Model<Noisy> before(model);
    const auto report = check_gradients(model, numbers(12, 3, 1), labels(12, 4));
    CHECK(report.gradients.size() == 6);
    for (const ComparedGradient& g : report.gradients) CHECK(g.compared == g.elements);
    CHECK(report.worst_error() < 1e-6);
    report.require();
    for (int i = 0; i < model.parameter_count; ++i)
        CHECK(std::equal(model.parameter(i).begin(), model.parameter(i).end(),
                         Model<Noisy>(before).parameter(i).begin()));
}

TEST_CASE("The wrong gradient of a layer is found by name and index") {
    const Model<Wrong, double> model(2);
    const auto data = make_dataset(numbers(40, 3, 3), numbers(40, 2, 4));
    const auto report = check_gradients(model, data, {.records = 10});
    CHECK(report.worst().name == "1-half.weights");
    CHECK(report.worst().index == std::vector<std::size_t>{2});
    CHECK(report.worst_error() == Approx(0.5).epsilon(1e-6));
    CHECK(report.worst().found == Approx(0.5 * report.worst().expected).epsilon(1e-6));
    const std::string text = error_text<GradientError>([&] { report.require(); });
    CHECK(text.starts_with("gradient of '1-half.weights'[2]: expected "));
    CHECK(text.find(" (central difference), found ") != std::string::npos);
    for (const ComparedGradient& g : report.gradients)
        if (g.name != "1-half.weights") CHECK(g.error < 1e-6);
}

TEST_CASE("Networks of several inputs and costs, and data that do not fit") {
    const Model<Two, double> model(1);
    check_gradients(model, numbers(6, 3, 1), numbers(6, 2, 2), numbers(6, 3, 3), labels(6, 3)).require();
    CHECK_THROWS_AS(check_gradients(model, numbers(6, 4, 1), numbers(6, 2, 2), numbers(6, 3, 3), labels(6, 3)),
                    ShapeError);
    CHECK_THROWS_AS(check_gradients(model, make_dataset(numbers(6, 3, 1), labels(6, 3))), DataError);
    const auto data = make_dataset(numbers(6, 3, 1), numbers(6, 2, 2));
    CHECK_THROWS_AS(check_gradients(Model<Wrong>(), data, {.records = 0}), ArgumentError);
}
