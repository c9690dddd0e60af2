// SPDX-License-Identifier: BSL-1.0
// Batches that go on where the batch before has ended, and batches of other lengths for the same parameters.
#include <sigma/core/array.hpp>
#include <sigma/core/philox.hpp>
#include <sigma/execution/batch_trainer.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/recurrent.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/transfer.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/optimizer/gradient_descent.hpp>

#include <catch2/catch.hpp>

#include "support/thrown.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

using namespace sigma;

namespace {

template <int length>
struct Sequences
    : Network<Input(length, 2) + LSTM(3, {.stateful = true}) + GRU(2, {.stateful = true}) + Linear(1) + SquaredDiff()> {
};
using Whole = Sequences<12>;
using Piece = Sequences<4>;
using Rest = Sequences<8>;

constexpr std::size_t records = 3;

Array<double> numbers(std::size_t length, std::size_t features, std::uint64_t seed) {
    auto x = Array<double>::from_shape({records, length, features});
    Philox(seed).fill_normal(std::span<double>(x.data(), x.size()), 0.0, 1.0);
    return x;
}
Array<double> positions(const Array<double>& x, std::size_t first, std::size_t count) {
    auto part = Array<double>::from_shape({x.shape(0), count, x.shape(2)});
    for (std::size_t r = 0; r < x.shape(0); ++r)
        for (std::size_t t = 0; t < count; ++t)
            for (std::size_t i = 0; i < x.shape(2); ++i) part(r, t, i) = x(r, first + t, i);
    return part;
}
template <class N>
Model<N, double> made() {
    Model<N, double> model(1);
    for (int p = 0; p < model.parameter_count; ++p) {
        if (!model.records.parameters[p].trained) continue;
        std::uint64_t k = 0;
        for (double& e : model.parameter(p)) e = 0.7 * Philox(5, static_cast<std::uint64_t>(p)).normal<double>(k++);
    }
    return model;
}
template <class Trainer>
std::vector<double> all_gradients(Trainer& trainer, const auto& model) {
    std::vector<double> all;
    for (int p = 0; p < model.parameter_count; ++p)
        if (model.records.parameters[p].trained)
            for (const double g : trainer.gradient(p)) all.push_back(g);
    return all;
}
double greatest_difference(const std::vector<double>& a, const std::vector<double>& b) {
    REQUIRE(a.size() == b.size());
    double worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
    return worst;
}
constexpr GradientDescent still{.learning_rate = 0};

const Array<double> x = numbers(12, 2, 1), y = numbers(12, 1, 2);

}  // namespace

TEST_CASE("Pieces that go on have the losses of the whole sequence") {
    auto model = made<Piece>();
    auto whole_model = made<Whole>();
    BatchTrainer pieces(model, still);
    BatchTrainer whole(whole_model, still);
    const double wanted = whole.train_on_batch(x, y);
    // [pieces]
    const double first = pieces.train_on_batch(positions(x, 0, 4), positions(y, 0, 4));
    const double second = pieces.train_on_next_batch(positions(x, 4, 4), positions(y, 4, 4));
    const double third = pieces.train_on_next_batch(positions(x, 8, 4), positions(y, 8, 4));
    // [pieces]
    CHECK(first + second + third == Approx(wanted).epsilon(1e-13));
    // A batch by itself begins with zeros again.
    const double anew = pieces.train_on_batch(positions(x, 4, 4), positions(y, 4, 4));
    CHECK(std::abs(anew - second) > 1e-3);
    CHECK(pieces.train_on_batch(positions(x, 0, 4), positions(y, 0, 4)) == first);
    CHECK(pieces.train_on_next_batch(positions(x, 4, 4), positions(y, 4, 4)) == second);
    // A piece of another length.
    pieces.train_on_batch(positions(x, 0, 4), positions(y, 0, 4));
    CHECK(pieces.train_on_next_batch<Rest>(positions(x, 4, 8), positions(y, 4, 8)) ==
          Approx(second + third).epsilon(1e-13));
}

