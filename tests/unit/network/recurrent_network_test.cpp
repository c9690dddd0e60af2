// SPDX-License-Identifier: BSL-1.0
// Recurrent layers in networks, as the CPU runs them: gradients, masks, state between predictions, threads.
#include <sigma/data/dataset.hpp>
#include <sigma/execution/evaluator.hpp>
#include <sigma/execution/inspect.hpp>
#include <sigma/execution/step.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/recurrent.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/graph.hpp>
#include <sigma/network/transfer.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/trainer/trainer.hpp>
#include <sigma/xtensor.hpp>

#include <catch2/catch.hpp>
#include <xtensor/xview.hpp>

#include <cmath>
#include <cstring>
#include <support/direct_step.hpp>

using namespace sigma;

namespace {

// [tagger]
struct Tagger : Network<Input(5, 3) + Bidirectional(GRU(3)) + LSTM(4, {.backwards = true}) + Recurrent(3) + Linear(4) +
                        SoftmaxCE()> {};
// [tagger]
struct Long : Network<Input(8, 3) + LSTM(5) + GRU(4, {.last = true}) + SquaredDiff()> {};
struct Short
    : Network<Input(4, 3) + LSTM(5, {.stateful = true}) + GRU(4, {.last = true, .stateful = true}) + SquaredDiff()> {};
// [padded]
struct Padded : Network<(Input(8, 3) & named("given", Input(8))) +
                        Fork(LSTM(5, {.last = true}), GRU(4, {.last = true, .backwards = true})) + Concatenate() +
                        SquaredDiff()> {};
// [padded]
struct Whole : Network<Input(5, 3) + Fork(LSTM(5, {.last = true}), GRU(4, {.last = true, .backwards = true})) +
                       Concatenate() + SquaredDiff()> {};

template <class T, std::size_t n>
xt::xtensor<T, n> random_array(const std::array<std::size_t, n>& extents, std::uint64_t stream) {
    xt::xtensor<T, n> x(extents);
    Philox(11, RandomUse::user, stream).fill_normal(std::span<T>(x.data(), x.size()));
    return x;
}
template <class M>
void randomize(M& model) {
    for (int i = 0; i < model.parameter_count; ++i) {
        std::uint64_t k = 0;
        for (auto& e : model.parameter(i))
            e = static_cast<std::remove_reference_t<decltype(e)>>(
                0.5 * Philox(5, RandomUse::user, static_cast<std::uint64_t>(i)).normal<double>(k++));
    }
}
std::vector<float> row_of(const Array<float>& x, std::size_t row) {
    const std::size_t n = x.size() / x.shape()[0];
    return {x.begin() + static_cast<std::ptrdiff_t>(row * n), x.begin() + static_cast<std::ptrdiff_t>((row + 1) * n)};
}
template <class A, class B>
bool same_bits(const A& a, const B& b) {
    return a.size() == b.size() &&
           std::equal(a.begin(), a.end(), b.begin(), [](auto x, auto y) { return std::memcmp(&x, &y, sizeof x) == 0; });
}

}  // namespace

TEST_CASE("gradients of a recurrent network are finite differences", "[network]") {
    Model<Tagger, double> model(1);
    randomize(model);
    Inspection<Tagger, double> look(model);
    const auto x = random_array<double, 3>({2, 5, 3}, 1);
    const xt::xtensor<double, 2> y{{0, 1, 2, 3, 0}, {3, 3, 1, 0, 2}};
    look.run(x, y);
    for (int k = 0; k < model.parameter_count; ++k) {
        const auto gradient = look.gradient(k);
        auto g = gradient.begin();
        double worst = 0;
        for (double& e : model.parameter(k)) {
            constexpr double h = 1e-5;
            const double kept = e;
            e = kept + h;
            const double above = model.evaluate(x.data(), y.data(), 2).error;
            e = kept - h;
            const double below = model.evaluate(x.data(), y.data(), 2).error;
            e = kept;
            worst = std::max(worst, std::abs(*g++ - (above - below) / (2 * h)));
        }
        CAPTURE(k);
        CHECK(worst < 1e-8);
    }
}

TEST_CASE("padded sequences give what they give without the padding, bit for bit", "[network]") {
    Model<Padded> padded(1);
    Model<Whole> whole(1);
    randomize(padded);
    randomize(whole);
    const auto x = random_array<float, 3>({7, 5, 3}, 2);
    xt::xtensor<float, 3> longer = random_array<float, 3>({7, 8, 3}, 3);
    xt::view(longer, xt::all(), xt::range(0, 5), xt::all()) = x;
    xt::xtensor<float, 2> given = xt::zeros<float>({7, 8});
    xt::view(given, xt::all(), xt::range(0, 5)) = 1;
    const auto found = padded.predict(longer, given);
    CHECK(same_bits(found, whole.predict(x)));
    given(0, 4) = 0;
    CHECK(!same_bits(padded.predict(longer, given), found));
}

