// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/philox.hpp>
#include <sigma/execution/inspect.hpp>
#include <sigma/function/function.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/trainer/trainer.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <type_traits>

using namespace sigma;

// One argument changes the element type. Every number below would fail in float.
namespace {

struct Line : Network<Input(3) + Dense(2, tanh) + Dense(1) + SquaredDiff()> {};

Dataset points() {
    Numbers x{{9, 3}, std::vector<float>(27)}, y{{9, 1}, std::vector<float>(9)};
    Philox(3, RandomUse::user, 0).fill_normal(std::span(x.values));
    Philox(4, RandomUse::user, 0).fill_normal(std::span(y.values));
    return {x, y, "points"};
}
/// Computes the network by hand.
template <class M, class X>
double output(M& model, const X& x, std::size_t r) {
    auto w = model.template parameter<"1-dense.weights">(), v = model.template parameter<"2-dense.weights">();
    auto b = model.template parameter<"1-dense.biases">(), c = model.template parameter<"2-dense.biases">();
    double z = c(0);
    for (std::size_t j = 0; j < 2; ++j) {
        double h = b(j);
        for (std::size_t i = 0; i < 3; ++i) h += x(r, i) * w(i, j);
        z += std::tanh(h) * v(j, 0);
    }
    return z;
}
template <class M, class X, class Y>
double mean_loss(M& model, const X& x, const Y& y) {
    double sum = 0;
    for (std::size_t r = 0; r < 9; ++r) sum += std::pow(output(model, x, r) - y(r, 0), 2) / 9;
    return sum;
}

}  // namespace

TEST_CASE("Trainer, model, inspection, step and predictions work in double") {
    Trainer trainer("line", Line{}, Momentum{.learning_rate = 0.1}, minibatches_in_order(points(), 9), element<double>,
                    3);
    auto& model = trainer.model();
    static_assert(std::is_same_v<decltype(model), Model<Line, double>&>);
    const auto x = points().inputs<double>(), y = points().targets<double>();

    Inspection inspection(model);
    CHECK(inspection.run(x, y) == Approx(mean_loss(model, x, y)).epsilon(1e-13));
    auto weights = model.parameter<"1-dense.weights">();
    const auto gradient = inspection.gradient<"1-dense.weights">();
    for (std::size_t i = 0; i < 3; ++i) {
        const double before = weights(i, 1), h = 1e-5;
        weights(i, 1) = before + h;
        const double above = mean_loss(model, x, y);
        weights(i, 1) = before - h;
        const double below = mean_loss(model, x, y);
        weights(i, 1) = before;
        CHECK(gradient(i, 1) == Approx((above - below) / (2 * h)).epsilon(1e-8));
    }

    const Array<double> before(weights);
    trainer.run(cpu(), 1);  // one step; the velocity is -rate · gradient
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(weights(i, 0) == Approx(before(i, 0) - 0.1 * gradient(i, 0)).epsilon(1e-13));
        CHECK(trainer.training_step().state(0)(i, 0) == Approx(-0.1 * gradient(i, 0)).epsilon(1e-13));
    }
    const auto predicted = trainer.predict(x);
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(predicted)>::value_type, double>);
    for (std::size_t r = 0; r < 9; ++r) CHECK(predicted(r, 0) == Approx(output(model, x, r)).epsilon(1e-13));
    CHECK(trainer.evaluate(points()).error == Approx(mean_loss(model, x, y)).epsilon(1e-13));
    CHECK(trainer.predict(points().inputs())(0, 0) == Approx(predicted(0, 0)).epsilon(1e-13));  // float inputs convert
}

TEST_CASE("Functions compute in the type of their arrays") {
    const xt::xtensor<double, 1> x{0.1, 0.2, 0.7};
    const xt::xtensor<float, 1> y{1, 2, 3};
    constexpr auto f = [](auto a) { return sum(exp(sin(a) * a)); };
    const auto g = gradient(f)(x);
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(g)>::value_type, double>);
    for (std::size_t i = 0; i < 3; ++i)
        CHECK(g(i) ==
              Approx(std::exp(std::sin(x(i)) * x(i)) * (std::cos(x(i)) * x(i) + std::sin(x(i)))).epsilon(1e-13));
    const auto mixed = evaluate([](auto a, auto b) { return a * b; })(x, y);
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(mixed)>::value_type, double>);
    CHECK(mixed(2) == Approx(0.7 * 3).epsilon(1e-15));
}
