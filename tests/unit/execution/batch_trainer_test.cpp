// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/array.hpp>
#include <sigma/core/philox.hpp>
#include <sigma/execution/batch_trainer.hpp>
#include <sigma/execution/step.hpp>
#include <sigma/layer/binary_ce.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/embedding.hpp>
#include <sigma/layer/normalization.hpp>
#include <sigma/layer/reshape.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/branches.hpp>
#include <sigma/network/costs.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/optimizer/group.hpp>

#include <support/thrown.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using namespace sigma;

namespace {

struct Line : Network<Input(3) + Dense(4, tanh) + Dense(2) + SquaredDiff()> {};
struct Noisy : Network<Input(3) + BatchNorm() + Dropout(0.5f) + Dense(2) + SquaredDiff()> {};
struct Totals : Network<Input(3) + Dense(2) +
                        Costs(SquaredDiff(), loss_weight(0.5, SquaredDiff({.reduction = Reduction::total})))> {};

Array<double> numbers(std::size_t records, std::size_t width, std::uint64_t seed) {
    auto x = Array<double>::from_shape({records, width});
    Philox(seed, RandomUse::user, 0).fill_normal(std::span<double>(x.data(), x.size()), 0.0, 1.0);
    return x;
}
Array<double> rows(const Array<double>& x, std::size_t first, std::size_t count) {
    auto part = Array<double>::from_shape({count, x.shape()[1]});
    for (std::size_t r = 0; r < count; ++r)
        for (std::size_t i = 0; i < x.shape()[1]; ++i) part(r, i) = x(first + r, i);
    return part;
}
template <class N>
double difference(Model<N, double>& a, Model<N, double>& b) {
    double worst = 0;
    for (int p = 0; p < a.parameter_count; ++p) {
        const auto x = a.parameter(p), y = b.parameter(p);
        auto at = y.begin();
        for (const double v : x) worst = std::max(worst, std::abs(v - *at++));
    }
    return worst;
}

}  // namespace

TEST_CASE("A batch trained by hand is a step of training, with statistics and dropout") {
    Model<Noisy, double> byhand(3), fused(3);
    BatchTrainer trainer(byhand, Adam{.learning_rate = 0.05});
    detail::Step<Noisy, Adam, double> whole(fused);
    const auto given = Model<Noisy, double>(byhand);
    for (std::uint64_t t = 1; t <= 5; ++t) {
        const auto x = numbers(8, 3, t), y = numbers(8, 2, 100 + t);
        const double wanted = whole(Adam{.learning_rate = 0.05}, t, x.data(), y.data(), 8);
        CHECK(trainer.train_on_batch(x, y) == Approx(wanted).epsilon(1e-12));
        CHECK(difference(byhand, fused) < 1e-12);
    }
    CHECK(trainer.steps() == 5);
    auto before = given;
    CHECK(difference(byhand, before) > 0.01);
}

TEST_CASE("Small batches accumulate to the update of a large one") {
    Model<Line, double> small(3), large(3);
    BatchTrainer parts(small, Adam{}), whole(large, Adam{});
    for (std::uint64_t t = 1; t <= 3; ++t) {
        const auto x = numbers(10, 3, t), y = numbers(10, 2, 100 + t);
        whole.train_on_batch(x, y);
        parts.weighted_gradients_on_batch(0.4, rows(x, 0, 4), rows(y, 0, 4));
        parts.weighted_gradients_on_batch(0.6, rows(x, 4, 6), rows(y, 4, 6));
        parts.apply();
        CHECK(difference(small, large) < 1e-13);
    }
}

TEST_CASE("Sums over a batch accumulate as they are, beside means") {
    Model<Totals, double> small(3), large(3);
    BatchTrainer parts(small, GradientDescent{.learning_rate = 0.01}),
        whole(large, GradientDescent{.learning_rate = 0.01});
    const auto x = numbers(10, 3, 1), y = numbers(10, 2, 2), z = numbers(10, 2, 3);
    const double mean = whole.train_on_batch(x, y, z);
    CHECK(mean == Approx(whole.loss(0) + 0.5 * whole.loss(1)));
    parts.weighted_gradients_on_batch(0.5, rows(x, 0, 5), rows(y, 0, 5), rows(z, 0, 5));
    parts.weighted_gradients_on_batch(0.5, rows(x, 5, 5), rows(y, 5, 5), rows(z, 5, 5));
    parts.apply();
    CHECK(difference(small, large) < 1e-13);
}

