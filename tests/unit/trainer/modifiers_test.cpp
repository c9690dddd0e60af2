// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/philox.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/modifier/modifier.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/optimizer/rmsprop.hpp>
#include <sigma/trainer/trainer.hpp>

#include <catch2/catch.hpp>

#include <cstring>

using namespace sigma;

namespace {

struct Wide : Network<Input(40) + Dropout(0.2f) + Dense(64, tanh) + Dense(5) + SoftmaxCE()> {};
struct Small : Network<Input(2) + Dense(4, relu) + Dense(3) + SoftmaxCE()> {};

Dataset labelled(std::size_t records, std::size_t features, std::size_t classes) {
    Numbers x{{records, features}, std::vector<float>(records * features)}, y{{records}, {}};
    Philox(3, RandomUse::user, 0).fill_normal(std::span(x.values));
    for (std::size_t i = 0; i < records; ++i) y.values.push_back(static_cast<float>(i % classes));
    return {x, y, "points"};
}
template <class T>
std::vector<T> copy_of(std::span<T> memory) {
    return {memory.begin(), memory.end()};
}
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), sizeof(T) * a.size()) == 0;
}
/// Returns the elements of a parameter and of all its states.
template <class Trainer_>
std::vector<float> everything_of(Trainer_& trainer, std::string_view name) {
    std::vector<float> all;
    const int p = std::remove_cvref_t<decltype(trainer.model())>::find_parameter(name);
    REQUIRE(p >= 0);
    for (float x : trainer.model().parameter(p)) all.push_back(x);
    for (int s = 0; s < trainer.training_step().states.size(); ++s)
        if (trainer.training_step().states[s].parameter == p)
            for (float x : trainer.training_step().state(s)) all.push_back(x);
    return all;
}
template <class M>
std::vector<float> modified(int threads, M modifier) {
    Trainer trainer("wide", Wide{}, Adam{.learning_rate = 0.05}, minibatches(labelled(350, 40, 5), 100));
    trainer.modify("*.weights", modifier);
    trainer.freeze("3-*");
    trainer.run(cpu({.threads = threads}), 2);
    return copy_of(trainer.model().parameter_memory());
}

}  // namespace

TEMPLATE_TEST_CASE("Frozen parameters and their states keep their bits under every optimizer", "", GradientDescent,
                   Momentum, Nesterov, Adagrad, Adadelta, Adam, AdamW, RMSprop, NAdam, RAdam, Lion) {
    Trainer trainer("small", Small{}, TestType{}, minibatches(labelled(12, 2, 3), 4));
    trainer.run(cpu(), 2);  // states are not zero any more
    trainer.freeze("1-*");
    trainer.modify("*", scale(0.5));  // modifiers do not reach what is frozen either
    const auto weights = everything_of(trainer, "1-dense.weights"), biases = everything_of(trainer, "1-dense.biases"),
               others = everything_of(trainer, "2-dense.weights");
    trainer.run(cpu(), 3);
    CHECK(same_bits(weights, everything_of(trainer, "1-dense.weights")));
    CHECK(same_bits(biases, everything_of(trainer, "1-dense.biases")));
    CHECK_FALSE(same_bits(others, everything_of(trainer, "2-dense.weights")));

    trainer.unmodify("*");
    trainer.unfreeze("*.weights");
    trainer.run(cpu(), 1);
    CHECK_FALSE(same_bits(weights, everything_of(trainer, "1-dense.weights")));
    CHECK(same_bits(biases, everything_of(trainer, "1-dense.biases")));
}

TEST_CASE("What is written into a frozen parameter stays") {
    Trainer trainer("small", Small{}, Adam{}, minibatches(labelled(12, 2, 3), 4));
    trainer.freeze("1-dense.weights");
    trainer.run(cpu(), 1);
    trainer.model().parameter<"1-dense.weights">()(0, 1) = 0.125f;
    trainer.on_iteration([](auto& t) {
        if (t.iteration() == 5) t.model().template parameter<"1-dense.weights">()(1, 2) = 0.25f;
    });
    trainer.run(cpu(), 2);
    CHECK(trainer.model().parameter<"1-dense.weights">()(0, 1) == 0.125f);
    CHECK(trainer.model().parameter<"1-dense.weights">()(1, 2) == 0.25f);
}

