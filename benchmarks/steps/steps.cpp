// SPDX-License-Identifier: BSL-1.0
// Two steps of a network, for steps.py, which counts their instructions. Prints the number of kernels of a step, its
// calls of the heap, and the bytes of its arena.
//   steps CASE
//   steps        prints the names of the cases
#include <sigma/benchmark/count_allocations.hpp>
#include <sigma/sigma.hpp>

#include <support/direct_step.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

using namespace sigma;

namespace {

struct Iris : Network<Input(4) + 2 * Dense(12, tanh) + Dense(3) + SoftmaxCE()> {};
struct Digits : Network<Input(784) + Dense(128, relu) + Dense(64, relu) + Dense(10) + SoftmaxCE()> {};
struct LeNet : Network<Input(28, 28) + Conv2D(6, 5, relu) + MaxPool(2) + Conv2D(16, 5, relu) + MaxPool(2) +
                       Dense(120, relu) + Dense(84, relu) + Dense(10) + SoftmaxCE()> {};
struct Sequences : Network<Input(16, 32) + LSTM(64) + Linear(32) + SoftmaxCE()> {};
struct Sentences : Network<Input(16, 64) + TransformerBlock(4, 128) + LayerNorm() + Linear(5) + SoftmaxCE()> {};

/// What a case does once, and facts about it.
struct Case {
    std::function<void()> step;
    std::size_t kernels = 0;
    std::function<std::size_t()> arena;
};

std::vector<float> numbers(std::size_t count, unsigned below) {
    std::vector<float> x(count);
    unsigned state = 1;
    for (float& each : x) {
        state = state * 1664525u + 1013904223u;
        each = below > 0 ? static_cast<float>((state >> 8) % below) : static_cast<float>(state >> 8) / 16777216.0f;
    }
    return x;
}

template <class N, class O>
Case training(O optimizer, std::ptrdiff_t records) {
    struct All {
        Model<N> model{1};
        test::DirectStep<N, O> step{model};
        std::vector<float> x, y;
        std::uint64_t number = 0;
    };
    const auto all = std::make_shared<All>();
    const auto count = static_cast<std::size_t>(records);
    all->x = numbers(count * static_cast<std::size_t>(N::input.count()), 0);
    all->y = numbers(count * static_cast<std::size_t>(N::targets[0].count()), static_cast<unsigned>(N::output.last()));
    return {[=] { all->step(optimizer, ++all->number, all->x.data(), all->y.data(), records); },
            all->step.plan().kernels.size(), [=] { return all->step.arena_bytes(); }};
}
template <class N>
Case prediction(std::ptrdiff_t records) {
    const auto model = std::make_shared<Model<N>>(1);
    const auto count = static_cast<std::size_t>(records);
    const auto x = std::make_shared<std::vector<float>>(numbers(count * static_cast<std::size_t>(N::input.count()), 0));
    const auto y = std::make_shared<std::vector<float>>(count * static_cast<std::size_t>(N::output.count()));
    return {[=] { model->predict(x->data(), y->data(), records); }, 0, [] { return std::size_t{0}; }};
}

const std::map<std::string, std::function<Case()>, std::less<>> cases{
    {"iris-sgd", [] { return training<Iris>(GradientDescent{.learning_rate = 1e-3}, 10); }},
    {"iris-adam", [] { return training<Iris>(Adam{.learning_rate = 1e-3}, 10); }},
    {"iris-predict", [] { return prediction<Iris>(1); }},
    {"digits-sgd", [] { return training<Digits>(GradientDescent{.learning_rate = 1e-4}, 32); }},
    {"digits-adam", [] { return training<Digits>(Adam{.learning_rate = 1e-5}, 32); }},
    {"digits-predict", [] { return prediction<Digits>(32); }},
    {"lenet-sgd", [] { return training<LeNet>(GradientDescent{.learning_rate = 1e-4}, 8); }},
    {"lenet-predict", [] { return prediction<LeNet>(1); }},
    {"lstm-sgd", [] { return training<Sequences>(GradientDescent{.learning_rate = 1e-4}, 8); }},
    {"transformer-sgd", [] { return training<Sentences>(GradientDescent{.learning_rate = 1e-4}, 4); }},
};

}  // namespace

/// The part that callgrind counts (--toggle-collect).
extern "C" [[gnu::noinline]] void measured_steps(const std::function<void()>* step);
extern "C" [[gnu::noinline]] void measured_steps(const std::function<void()>* step) {
    for (int i = 0; i < 2; ++i) (*step)();
}

int main(int count, char** arguments) {
    if (count < 2) {
        for (const auto& [name, _] : cases) std::printf("%s\n", name.c_str());
        return 0;
    }
    const Case of = cases.at(arguments[1])();
    for (int i = 0; i < 2; ++i) of.step();  // may allocate
    const long before = sigma::detail::counted_allocations;
    measured_steps(&of.step);
    const long allocations = sigma::detail::counted_allocations - before;
    std::printf("%zu %ld %zu\n", of.kernels, allocations, of.arena());
}