TEST_CASE("Statistics become the mean of what batches say, whatever their shares add up to") {
    Model<Noisy, double> once(3), twice(3);
    BatchTrainer a(once, GradientDescent{.learning_rate = 0}), b(twice, GradientDescent{.learning_rate = 0});
    const auto x = numbers(8, 3, 1), y = numbers(8, 2, 2);
    a.train_on_batch(x, y);
    b.gradients_on_batch(x, y);
    b.gradients_on_batch(x, y);
    b.apply();
    CHECK(difference(once, twice) < 1e-14);
}

TEST_CASE("Gradients have names, can be changed, and move parameters by their rate") {
    Model<Line, double> model(3);
    BatchTrainer trainer(model, GradientDescent{.learning_rate = 0.5});
    const auto x = numbers(4, 3, 1), y = numbers(4, 2, 2);
    trainer.gradients_on_batch(x, y);
    const Array<double> before(model.parameter<"2-dense.weights">());
    trainer.gradient<"2-dense.weights">().fill(0.25);
    trainer.apply();
    for (std::size_t i = 0; i < 4; ++i)
        CHECK(model.parameter<"2-dense.weights">()(i, 1) == Approx(before(i, 1) - 0.125).epsilon(1e-14));
    CHECK_THROWS_AS(trainer.apply(), ArgumentError);
    trainer.gradients_on_batch(x, y);
    trainer.forget();
    CHECK_THROWS_AS(trainer.apply(), ArgumentError);
}

TEST_CASE("Gradients in inputs and under gradients of predictions are difference quotients") {
    Model<Line, double> model(3);
    BatchTrainer trainer(model, GradientDescent{});
    auto x = numbers(4, 3, 1);
    const auto y = numbers(4, 2, 2), u = numbers(4, 2, 3);
    const auto loss_at = [&] {
        trainer.forget();
        return trainer.gradients_on_batch(x, y);
    };
    const auto product_at = [&] {
        const auto z = model.predict(x);
        double total = 0;
        for (std::size_t i = 0; i < z.size(); ++i) total += z(i / 2, i % 2) * u(i / 2, i % 2);
        return total;
    };
    const auto quotient = [](double& v, const auto& f) {
        const double middle = v;
        v = middle + 1e-5;
        const double above = f();
        v = middle - 1e-5;
        const double below = f();
        v = middle;
        return (above - below) / 2e-5;
    };
    const auto dx = trainer.input_gradients(x, y);
    for (std::size_t r = 0; r < 4; ++r)
        for (std::size_t i = 0; i < 3; ++i) CHECK(std::abs(dx(r, i) - quotient(x(r, i), loss_at)) < 1e-8);
    trainer.forget();
    trainer.backward(x, u);
    auto w = model.parameter<"1-dense.weights">();
    const auto g = trainer.gradient<"1-dense.weights">();
    for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t i = 0; i < 4; ++i) CHECK(std::abs(g(r, i) - quotient(w(r, i), product_at)) < 1e-8);
}

TEST_CASE("Batches that do not fit are refused before anything changes") {
    Model<Line, double> model(3);
    BatchTrainer trainer(model, GradientDescent{});
    CHECK_THROWS_AS(trainer.train_on_batch(numbers(4, 2, 1), numbers(4, 2, 1)), ShapeError);
    CHECK_THROWS_AS(trainer.train_on_batch(numbers(4, 3, 1), numbers(5, 2, 1)), ShapeError);
    CHECK_THROWS_AS(trainer.weighted_gradients_on_batch(0, numbers(4, 3, 1), numbers(4, 2, 1)), ArgumentError);
    CHECK(trainer.steps() == 0);
}

TEST_CASE("A refused batch leaves the gradients of others, and patterns are those of a network") {
    const auto x = numbers(6, 3, 1), y = numbers(6, 2, 2), few = numbers(5, 2, 3);
    Model<Line, double> model(1), other(1);
    BatchTrainer trainer(model, GradientDescent{.learning_rate = 0.1});
    BatchTrainer straight(other, GradientDescent{.learning_rate = 0.1});
    trainer.gradients_on_batch(x, y);
    CHECK_THROWS_AS(trainer.train_on_batch(x, few), ShapeError);
    trainer.apply();
    straight.train_on_batch(x, y);
    CHECK(difference(model, other) == 0);
    CHECK_THROWS_AS((BatchTrainer(model, frozen<"typo*">(GradientDescent{}))), ArgumentError);
}

