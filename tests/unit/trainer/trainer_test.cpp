// SPDX-License-Identifier: BSL-1.0
#include <sigma/device/cpu/thread_pool.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/normalization.hpp>
#include <sigma/layer/positions.hpp>
#include <sigma/layer/recurrent.hpp>
#include <sigma/layer/reshape.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/layer/transformer_block.hpp>
#include <sigma/modifier/modifier.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/optimizer/clip.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/trainer/trainer.hpp>

#include <support/direct_step.hpp>
#include "support/allocations.hpp"

#include <catch2/catch.hpp>

#include <cstring>
#include <set>

using namespace sigma;
using test::allocations;

namespace {

struct Wide : Network<Input(40) + Dropout(0.2f) + Dense(64, tanh) + Dense(5) + SoftmaxCE()> {};
struct Blocks
    : Network<Input(20) + Reshape(5, 4) + Linear(8, selu) + SinusoidalPositions() + LearnedPositions() + BatchNorm() +
              TransformerBlock(2, 12, {.causal = true, .dropout = 0.1}) + GroupNorm(2) + RMSNorm() +
              SpatialDropout(0.1) + GaussianDropout(0.1) + AlphaDropout(0.1) + GaussianNoise(0.1) + Permute(2, 1) +
              Elementwise(mish) + Flatten() + Dense(2, {.bias = false}) + SquaredDiff()> {};
struct Steep : Network<Input(1) + Dense(1, {.bias = false}) + AbsoluteError()> {};
struct Pair : Network<Input(3) + Dense(4, tanh) + Dense(2) + SquaredDiff()> {};
struct Small : Network<Input(2) + Dense(4, relu) + Dense(3) + SoftmaxCE()> {};

Dataset labelled(std::size_t records, std::size_t features, std::size_t classes, const char* name = "points") {
    Numbers x{{records, features}, std::vector<float>(records * features)}, y{{records}, {}};
    Philox(3, RandomUse::user, 0).fill_normal(std::span(x.values));
    for (std::size_t i = 0; i < records; ++i) y.values.push_back(static_cast<float>(i % classes));
    return {x, y, name};
}
Dataset numbers(std::size_t records, std::size_t features, std::size_t outputs) {
    Numbers x{{records, features}, std::vector<float>(records * features)};
    Numbers y{{records, outputs}, std::vector<float>(records * outputs)};
    Philox(4, RandomUse::user, 0).fill_normal(std::span(x.values));
    Philox(5, RandomUse::user, 0).fill_normal(std::span(y.values));
    return {x, y, "points"};
}
bool all_are(const ArrayView<float>& elements, float value) {
    return std::ranges::all_of(elements, [&](float x) { return x == value; });
}

template <class T>
std::vector<T> trained(detail::Cpu device, std::uint64_t seed) {
    // 350 records in batches of 100: the last one has 50, and 100 records are work enough for several threads.
    Trainer trainer("wide", Wide{}, Adam{}, minibatches(labelled(350, 40, 5), 100), element<T>, seed);
    trainer.run(device, 3);
    const auto memory = trainer.model().parameter_memory();
    std::vector<T> all(memory.begin(), memory.end());
    all.push_back(static_cast<T>(trainer.training_loss()));
    return all;
}
template <class T>
void check_same_bits() {
    const auto one = trained<T>(cpu(1), 7);
    const auto same = [&](const std::vector<T>& other) {
        return other.size() == one.size() && std::memcmp(other.data(), one.data(), sizeof(T) * one.size()) == 0;
    };
    CHECK(same(trained<T>(cpu(1), 7)));
    CHECK(same(trained<T>(cpu({.threads = 2}), 7)));
    CHECK(same(trained<T>(cpu({.threads = 3}), 7)));
    CHECK_FALSE(same(trained<T>(cpu(1), 8)));
}

}  // namespace

TEST_CASE("The same seed gives the same bits on any number of threads") {
    check_same_bits<float>();
    check_same_bits<double>();
}