TEST_CASE("Modifiers act after every step, in order, on what matches") {
    Trainer trainer("small", Small{}, GradientDescent{.learning_rate = 1}, minibatches(labelled(12, 2, 3), 4));
    trainer.initialize("*", constant(3));
    trainer.modify("*.weights", clip(-0.01, 0.01));
    trainer.modify("2-dense.weights", scale(0.5));
    trainer.modify("*.biases", [](auto rows) { rows[0][0] = 7; });
    int steps = 0;
    trainer.on_iteration([&](auto& t) {
        ++steps;
        for (float w : t.model().template parameter<"1-dense.weights">()) CHECK(std::abs(w) <= 0.01f);
        for (float w : t.model().template parameter<"2-dense.weights">()) CHECK(std::abs(w) <= 0.005f);
        CHECK(t.model().template parameter<"1-dense.biases">()(0) == 7);
    });
    trainer.run(cpu(), 2);
    CHECK(steps == 6);
    CHECK(trainer.model().parameter<"2-dense.biases">()(0) == 7);
    CHECK(trainer.model().parameter<"2-dense.biases">()(1) != 7);
}

TEST_CASE("With modifiers and frozen parameters, any number of threads gives the same bits") {
    CHECK(same_bits(modified(1, max_norm(0.5)), modified(2, max_norm(0.5))));
    CHECK(same_bits(modified(1, clip(-0.1, 0.1)), modified(3, clip(-0.1, 0.1))));
    CHECK_FALSE(same_bits(modified(1, clip(-0.1, 0.1)), modified(1, clip(-0.2, 0.2))));
}

TEST_CASE("Patterns that match no parameter are refused") {
    Trainer trainer("small", Small{}, GradientDescent{}, minibatches(labelled(12, 2, 3), 4));
    CHECK_THROWS_WITH(
        trainer.modify("*.wieghts", clip(-1, 1)),
        Catch::StartsWith("modify of trainer 'small': expected a pattern that matches a parameter, found '*.wieghts'"));
    CHECK_THROWS_WITH(
        trainer.freeze("9-*"),
        Catch::StartsWith("freeze of trainer 'small': expected a pattern that matches a parameter, found '9-*'"));
    CHECK_THROWS_WITH(
        trainer.unfreeze(""),
        Catch::StartsWith("unfreeze of trainer 'small': expected a pattern that matches a parameter, found ''"));
    CHECK_THROWS_WITH(
        trainer.unmodify("x"),
        Catch::StartsWith("unmodify of trainer 'small': expected a pattern that matches a parameter, found 'x'"));
}

TEST_CASE("Steps repeated after a fault have the modifiers and the frozen parameters they had") {
    const std::uint64_t fault = GENERATE(6u, 5u, 3u);  // in which step of the epoch 1 … 6 the rate becomes too large
    Trainer trainer("small", Small{}, Adam{.learning_rate = 0.1}, minibatches(labelled(24, 2, 3), 4));
    trainer.modify("*.weights", scale(0.9));
    trainer.freeze("1-dense.biases");
    std::vector<std::vector<float>> after;
    const auto note = [&] { after.push_back(copy_of(trainer.model().parameter_memory())); };
    note();
    trainer.on_iteration([&](auto& t) {
        note();
        if (t.iteration() == 1) t.freeze("2-*");
        if (t.iteration() == 2) t.unfreeze("*");
        if (t.iteration() == 2) t.modify("1-dense.weights", clip(-0.2, 0.2));
        if (t.iteration() == 4) t.unmodify("1-*");
        if (t.iteration() == 4) t.freeze("2-dense.weights");
        if (t.iteration() + 1 == fault) t.optimizer.learning_rate = 1e39;
    });
    try {
        trainer.run(cpu(), 1);
        FAIL("no exception");
    } catch (const NumericError& error) {
        INFO(error.what());
        CHECK(error.iteration == fault);
        CHECK(trainer.iteration() == fault - 1);
        CHECK(same_bits(copy_of(trainer.model().parameter_memory()), after[fault - 1]));
    }
    // What callbacks asked for, even in steps that are undone, holds when training goes on.
    if (fault < 5) return;
    trainer.optimizer.learning_rate = 0.01;
    const auto weights = everything_of(trainer, "2-dense.weights");
    trainer.on_iteration([](auto& t) { t.stop(); });
    trainer.run(cpu(), 1);
    CHECK(same_bits(weights, everything_of(trainer, "2-dense.weights")));
}
