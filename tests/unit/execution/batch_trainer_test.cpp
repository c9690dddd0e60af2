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
#include <sigma/layer/recurrent.hpp>
#include <sigma/layer/reshape.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/branches.hpp>
#include <sigma/network/costs.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/optimizer/clip.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/optimizer/group.hpp>

#include <support/direct_step.hpp>
#include <support/thrown.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
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
    sigma::test::DirectStep<Noisy, Adam, double> whole(fused);
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

struct Remembers : Network<Input(2, 3) + LSTM(2, {.last = true, .stateful = true}) + SquaredDiff()> {};
struct TwoInputs : Network<(named("left", Input(2)) & named("right", Input(3))) + Parallel(Dense(4), Dense(4)) + Add() +
                           Dense(2) + SquaredDiff()> {};

TEST_CASE("NaN and infinity in a batch are refused, and nothing changes") {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
    const auto x = numbers(4, 3, 1), y = numbers(4, 2, 2), u = numbers(4, 2, 3);
    for (const auto& [bad, text] : {std::pair(nan, "nan"), std::pair(infinite, "inf"), std::pair(-infinite, "-inf")}) {
        auto wrong = x, wrong_targets = y;
        wrong(2, 1) = wrong_targets(3, 0) = bad;
        Model<Noisy, double> model(1), other(1);
        BatchTrainer trainer(model, Adam{}), undisturbed(other, Adam{});
        const auto refused = [&](std::string expected, auto f) { CHECK(error_text<DataError>(f) == expected + text); };
        const std::string in_x = "dataset 'batch', record 2, position 1: expected a finite number, found ",
                          in_y = "dataset 'batch', record 3, position 0: expected a finite number, found ";
        trainer.gradients_on_batch(x, y);
        undisturbed.gradients_on_batch(x, y);
        refused(in_x, [&] { trainer.train_on_batch(wrong, y); });
        refused(in_y, [&] { trainer.train_on_batch(x, wrong_targets); });
        refused(in_x, [&] { trainer.gradients_on_batch(wrong, y); });
        refused(in_x, [&] { trainer.weighted_gradients_on_batch(0.5, wrong, y); });
        refused(in_x, [&] { trainer.backward(wrong, u); });
        refused("dataset 'batch', record 3, position 0: expected a finite gradient of the prediction, found ",
                [&] { trainer.backward(x, wrong_targets); });
        refused(in_x, [&] { trainer.input_gradients(wrong, y); });
        // The gradients of before, the numbers that dropout draws and the statistics are what they were.
        trainer.gradients_on_batch(x, y);
        undisturbed.gradients_on_batch(x, y);
        trainer.apply();
        undisturbed.apply();
        CHECK(model == other);
    }
    Model<TwoInputs, double> two(1);
    BatchTrainer of_two(two, Adam{});
    auto right = x;
    right(1, 2) = nan;
    CHECK(error_text<DataError>([&] { of_two.train_on_batch(numbers(4, 2, 1), right, y); }) ==
          "dataset 'batch', 'right', record 1, position 2: expected a finite number, found nan");
    // Where a batch before has ended streams go on all the same.
    Model<Remembers, double> a(1), b(1);
    BatchTrainer of_a(a, Adam{}), of_b(b, Adam{});
    auto sequences = Array<double>::from_shape({4, 2, 3});
    sequences.fill(0.5);
    auto broken = sequences;
    broken(1, 1, 1) = nan;
    of_a.train_on_batch(sequences, y);
    of_b.train_on_batch(sequences, y);
    CHECK_THROWS_AS(of_a.train_on_next_batch(broken, y), DataError);
    CHECK(of_a.train_on_next_batch(sequences, y) == of_b.train_on_next_batch(sequences, y));
    CHECK(a == b);
}

struct Root : Layer {
    static constexpr Text kind = "root";
    constexpr Tensor forward(Context&, Tensor x) const { return sqrt(x); }
};
struct Roots : Network<Input(2) + Linear(2) + Root() + SquaredDiff()> {};

TEST_CASE("A batch whose loss or update leaves the finite numbers changes nothing") {
    const Array<float> x{{1, 2}}, y{{1, 1}};
    Model<Roots> model(1);
    model.parameter<"1-linear.weights">().fill(1);
    Model<Roots> other(model), clipped(model);
    BatchTrainer trainer(model, Adam{}), undisturbed(other, Adam{});
    trainer.train_on_batch(x, y);
    undisturbed.train_on_batch(x, y);
    CHECK(error_text<NumericError>([&] { trainer.train_on_batch(Array<float>{{-1, -2}}, y); }) ==
          "iteration 2: the loss of a batch became NaN; the batch has trained nothing");
    CHECK(error_text<NumericError>([&] { trainer.gradients_on_batch(x, Array<float>{{1e30f, 1}}); }) ==
          "iteration 2: the loss of a batch became infinite; the batch has trained nothing");
    CHECK(model == other);
    // The root's slope at 0 is infinite: the loss is finite, the gradient is not.
    const std::string text =
        "the update would make parameter '1-linear.weights' infinite or NaN, since a "
        "gradient is too large or NaN; nothing has changed, and the gradients are forgotten";
    Model<Roots> fresh(clipped);
    BatchTrainer of_fresh(fresh, Adam{});
    CHECK(error_text<NumericError>([&] { of_fresh.train_on_batch(Array<float>{{0, 0}}, y); }) ==
          "iteration 1: " + text);
    CHECK(fresh == clipped);
    // So it is with what the program sets, and with a square that is too large for Adam.
    trainer.gradients_on_batch(x, y);
    trainer.gradient<"1-linear.weights">()(0, 0) = std::numeric_limits<float>::quiet_NaN();
    CHECK(error_text<NumericError>([&] { trainer.apply(); }) == "iteration 2: " + text);
    CHECK_THROWS_AS(trainer.apply(), ArgumentError);
    trainer.backward(x, Array<float>{{1e20f, 0}});
    CHECK(error_text<NumericError>([&] { trainer.apply(); }) ==
          "iteration 2: the update would make the optimizer's state 'squares.1-linear.weights' infinite or NaN, since "
          "a gradient is too large or NaN; nothing has changed, and the gradients are forgotten");
    CHECK(model == other);
    trainer.train_on_batch(x, y);
    undisturbed.train_on_batch(x, y);
    CHECK(model == other);
    // A rule that can take such gradients takes them.
    BatchTrainer clips(clipped, clip_gradients(GradientDescent{}, 1));
    CHECK_NOTHROW(clips.train_on_batch(Array<float>{{0.0f, 1e-38f}}, y));
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