TEST_CASE("Callbacks come after each step and each epoch, in order of registration") {
    Trainer trainer("small", Small{}, GradientDescent{}, minibatches(labelled(10, 2, 3), 4));
    std::string order;
    trainer.on_iteration([&](auto& t) {
        order += "a" + std::to_string(t.epoch()) + std::to_string(t.batch());
        CHECK(std::isfinite(t.loss()));
        CHECK(t.samples_per_second() > 0);
    });
    trainer.on_iteration([&](auto&) { order += "b"; });
    trainer.on_epoch([&](auto& t) { order += "E" + std::to_string(t.epoch()) + " "; });
    trainer.run(cpu(), 2);
    CHECK(order == "a00ba01ba02bE1 a10ba11ba12bE2 ");
    CHECK(trainer.iteration() == 6);
    CHECK(trainer.epochs_planned() == 2);
    trainer.run(cpu(), 1);
    CHECK(trainer.epoch() == 3);
    trainer.run(cpu(), 0);
    CHECK(trainer.epoch() == 3);
    CHECK(trainer.name() == "small");
}

TEST_CASE("The error of an epoch is the mean over its records, whatever the batch") {
    const auto points = labelled(10, 2, 3);
    Trainer trainer("small", Small{}, GradientDescent{.learning_rate = 0}, minibatches(points, 4));
    trainer.run(cpu(), 1);
    CHECK(trainer.training_loss() == Approx(trainer.evaluate(points).error).epsilon(1e-5));
}

TEST_CASE("stop ends the run after the present step; another run goes on from there") {
    Trainer trainer("small", Small{}, GradientDescent{}, minibatches(labelled(10, 2, 3), 4));
    int epochs = 0;
    trainer.on_iteration([](auto& t) {
        if (t.iteration() == 5) t.stop();
    });
    trainer.on_epoch([&](auto&) { ++epochs; });
    trainer.run(cpu(), 10);
    CHECK(trainer.iteration() == 5);
    CHECK(epochs == 1);
    trainer.run(cpu(), 2);
    CHECK(trainer.epoch() == 3);
    CHECK(trainer.iteration() == 9);
}

TEST_CASE("Each record is trained on once an epoch") {
    // A linear unit without input learns b ← b - rate · 2 · (b - mean of targets): with rate 0 the losses tell targets.
    struct One : Network<Input(1) + Dense(1) + SquaredDiff()> {};
    Numbers x{{7, 1}, std::vector<float>(7)}, y{{7, 1}, {1, 2, 3, 4, 5, 6, 7}};
    Trainer trainer("one", One{}, GradientDescent{.learning_rate = 0}, minibatches(Dataset(x, y, "seven"), 1));
    std::vector<std::string> orders;
    std::set<long> seen;
    std::string order;
    trainer.on_iteration([&](auto& t) {
        seen.insert(std::lround(std::sqrt(t.loss())));
        order += std::to_string(std::lround(std::sqrt(t.loss())));
    });
    trainer.on_epoch([&](auto&) {
        CHECK(seen == std::set<long>{1, 2, 3, 4, 5, 6, 7});
        orders.push_back(order);
        seen.clear();
        order.clear();
    });
    trainer.run(cpu(), 3);
    CHECK(orders[0] != orders[1]);
    CHECK(orders[1] != orders[2]);
}

TEST_CASE("initialize draws the matching parameters anew, or says that none matches") {
    Trainer trainer("small", Small{}, GradientDescent{}, minibatches(labelled(10, 2, 3), 4));
    trainer.initialize("*.weights", constant(0.5));
    CHECK(all_are(trainer.model().parameter<"2-dense.weights">(), 0.5f));
    CHECK(all_are(trainer.model().parameter<"2-dense.biases">(), 0));
    CHECK_THROWS_WITH(
        trainer.initialize("*.wieghts", ones),
        Catch::StartsWith(
            "initialize of trainer 'small': expected a pattern that matches a parameter, found '*.wieghts'"));
}

TEST_CASE("Of all patterns given to initialize the most specific one decides, in any order and after a reset") {
    Trainer trainer("small", Small{}, GradientDescent{}, minibatches(labelled(10, 2, 3), 4));
    trainer.initialize("2-dense.weights", constant(1));
    trainer.initialize("*.weights", constant(2));
    CHECK_THROWS_AS(trainer.initialize("2-dense.weight", constant(7)), ArgumentError);
    trainer.initialize("*", constant(3));
    const auto as_said = [&] {
        CHECK(all_are(trainer.model().parameter<"2-dense.weights">(), 1));
        CHECK(all_are(trainer.model().parameter<"1-dense.weights">(), 2));
        CHECK(all_are(trainer.model().parameter<"2-dense.biases">(), 3));
    };
    as_said();
    trainer.run(cpu(), 1);
    for (float& w : trainer.model().parameter<"2-dense.weights">()) w *= 4;
    trainer.initialize("*", constant(3));  // draws all that match, each by its own
    as_said();
    trainer.run(cpu(), 1);
    trainer.reset();
    as_said();
    trainer.initialize("2-dense.weights", constant(4));
    CHECK(trainer.model().parameter<"2-dense.weights">()(0, 0) == 4);
}

