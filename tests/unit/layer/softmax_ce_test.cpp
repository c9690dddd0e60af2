// SPDX-License-Identifier: BSL-1.0
#include "loss_support.hpp"

#include <sigma/execution/inspect.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/tape/print.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>

using namespace sigma;

namespace {

struct Scores : Network<Input(3) + Dense(3) + SoftmaxCE()> {};

/// Value, prediction and gradient for these scores, through a layer that hands its input on.
template <class T>
void examine(std::array<double, 3> z, std::size_t label) {
    Model<Scores, T> model;
    model.parameter(0) = Array<T>{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    Inspection<Scores, T> look(model);
    const T x[] = {static_cast<T>(z[0]), static_cast<T>(z[1]), static_cast<T>(z[2])}, y[] = {static_cast<T>(label)};
    const double most = std::max({z[0], z[1], z[2]});
    double sum = 0;
    for (const double s : z) sum += std::exp(s - most);
    const double tolerance = sizeof(T) == 4 ? 2e-6 : 1e-13;
    const double loss = look.run(x, y, 1);
    CHECK(loss == Approx(std::log(sum) + (most - z[label])).epsilon(tolerance).margin(tolerance));
    CHECK(model.evaluate(x, y, 1).error == Approx(loss).epsilon(tolerance));
    CHECK(model.evaluate(x, y, 1).accuracy == (z[label] == most ? 1.0 : 0.0));
    T p[3];
    model.predict(x, p, 1);
    for (std::size_t c = 0; c < 3; ++c) {
        const double wanted = std::exp(z[c] - most) / sum;
        CHECK(static_cast<double>(p[c]) == Approx(wanted).margin(tolerance));
        CHECK(static_cast<double>(look.gradient(1)(c)) == Approx(wanted - (c == label ? 1 : 0)).margin(tolerance));
    }
}

TEMPLATE_TEST_CASE("SoftmaxCE is -log softmax, with the gradient p - 1[class]", "", float, double) {
    for (std::size_t label = 0; label < 3; ++label) {
        examine<TestType>({0.5, -1.25, 2}, label);
        examine<TestType>({-30, 0.25, 31}, label);
        examine<TestType>({1e4, -1e4, 0}, label);
        examine<TestType>({-1e4, -9999, -1e4}, label);
        examine<TestType>({1e4, 9998, 9999}, label);
    }
}

TEST_CASE("SoftmaxCE is the mean over the batch") {
    Model<Scores, double> model(3);
    const double x[] = {1, 2, 3, -1, 0.5, 0.25}, y[] = {2, 0};
    const double both = model.evaluate(x, y, 2).error;
    CHECK(both == Approx((model.evaluate(x, y, 1).error + model.evaluate(x + 3, y + 1, 1).error) / 2));
}

constexpr Shape rows{batch, 3}, labels{batch}, sequences{batch, 2, 4};

template <auto layer, Shape Z>
void check_labels_against_reference(std::size_t records, const test::Numbers_& y) {
    test::check_classes<layer, Z>(test::random_numbers(21, records * static_cast<std::size_t>(Z.count()), -3, 3), y,
                                  test::softmax_row_loss<layer>);
}

TEST_CASE("SoftmaxCE with smoothing, ignored classes, reductions, and over time") {
    check_labels_against_reference<SoftmaxCE({.smoothing = 0.1}), rows>(4, {0, 2, 1, 1});
    check_labels_against_reference<SoftmaxCE({.ignore = -1}), rows>(4, {0, -1, 1, -1});
    check_labels_against_reference<SoftmaxCE({.ignore = 1}), rows>(4, {0, 2, 1, 1});
    check_labels_against_reference<SoftmaxCE({.smoothing = 0.2, .reduction = Reduction::total, .ignore = -100}), rows>(
        4, {0, -100, 1, 1});
    check_labels_against_reference<SoftmaxCE{}, sequences>(3, {0, 3, 2, 2, 1, 0});
    check_labels_against_reference<SoftmaxCE({.reduction = Reduction::over_batch}), sequences>(3, {0, 3, 2, 2, 1, 0});
    check_labels_against_reference<SoftmaxCE({.smoothing = 0.3, .ignore = 0}), sequences>(3, {0, 3, 2, 2, 0, 0});
    check_labels_against_reference<SoftmaxCE({.reduction = Reduction::over_batch, .ignore = 0}), sequences>(
        3, {0, 3, 2, 2, 0, 0});
}

TEST_CASE("All ignored: the loss is 0 and the gradient too") {
    const auto examine = [](const test::Differentiated& found) {
        CHECK(found.value == 0);
        for (const double g : found.gradient) CHECK(g == 0);
    };
    const test::Numbers_ z{1e4, 0, -1e4, 1, 2, 3}, none{-1, -1};
    examine(test::differentiated<SoftmaxCE({.ignore = -1}), rows, labels>(z, none));
    examine(test::differentiated<SoftmaxCE({.smoothing = 0.1, .ignore = -1}), rows, labels, float>(z, none));
}

TEST_CASE("A network over time takes a label for each position") {
    struct Positions : Network<Input(2, 4) + SoftmaxCE({.ignore = -1})> {};
    static_assert(Positions::target == Shape{batch, 2});
    Model<Positions, double> model;
    Inspection<Positions, double> look(model);
    const double x[] = {1, 2, 3, 4, 0, 0, 0, 0}, y[] = {-1, 2};
    CHECK(look.run(x, y, 1) == Approx(std::log(4.0)));
}

TEST_CASE("Accuracy is the share of the rows that count") {
    const auto f = [](auto z, auto y) { return SoftmaxCE({.ignore = -1}).accuracy(z, y); };
    const xt::xtensor<double, 3> z = {{{0, 1, 2}, {3, 1, 2}}, {{1, 5, 2}, {0, 0, 1}}};
    const auto accuracy = [&](const xt::xtensor<double, 2>& y) {
        return evaluate(f)(shaped<batch, 2, 3>(z), shaped<batch, 2>(y));
    };
    CHECK(accuracy({{2, 0}, {1, 2}}) == 1);
    CHECK(accuracy({{2, -1}, {-1, 1}}) == 0.5);
    CHECK(accuracy({{-1, -1}, {-1, -1}}) == 0);
}

TEST_CASE("The default of SoftmaxCE traces to what it always was") {
    detail::Program found, wanted;
    const Tensor z{detail::input(found, rows, 0)};
    const Tensor y{detail::input(found, labels, 1)};
    found.outputs.push(SoftmaxCE{}.loss(z, y).variable);
    const Tensor a{detail::input(wanted, rows, 0)};
    const Tensor b{detail::input(wanted, labels, 1)};
    const auto shifted = a - stop_gradient(max(a, axis(1), keep));
    const auto chosen = sum(where(one_hot(b, 3), shifted, 0.0), axis(1), keep);
    wanted.outputs.push(mean(log(sum(exp(shifted), axis(1), keep)) - chosen).variable);
    CHECK(to_text(found) == to_text(wanted));
}

}  // namespace