TEST_CASE("predictions go on where the one before has ended", "[network]") {
    Model<Long> all(1);
    Model<Short> parts(1);
    randomize(all);
    CHECK(transfer(all, parts) == parts.parameter_count);
    const auto x = random_array<float, 3>({1, 8, 3}, 4);
    const xt::xtensor<float, 3> first = xt::view(x, xt::all(), xt::range(0, 4), xt::all()),
                                second = xt::view(x, xt::all(), xt::range(4, 8), xt::all());
    const auto wanted = all.predict(x);
    // [stateful]
    const auto begun = parts.predict(first);
    const auto ended = parts.predict(second);  // goes on from there
    CHECK(same_bits(ended, wanted));
    // [stateful]
    CHECK(!same_bits(parts.predict(second), wanted));
    // [forget]
    parts.forget();
    // [forget]
    CHECK(same_bits(parts.predict(first), begun));
    CHECK(same_bits(parts.predict(second), wanted));

    // Training begins with zeros, and leaves the state alone.
    const Model<Short> before(parts);
    const auto y = random_array<float, 2>({1, 4}, 5);
    sigma::test::DirectStep<Short, GradientDescent> step(parts);
    const double found_loss = step({.learning_rate = 0}, 1, first.data(), y.data(), 1);
    double wanted_loss = 0;
    for (std::size_t i = 0; i < 4; ++i) wanted_loss += std::pow(static_cast<double>(begun(0, i) - y(0, i)), 2);
    CHECK(found_loss == Approx(wanted_loss).epsilon(1e-6));
    CHECK(same_bits(parts.predict(second), before.predict(second)));
    CHECK(parts.streams() == 1);

    for (const char* state : {"1-lstm.h_state", "1-lstm.c_state", "2-gru.h_state"}) {  // as it was said once
        CHECK(parts.initialize(state, zeros) == 1);
        CHECK(same_bits(parts.predict(first), begun));
    }
}

TEST_CASE("each record of a prediction is a stream of its own", "[network]") {
    Model<Short> together(1), alone(1);
    randomize(together);
    transfer(together, alone);
    constexpr std::size_t records = 300;  // more than are taken at a time
    const auto first = random_array<float, 3>({records, 4, 3}, 4), second = random_array<float, 3>({records, 4, 3}, 5);
    const auto row = [](const auto& x, std::size_t r) {
        return xt::xtensor<float, 3>(xt::view(x, xt::range(r, r + 1), xt::all(), xt::all()));
    };
    const auto begun = together.predict(first), ended = together.predict(second);
    CHECK(together.streams() == records);
    for (const std::size_t r : {0u, 1u, 255u, 256u, 299u}) {
        alone.forget();
        const auto a = alone.predict(row(first, r)), b = alone.predict(row(second, r));
        for (std::size_t i = 0; i < 4; ++i) {
            CHECK(a(0, i) == begun(r, i));
            CHECK(b(0, i) == ended(r, i));
        }
    }
    // They are as many as the last prediction had; of others nobody knows where they have stopped.
    CHECK_THROWS_WITH(together.predict(row(first, 0)),
                      "prediction of a network with states: expected 300 records, one for each stream (call forget to "
                      "reset the states), found 1 records");
    CHECK(same_bits(together.predict_anew(first), begun));
    CHECK(together.streams() == records);
    const Model<Short> copy(together);
    CHECK(same_bits(copy.predict(second), together.predict(second)));
    together.forget();
    CHECK(same_bits(together.predict(row(first, 0)), row_of(begun, 0)));
}

TEST_CASE("evaluation begins anew and leaves no trace", "[network]") {
    Model<Short> model(1);
    randomize(model);
    const auto x = random_array<float, 3>({5, 4, 3}, 4);
    const auto y = random_array<float, 2>({5, 4}, 6);
    const Dataset data = make_dataset(x, y);
    const auto score = [&] { return Trainer<Short, Adam>::evaluate(model, data).error; };
    const double untouched = score();
    const auto once = model.predict(x);
    CHECK(score() == untouched);
    const auto twice = model.predict(x);
    CHECK(!same_bits(once, twice));
    // Metrics of predictions, too.
    detail::Evaluator<Short> evaluator(data);
    double sum = 0;
    evaluator.predict(model, [&](int, auto predicted, auto) {
        for (const float p : predicted) sum += static_cast<double>(p);
    });
    double wanted = 0;
    for (const float p : once) wanted += static_cast<double>(p);
    CHECK(sum == wanted);
    Model<Short> twin(1);
    randomize(twin);
    for (int i = 0; i < 2; ++i) twin.predict(x);
    CHECK(same_bits(model.predict(x), twin.predict(x)));
}

TEST_CASE("recurrent networks learn the same bits on any number of threads", "[network]") {
    struct Wide : Network<Input(6, 16) + LSTM(40) + Bidirectional(GRU(16)) + Linear(5) + SoftmaxCE()> {};
    const auto x = random_array<float, 3>({50, 6, 16}, 6);
    xt::xtensor<float, 2> y = xt::zeros<float>({50, 6});
    for (std::size_t i = 0; i < y.size(); ++i) y.data()[i] = static_cast<float>(i * 7 % 5);
    std::vector<std::vector<float>> results;
    for (int threads = 1; threads <= 3; ++threads) {
        Model<Wide> model(3);
        sigma::test::DirectStep<Wide, GradientDescent> step(model);
        model.set_threads(threads);
        double first = 0, found_loss = 0;
        for (std::uint64_t t = 1; t <= 5; ++t) {
            found_loss = step({.learning_rate = 0.5}, t, x.data(), y.data(), 50);
            if (t == 1) first = found_loss;
        }
        CHECK(found_loss < first);
        // Weights are packed for many records, and read where they are for one.
        const auto together = model.predict(x);
        for (std::size_t r = 0; r < 50; r += 7) {
            const xt::xtensor<float, 3> one = xt::view(x, xt::range(r, r + 1), xt::all(), xt::all());
            CHECK(same_bits(model.predict(one),
                            xt::eval(xt::view(to_xtensor(together), xt::range(r, r + 1), xt::all(), xt::all()))));
        }
        const auto memory = model.parameter_memory();
        results.emplace_back(memory.begin(), memory.end());
    }
    CHECK(same_bits(results[0], results[1]));
    CHECK(same_bits(results[0], results[2]));
}