TEST_CASE("A trainer has the commands that the documentation names") {
    Trainer trainer("small", Small{}, GradientDescent{}, minibatches(labelled(10, 2, 3), 4));
    std::vector<std::uint64_t> paused;  // iterations done then
    trainer.add(every(1, hold).then([&](auto& t) { paused.push_back(t.iteration()); }));
    // [commands]
    trainer.start(cpu());  // on a thread of its own
    trainer.pause().wait();
    trainer.step().wait();  // one iteration, then paused again
    trainer.post([&] { trainer.optimizer.learning_rate = 0.01; }).wait();
    trainer.resume();
    trainer.stop();
    trainer.wait();  // until the run has ended
    const double seconds = trainer.runtime();
    // [commands]
    REQUIRE(paused.size() == 2);
    CHECK(paused[1] == paused[0] + 1);
    CHECK(trainer.optimizer.learning_rate == 0.01);
    CHECK(trainer.state() == RunState::idle);
    CHECK(seconds > 0);
}

TEST_CASE("Data that does not fit is refused in words") {
    const auto small = [](Dataset data, int size = 1) {
        Trainer("small", Small{}, GradientDescent{}, minibatches(std::move(data), size));
    };
    CHECK_THROWS_WITH(small(labelled(6, 3, 3)),
                      "inputs of dataset 'points': expected shape (records, 2), found shape (6, 3)");
    CHECK_THROWS_WITH(small(labelled(6, 2, 4)), "dataset 'points', record 3: expected a label from 0 to 2, found 3");
    CHECK_THROWS_WITH(small(numbers(6, 2, 3)),
                      "dataset 'points': expected one class index for each record, found targets of shape (3) each");
    CHECK_THROWS_WITH(Trainer("pair", Pair{}, GradientDescent{}, minibatches(numbers(6, 3, 1), 2)),
                      "targets of dataset 'points': expected shape (records, 2), found shape (6, 1)");
    CHECK_THROWS_WITH(small(labelled(6, 2, 3), 0),
                      "minibatches of dataset 'points': expected a batch size from 1 to 6, found 0");
    CHECK_THROWS_WITH(small(labelled(6, 2, 3), 7),
                      "minibatches of dataset 'points': expected a batch size from 1 to 6, found 7");
    Trainer trainer("small", Small{}, GradientDescent{}, minibatches(labelled(6, 2, 3), 2));
    CHECK_THROWS_WITH(trainer.run(cpu(), -1), "run of trainer 'small': expected 0 epochs or more, found -1");
    CHECK_THROWS_WITH(trainer.run(cpu(0), 1), "cpu: expected 1 thread or more, found 0");
    CHECK_THROWS_WITH(trainer.evaluate(labelled(6, 3, 3)),
                      "inputs of dataset 'points': expected shape (records, 2), found shape (6, 3)");
}

TEST_CASE("A run that leaves the finite numbers says where, and keeps the parameters before that step") {
    for (const double rate : {1e30, 1e39}) {
        Trainer trainer("small", Small{}, GradientDescent{.learning_rate = 0.1}, minibatches(labelled(12, 2, 3), 4));
        std::vector<std::vector<float>> after;
        const auto note = [&] {
            const auto memory = trainer.model().parameter_memory();
            after.emplace_back(memory.begin(), memory.end());
        };
        note();
        trainer.on_iteration([&](auto& t) {
            note();
            if (t.iteration() == 4) t.optimizer.learning_rate = rate;
        });
        try {
            trainer.run(cpu({.threads = 2}), 5);
            FAIL("no exception");
        } catch (const NumericError& error) {
            // rate 1e39 is infinite as a float: step 5 itself makes the parameters so, 1e30 makes them too large
            INFO(error.what());
            CHECK(error.iteration == (rate > 1e38 ? 5u : 6u));
            const std::string text = rate > 1e38 ? "iteration 5, layer '1-dense': a parameter became infinite or NaN"
                                                 : "iteration 6, layer '2-dense': the loss became NaN";
            CHECK(error.what() == text);
            const auto memory = trainer.model().parameter_memory();
            CHECK(std::ranges::all_of(memory, [](float w) { return std::isfinite(w); }));
            CHECK(std::ranges::equal(memory, after[error.iteration - 1]));
            CHECK(trainer.iteration() == error.iteration - 1);
        }
        trainer.optimizer.learning_rate = 0.01;  // and it can go on from there
        if (rate > 1e38) trainer.run(cpu(), 1);
    }
}

