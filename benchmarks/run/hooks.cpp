// SPDX-License-Identifier: BSL-1.0
// What hooks add to a step: of an MLP, and of a network so small that nanoseconds show. One trainer, whose hooks come
// and go, so that all variants work on the same memory.
#include <sigma/benchmark.hpp>
#include <sigma/sigma.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>

using namespace sigma;
using namespace std::chrono_literals;

namespace {

struct Digits : Network<Input(784) + Dense(128, relu) + Dense(64, relu) + Dense(10) + SoftmaxCE()> {};
struct Flowers : Network<Input(4) + 2 * Dense(12, tanh) + Dense(3) + SoftmaxCE()> {};

Dataset numbers(std::size_t records, std::size_t inputs, std::size_t classes) {
    Numbers x{{records, inputs}, std::vector<float>(records * inputs)}, y{{records}, std::vector<float>(records)};
    for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] = static_cast<float>(i * 7919 % 997) / 997;
    for (std::size_t i = 0; i < records; ++i) y.values[i] = static_cast<float>(i * 7 % classes);
    return {std::move(x), std::move(y), "numbers"};
}

/// The hooks of a contender are there while it runs.
template <class Trainer, class... H>
Contender with(Trainer& trainer, int steps, const char* name, H... hooks) {
    auto number = std::make_shared<int>(0);
    return {.name = name,
            .work = [=, &trainer] { trainer.run(cpu(1), 1); },
            .before =
                [=, &trainer] {
                    if constexpr (sizeof...(H) > 0) *number = trainer.add(hooks...);
                },
            .after =
                [=, &trainer] {
                    if constexpr (sizeof...(H) > 0) trainer.remove(*number);
                },
            .steps = steps};
}

std::size_t told = 0;
const auto tell = [](std::string_view line) { told += line.size(); };
const auto line = [](auto... v) { return every(1, iteration).then(report(v...).to(tell)); };
const auto row = [](const char* name, auto... v) { return every(1, iteration).then(report(v...).to(file(name))); };

/// Compares epochs of so many steps, and prints the table with what each variant adds to a step.
template <class Trainer>
void compare(const char* title, Trainer& t, int n, int rounds) {
    const char* const log = "/tmp/sigma-benchmark-hooks.log";
    Comparison v(title, {.rounds = rounds});
    v.add(with(t, n, "no hooks"));
    v.add(with(t, n, "when(loss.falls_below(-1)).then(stop)", when(loss.falls_below(-1)).then(stop)));
    v.add(with(t, n, "at(1000000000, iteration).then(stop)", at(1000000000, iteration).then(stop)));
    v.add(with(t, n, "hooks of epochs only", at(1000000000, epoch).then(stop), when(error.falls_below(-1)).then(stop)));
    v.add(with(t, n, "an epoch hook on norm(gradients)",
               every(1000000000, epoch).when(norm(gradients("*")).exceeds(1e30)).then(stop)));
    v.add(with(t, n, "five criteria that never fire", when(loss.falls_below(-1)).then(stop),
               when(loss.decreases(1000000)).then(stop),
               when(loss.exceeds(1e9) || after(1000000000, iteration)).then(stop),
               every(1000000000, iteration).then(stop),
               when(!loss.reaches(-1) && loss.new_maximum().in_a_row(99)).then(stop)));
    v.add(with(t, n, "every(3600s).then(stop)", every(3600s).then(stop)));
    v.add(with(t, n, "ten reports to a function", line(loss), line(error), line(iteration), line(epoch), line(runtime),
               line(learning_rate), line(samples_per_second), line(loss, error), line(iteration, loss),
               line(epoch, iteration, "text")));
    v.add(with(t, n, "ten reports to a file", row(log, loss), row(log, error), row(log, iteration), row(log, epoch),
               row(log, runtime), row(log, learning_rate), row(log, samples_per_second), row(log, loss, error),
               row(log, iteration, loss), row(log, epoch, iteration, "text")));
    v.add(with(t, n, "average(loss, 100)", when(average(loss, 100).falls_below(-1)).then(stop)));
    v.add(with(t, n, "norm(parameters), each iteration", when(norm(parameters("*")).exceeds(1e30)).then(stop)));
    v.add(with(t, n, "norm(gradients), each iteration", when(norm(gradients("*")).exceeds(1e30)).then(stop)));
    const ComparisonReport report = v.run();
    std::printf("\n%s\n| | more |\n|---|---:|\n", report.table().c_str());
    for (const Timing& each : report.timings) std::printf("| %s | %.1f ns |\n", each.name.c_str(), each.more * 1e9);
}

}  // namespace

int main(int count, char** arguments) {
    const int rounds = count > 1 ? std::atoi(arguments[1]) : 60;
    {
        Trainer trainer("flowers", Flowers{}, GradientDescent{.learning_rate = 1e-3},
                        minibatches(numbers(20000, 4, 3), 10));
        compare("Iris 4-12-12-3, batch 10, SGD, through Trainer::run", trainer, 2000, rounds);
    }
    {
        Trainer trainer("digits", Digits{}, Adam{.learning_rate = 1e-5}, minibatches(numbers(4000, 784, 10), 100));
        compare("784-128-64-10, batch 100, Adam, through Trainer::run", trainer, 40, rounds);
    }
    std::remove("/tmp/sigma-benchmark-hooks.log");
    return told == 0;
}