TEST_CASE("Gradients of a piece that goes on end at its begin") {
    auto model = made<Piece>();
    BatchTrainer trainer(model, still);
    const auto x0 = positions(x, 0, 4), y0 = positions(y, 0, 4), x1 = positions(x, 4, 4), y1 = positions(y, 4, 4);
    trainer.train_on_batch(x0, y0);
    trainer.train_on_next_batch(x1, y1);
    const auto found = all_gradients(trainer, model);

    // By differences: the states are those of the parameters as they are, only the piece itself has others.
    std::vector<double> wanted;
    constexpr double step = 1e-5;
    for (int p = 0; p < model.parameter_count; ++p) {
        if (!model.records.parameters[p].trained) continue;
        for (double& e : model.parameter(p)) {
            const double before = e;
            double at[2];
            for (int side = 0; side < 2; ++side) {
                e = before;
                trainer.train_on_batch(x0, y0);
                e = before + (side == 0 ? -step : step);
                at[side] = trainer.train_on_next_batch(x1, y1);
            }
            e = before;
            wanted.push_back((at[1] - at[0]) / (2 * step));
        }
    }
    CHECK(greatest_difference(found, wanted) < 1e-8);

    // Not those of all that came before: the whole less its first piece.
    auto long_model = made<Rest>();
    BatchTrainer all(long_model, still);
    all.train_on_batch(positions(x, 0, 8), positions(y, 0, 8));
    auto complete = all_gradients(all, long_model);
    trainer.train_on_batch(x0, y0);
    const auto first = all_gradients(trainer, model);
    for (std::size_t i = 0; i < complete.size(); ++i) complete[i] -= first[i];
    CHECK(greatest_difference(found, complete) > 1e-2);
}

TEST_CASE("Batches of several lengths train the same parameters") {
    auto model = made<Whole>();
    auto copy = made<Piece>();
    BatchTrainer trainer(model, Adam{.learning_rate = 0.01});
    BatchTrainer alone(copy, Adam{.learning_rate = 0.01});
    const auto x0 = positions(x, 0, 4), y0 = positions(y, 0, 4);
    for (int i = 0; i < 5; ++i) CHECK(trainer.train_on_batch<Piece>(x0, y0) == alone.train_on_batch(x0, y0));
    const double by_hand = trainer.train_on_batch(x, y);
    Model<Whole, double> twin;
    transfer(copy, twin);
    BatchTrainer other(twin, still);
    CHECK(other.train_on_batch(x, y) == by_hand);

    // One update of both.
    trainer.weighted_gradients_on_batch(0.25, x, y);
    trainer.weighted_gradients_on_batch<Piece>(0.75, x0, y0);
    const auto sum = all_gradients(trainer, model);
    trainer.forget();
    trainer.gradients_on_batch(x, y);
    const auto of_whole = all_gradients(trainer, model);
    trainer.forget();
    trainer.gradients_on_batch<Piece>(x0, y0);
    auto of_both = all_gradients(trainer, model);
    for (std::size_t i = 0; i < of_both.size(); ++i) of_both[i] = 0.75 * of_both[i] + 0.25 * of_whole[i];
    CHECK(greatest_difference(sum, of_both) < 1e-13);
}

TEST_CASE("What has nothing to go on from is refused") {
    auto model = made<Piece>();
    BatchTrainer trainer(model, still);
    const auto x0 = positions(x, 0, 4), y0 = positions(y, 0, 4);
    CHECK(error_text<ArgumentError>([&] { trainer.train_on_next_batch(x0, y0); }) ==
          "train_on_next_batch: expected an earlier batch, found the first batch");
    trainer.train_on_batch(x0, y0);
    const auto x2 = Array<double>::from_shape({2, 4, 2}), y2 = Array<double>::from_shape({2, 4, 1});
    CHECK(error_text<ArgumentError>([&] { trainer.train_on_next_batch(x2, y2); }) ==
          "train_on_next_batch: expected 3 records, as in the batch before, found 2");
    trainer.train_on_next_batch(x0, y0);  // which changed nothing
    CHECK_THROWS_AS((trainer.train_on_batch<Rest>(x0, y0)), ShapeError);
}
