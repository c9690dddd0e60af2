// SPDX-License-Identifier: BSL-1.0
#include <sigma/check_gradients.hpp>
#include <sigma/derivatives.hpp>
#include <sigma/sigma.hpp>
#include <sigma/tape/derivative_of.hpp>

#include <catch2/catch.hpp>

#include "support/thrown.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

using namespace sigma;

namespace {

constexpr auto rounded = custom_gradient([](Tensor x) { return round(x); }, [](Tensor, Tensor, Tensor d) { return d; });
/// log(1 + exp(x)), with a slope that does not overflow.
constexpr auto soft = custom_gradient([](Tensor x) { return max(x, 0.0) + log1p(exp(-abs(x))); },
                                      [](Tensor x, Tensor, Tensor d) { return d * sigmoid(x); });
/// a · b, with the gradients of 2·a·b and 3·a·b.
constexpr auto scaled =
    custom_gradient([](Tensor a, Tensor b) { return a * b; },
                    [](Tensor a, Tensor b, Tensor, Tensor d) { return std::tuple{2.0 * d * b, 3.0 * d * a}; });
constexpr auto clipped =
    custom_gradient([](Tensor x) { return x; }, [](Tensor, Tensor, Tensor d) { return max(min(d, 1.0), -1.0); });
constexpr auto reversed = custom_gradient([](Tensor x) { return x; }, [](Tensor, Tensor, Tensor d) { return -d; });

static_assert(derivative_of<[](auto x) { return rounded(x) * x; }>(2.75) == 3.0 + 2.75);
static_assert(derivative_of<[](auto x) { return round(x) * x; }>(2.75) == 3.0);

Array<double> numbers(std::vector<double> values) {
    auto a = Array<double>::from_shape({values.size()});
    std::copy(values.begin(), values.end(), a.begin());
    return a;
}

}  // namespace

TEST_CASE("The value is that of the function, and the gradient that of the second") {
    const auto x = numbers({-1.75, 0.25, 2.5001});
    const auto f = value_and_gradient([](Tensor v) { return sum(rounded(v) * v); });
    const auto [y, g] = f(x);
    CHECK(y == Approx(-2 * -1.75 + 3 * 2.5001));
    CHECK(g(0) == Approx(-2 - 1.75));
    CHECK(g(1) == Approx(0 + 0.25));
    CHECK(g(2) == Approx(3 + 2.5001));
}

TEST_CASE("A slope of one's own is as accurate as its formula") {
    const auto g = gradient([](Tensor v) { return sum(soft(v)); })(numbers({-800, 0, 800}));
    CHECK(g(0) == Approx(0).margin(1e-300));
    CHECK(g(1) == Approx(0.5));
    CHECK(g(2) == Approx(1));
    check_gradients([](Tensor v) { return sum(soft(v) * soft(0.5 * v)); })(numbers({-3, -0.5, 0.1, 2})).require(1e-7);
}

TEST_CASE("Each argument has its gradient, also if it is used elsewhere or twice") {
    const auto a = numbers({1, 2}), b = numbers({3, 5});
    const auto [ga, gb] = gradient([](Tensor u, Tensor v) { return sum(scaled(u, v) + u); })(a, b);
    CHECK(ga(1) == Approx(2 * 5 + 1));
    CHECK(gb(1) == Approx(3 * 2));
    const auto of_both = gradient([](Tensor u) { return sum(scaled(u, u)); })(a);
    CHECK(of_both(1) == Approx(2 * 2 + 3 * 2));
    const auto twice = gradient([](Tensor u) { return sum(scaled(u, 1.0 * u) + scaled(u, 1.0 * u)); })(a);
    CHECK(twice(0) == Approx(2 * 5));
}

TEST_CASE("A gradient may be any function of the gradient that arrives") {
    const auto g = gradient([](Tensor v) { return sum(3.0 * clipped(v) + 0.25 * clipped(v) - 7.0 * clipped(v)); });
    CHECK(g(numbers({1}))(0) == Approx(1 + 0.25 - 1));
}

TEST_CASE("Higher derivatives differentiate the second function") {
    const auto h = hessian([](Tensor v) { return sum(soft(v)); })(numbers({0.3, -2}));
    const auto slope = [](double x) { return 1 / (1 + std::exp(-x)); };
    CHECK(h(0, 0) == Approx(slope(0.3) * (1 - slope(0.3))));
    CHECK(h(1, 1) == Approx(slope(-2) * (1 - slope(-2))));
    CHECK(h(0, 1) == 0);
    const auto j = jacobian([](Tensor v) { return scaled(v, v); })(numbers({2, 3}));
    CHECK(j(1, 1) == Approx(5 * 3));
    CHECK(j(0, 1) == 0);
}