TEST_CASE("An optimizer's state that left the finite numbers is said at the epoch's end") {
    // |w·x - y| has the gradient x: finite, with an infinite square, after which Adam moves this weight no more.
    std::vector<float> steep(8, 1);
    steep[5] = 1e20f;
    const Numbers x{{8, 1}, steep}, y{{8, 1}, std::vector<float>(8, 3)};
    Trainer trainer("steep", Steep{}, Adam{}, minibatches(Dataset(x, y, "steep"), 1));
    trainer.model().parameter_memory()[0] = 0;
    try {
        trainer.run(cpu(), 3);
        FAIL("no exception");
    } catch (const NumericError& e) {
        CHECK(std::string(e.what()).find(
                  "layer '1-dense': the optimizer's state 'squares.1-dense.weights' became infinite or NaN") !=
              std::string::npos);
        CHECK(trainer.iteration() + 1 == e.iteration);
        CHECK(e.iteration <= 8);
        CHECK(std::isfinite(trainer.model().parameter_memory()[0]));
    }
    Trainer clipped("steep", Steep{}, clip_gradient_norm(Adam{}, 1), minibatches(Dataset(x, y, "steep"), 1));
    clipped.run(cpu(), 3);
}

TEST_CASE("A loss that alone leaves the finite numbers is said to do so") {
    Numbers x{{2, 3}, {1, 2, 3, 4, 5, 6}}, y{{2, 2}, {1e30f, 0, 0, 1e30f}};  // squares of 1e30 are infinite
    Trainer trainer("pair", Pair{}, GradientDescent{}, minibatches(Dataset(x, y, "far"), 2));
    CHECK_THROWS_WITH(trainer.run(cpu(), 1), "iteration 1: the loss became infinite, though every layer is finite");
}

TEST_CASE("Training allocates nothing from the second step on, predicting from the second call on") {
    const int threads = GENERATE(1, 2);
    Trainer trainer("wide", Wide{}, Adam{}, minibatches(labelled(350, 40, 5), 100));
    trainer.modify("*.weights", max_norm(0.5));
    trainer.modify("*", clip(-2, 2));
    trainer.freeze("*.biases");
    std::vector<long> counts;
    counts.reserve(100);
    trainer.on_iteration([&](auto&) { counts.push_back(allocations); });
    trainer.run(cpu({.threads = threads}), 3);
    CHECK(counts.size() == 12);
    CHECK(counts.front() == counts.back());

#ifdef SIGMA_COUNTS_ALLOCATIONS
    CHECK(counts.front() > 0);  // they are counted at all
#endif

    std::vector<float> x(40 * 300), y(5 * 300);
    trainer.model().predict(x.data(), y.data(), 300);
    const long before = allocations;
    trainer.model().predict(x.data(), y.data(), 300);
    trainer.model().predict(x.data(), y.data(), 1);
    trainer.model().predict(x.data(), y.data(), 17);
    CHECK(allocations == before);
}

TEST_CASE("Steps of blocks allocate nothing") {
    Trainer trainer("blocks", Blocks{}, Adam{}, minibatches(numbers(30, 20, 2), 10));
    std::vector<long> counts;
    counts.reserve(100);
    trainer.on_iteration([&](auto&) { counts.push_back(allocations); });
    trainer.run(cpu({.threads = 2}), 2);
    CHECK(counts.size() == 6);
    CHECK(counts.front() == counts.back());
}

TEST_CASE("Steps over sequences allocate nothing") {
    struct Sequences : Network<Input(9, 8) + LSTM(33) + Linear(5) + SoftmaxCE()> {};
    Model<Sequences> model(1);
    sigma::test::DirectStep<Sequences, GradientDescent> step(model);
    const std::vector<float> x(40 * 9 * 8, 0.5f), y(40 * 9, 1);
    std::vector<float> p(40 * 9 * 5);
    const auto all = [&](std::uint64_t number) {
        for (const int threads : {1, 2}) {
            model.set_threads(threads);
            step({.learning_rate = 0.1}, number++, x.data(), y.data(), 40);
        }
        model.predict(x.data(), p.data(), 40);
    };
    all(1);
    const long before = allocations;
    all(3);
    CHECK(allocations == before);
    CHECK(step.arena_bytes(40) == step.arena_bytes());
}