struct Classes : Network<Input(3) + Dense(4, tanh) + Dense(3) + SoftmaxCE()> {};
struct Shares : Network<Input(3) + Dense(1) + BinaryCE()> {};
struct WordsIn : Network<Input(2) + Embedding(5, 3) + Flatten() + Dense(2) + SquaredDiff()> {};

TEST_CASE("What a Trainer refuses of an optimizer a BatchTrainer refuses") {
    const auto x = numbers(4, 3, 1), y = numbers(4, 2, 2);
    const auto refused = [&](auto change, const std::string& expected) {
        Model<Line, double> model(1);
        const Model<Line, double> before(model);
        BatchTrainer trainer(model, Adam{});
        change(trainer.optimizer);
        CHECK(error_text<ArgumentError>([&] { trainer.train_on_batch(x, y); }) == expected);
        trainer.gradients_on_batch(x, y);
        CHECK(error_text<ArgumentError>([&] { trainer.apply(); }) == expected);
        CHECK(model == before);
    };
    refused([](Adam& o) { o.beta1 = 1; }, "beta1 of optimizer 'adam': expected a number from 0 to below 1, found 1");
    refused([](Adam& o) { o.learning_rate = NAN; },
            "learning_rate of optimizer 'adam': expected a finite number of 0 or more, found nan");
    refused([](Adam& o) { o.learning_rate = -1; },
            "learning_rate of optimizer 'adam': expected a finite number of 0 or more, found -1");
    refused([](Adam& o) { o.epsilon = 0; }, "epsilon of optimizer 'adam': expected a finite number above 0, found 0");
}

TEST_CASE("What a Trainer refuses of targets and ids a BatchTrainer refuses, and nothing is trained") {
    const auto x = numbers(4, 3, 1);
    const auto refused = [](auto& model, const std::string& expected, const auto&... arrays) {
        const auto before = model;
        BatchTrainer trainer(model, Adam{});
        CHECK(error_text<DataError>([&] { trainer.train_on_batch(arrays...); }) == expected);
        CHECK(error_text<DataError>([&] { trainer.gradients_on_batch(arrays...); }) == expected);
        CHECK(model == before);
    };
    Model<Classes, double> classes(1);
    refused(classes, "dataset 'batch', record 2: expected a label from 0 to 2, found 3", x, Array<double>{0, 1, 3, 2});
    refused(classes, "dataset 'batch', record 1: expected a label from 0 to 2, found 0.5", x,
            Array<double>{0, 0.5, 1, 2});
    Model<Shares, double> shares(1);
    refused(shares, "dataset 'batch', record 3: expected a target from 0 to 1, found 7", x,
            Array<double>{{0}, {1}, {0.5}, {7}});
    Model<WordsIn> words(1);
    refused(
        words,
        "dataset 'batch', record 1, position 0: expected a whole number from 0 to 4 for layer '1-embedding', found 5",
        Array<float>{{0, 4}, {5, 0}}, Array<float>{{0, 0}, {0, 0}});
}

TEST_CASE("A batch of minibatches is trained as its arrays are, with the names of the data") {
    struct Pair
        : Network<(named("left", Input(2)) & named("right", Input(2))) + Concatenate() + Dense(1) + SquaredDiff()> {};
    const auto x = numbers(8, 2, 1), z = numbers(8, 2, 2), y = numbers(8, 1, 3);
    const auto of = [](const Array<double>& a) { return Numbers{{8, a.shape()[1]}, {a.begin(), a.end()}}; };
    const Dataset data(std::vector<NamedNumbers>{{"right", of(z)}, {"left", of(x)}}, {{"", of(y)}}, "pair");
    Model<Pair> batches(1), arrays(1);
    BatchTrainer one(batches, Adam{}), other(arrays, Adam{});
    const auto minibatch = minibatches_in_order(data, 4);
    // [batches]
    for (const Batch& each : epoch_of(minibatch, 0)) one.train_on_batch(each);
    // [batches]
    for (std::size_t first : {0u, 4u}) other.train_on_batch(rows(x, first, 4), rows(z, first, 4), rows(y, first, 4));
    CHECK(batches == arrays);
    CHECK(one.steps() == 2);

    Model<Line> line(1);
    BatchTrainer wrong(line, Adam{});
    for (const Batch& each : epoch_of(minibatch, 0)) CHECK_THROWS_AS(wrong.train_on_batch(each), DataError);
}