TEST_CASE("Mapped over rows or over the batch") {
    const auto slope = [](Tensor v) { return gradient([](Tensor w) { return sum(scaled(w, w)); })(v); };
    auto x = Array<double>::from_shape({2, 3});
    for (std::size_t i = 0; i < 6; ++i) x.data()[i] = 1.0 + static_cast<double>(i);
    const auto rows = evaluate([=](Tensor v) { return vmap(slope)(v); })(x);
    const auto records = evaluate([=](Tensor v) { return vmap(slope)(v); })(batched(x));
    for (std::size_t i = 0; i < 6; ++i) {
        CHECK(rows.data()[i] == Approx(5 * x.data()[i]));
        CHECK(records.data()[i] == Approx(5 * x.data()[i]));
    }
    const auto outside = gradient([](Tensor v) { return sum(vmap([](Tensor w) { return scaled(w, w); })(v)); })(x);
    CHECK(outside(1, 2) == Approx(5 * 6));
}

TEST_CASE("In a loop over time, too") {
    const auto f = [](Tensor x, Tensor h) {
        return sum(last(scan(x, h, [](Tensor now, Tensor before) { return soft(scaled(now, before)); })));
    };
    const auto plain = [](Tensor x, Tensor h) {
        return sum(last(scan(x, h, [](Tensor now, Tensor before) { return log1p(exp(now * before)); })));
    };
    auto x = Array<double>::from_shape({2, 3}), h = Array<double>::from_shape({2});
    for (std::size_t i = 0; i < 6; ++i) x.data()[i] = 0.3 + 0.1 * static_cast<double>(i);
    h(0) = 0.5, h(1) = 0.7;
    CHECK(evaluate(f)(batched(x), batched(h))(1) == Approx(evaluate(plain)(batched(x), batched(h))(1)));
    const auto [gx, gh] = gradient(f)(batched(x), batched(h));
    const auto [px, ph] = gradient(plain)(batched(x), batched(h));
    CHECK(gx(0, 2) == Approx(2 * px(0, 2)));      // d is multiplied by 2 for the sequence
    CHECK(gx(0, 1) == Approx(2 * 3 * px(0, 1)));  // and by 3 for each later state
    CHECK(gx(1, 0) == Approx(2 * 9 * px(1, 0)));
    CHECK(gh(1) == Approx(27 * ph(1)));
}

struct Whole : Network<Input(3) + Dense(4, tanh) + rounded + Dense(2) + SoftmaxCE()> {};
struct Plain : Network<Input(3) + Dense(4, tanh) + Dense(2) + SoftmaxCE()> {};
struct Opposed : Network<Input(3) + Dense(4, tanh) + reversed + Dense(2) + SoftmaxCE()> {};

TEST_CASE("A layer with a gradient of its own trains in networks that are compiled or made") {
    auto x = Array<float>::from_shape({6, 3}), y = Array<float>::from_shape({6});
    for (std::size_t i = 0; i < 18; ++i) x.data()[i] = static_cast<float>(static_cast<int>(i * 7 % 11) - 5) / 4.0f;
    for (std::size_t i = 0; i < 6; ++i) y(i) = static_cast<float>(i % 2);
    const Dataset data({{"", x}}, {{"", y}}, "six");
    Trainer plain("plain", Plain{}, GradientDescent{.learning_rate = 0.1}, minibatches(data, 6));
    Trainer opposed("opposed", Opposed{}, GradientDescent{.learning_rate = 0.1}, minibatches(data, 6));
    Trainer whole("whole", Whole{}, GradientDescent{.learning_rate = 0.1}, minibatches(data, 6));
    Trainer made("made", network(Input(3) + Dense(4, tanh) + rounded + Dense(2) + SoftmaxCE()),
                 GradientDescent{.learning_rate = 0.1}, minibatches(data, 6));
    const auto weights = [](const auto& trainer) {
        const auto w = trainer.model().parameter(0);
        return std::vector<float>(w.begin(), w.end());
    };
    const std::vector<float> first = weights(plain);
    plain.run({.epochs = 1, .quiet = true});
    opposed.run({.epochs = 1, .quiet = true});
    for (std::size_t i = 0; i < first.size(); ++i) {
        const float up = weights(plain)[i] - first[i], down = weights(opposed)[i] - first[i];
        CHECK(up != 0);
        CHECK(down == Approx(-up).margin(1e-6));
    }
    const std::vector<float> weights_of_whole = weights(whole);
    whole.run({.epochs = 30, .quiet = true});
    made.run({.epochs = 30, .quiet = true});
    CHECK(whole.loss() == made.loss());
    CHECK(weights(whole) != weights_of_whole);  // gradients pass through the rounding
}

TEST_CASE("A gradient must have the shape of its argument") {
    constexpr auto wide = custom_gradient([](Tensor x) { return 2.0 * x; },
                                          [](Tensor, Tensor, Tensor d) { return concatenate(axis(1), d, d); });
    CHECK(error_text<MistakeError>([&] { static_cast<void>(network(Input(3) + wide + Dense(2) + SoftmaxCE())); }) ==
          "layer '1-lambda': custom_gradient needs gradients in the shapes of the arguments; gradient (batch, 6); "
          "argument (batch, 3)");
}
