// SPDX-License-Identifier: BSL-1.0
// What hooks in the background and checkpoints cost the thread that trains, and how long checkpoints take.
#include "support/clocks.hpp"

#include <sigma/benchmark.hpp>
#include <sigma/sigma.hpp>

#include <chrono>
#include <cstdlib>
#include <thread>

using namespace sigma;

namespace {

struct Digits : Network<Input(784) + Dense(128, relu) + Dense(64, relu) + Dense(10) + SoftmaxCE()> {};
/// 26.2 million parameters, 105 MB; with gradient descent nothing else.
struct Large : Network<Input(4096) + Dense(4096, relu) + Dense(2304, relu) + Dense(10) + SoftmaxCE()> {};

Dataset numbers(std::size_t records, std::size_t inputs, std::size_t classes) {
    Numbers x{{records, inputs}, std::vector<float>(records * inputs)}, y{{records}, std::vector<float>(records)};
    for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] = static_cast<float>(i * 7919 % 997) / 997;
    for (std::size_t i = 0; i < records; ++i) y.values[i] = static_cast<float>(i * 7 % classes);
    return {std::move(x), std::move(y), "numbers"};
}

constexpr double piece = 0.6;  // seconds of a variant in a round
const std::string file_name = "/tmp/sigma-benchmark.sigma";

/// A run of a fixed time: its steps, and what they took this thread. The end of the run, which waits for what is under
/// way in the background, is outside.
struct Rate {
    std::vector<double> processor{}, wall{};  // microseconds a step
};
template <class Trainer, class... H>
void run_for(Trainer& trainer, Rate& rate, H... hooks) {
    int number = 0;
    if constexpr (sizeof...(H) > 0) number = trainer.add(hooks...);
    clocks::Time start, end;
    std::uint64_t first = 0, last = 0;
    const int clock = trainer.add(every(1, iteration).then([&](Trainer& t) {
        const auto now = clocks::Time::now();
        if (first == 0) start = now, first = t.iteration();
        else if (now.wall - start.wall > piece && last == 0) end = now, last = t.iteration(), t.stop();
    }));
    trainer.run(cpu(1));
    trainer.remove(clock);
    if constexpr (sizeof...(H) > 0) trainer.remove(number);
    const auto steps = static_cast<double>(last - first);
    rate.processor.push_back((end - start).processor / steps * 1e6);
    rate.wall.push_back((end - start).wall / steps * 1e6);
}

const auto wait_200_ms = [] { std::this_thread::sleep_for(std::chrono::milliseconds(200)); };
const auto compute_200_ms = [] {  // of a processor, however long that takes
    const double until = clocks::Time::now().processor + 0.2;
    for (volatile double x = 1; clocks::Time::now().processor < until;)
        for (int i = 0; i < 10000; ++i) x = x * 1.0000001;
};

void backgrounds(int rounds) {
    Trainer trainer("digits", Digits{}, Adam{.learning_rate = 1e-5}, minibatches(numbers(4000, 784, 10), 100));
    constexpr int count = 6;
    const char* const names[count] = {"no hooks",
                                      "200 ms of sleep",
                                      "200 ms of sleep, reading parameters",
                                      "200 ms of computing",
                                      "score of 4000 records",
                                      "save"};
    Rate rates[count];
    const Dataset validation = numbers(4000, 784, 10);
    for (int round = -1; round < rounds; ++round) {
        for (int i = 0; i < count; ++i) {
            Rate ignored;
            const int variant = (i + round + 1) % count;
            Rate& rate = round < 0 ? ignored : rates[variant];
            switch (variant) {
                case 0: run_for(trainer, rate); break;
                case 1: run_for(trainer, rate, every(1, iteration).then(wait_200_ms).in_background()); break;
                case 2:
                    run_for(trainer, rate,
                            every(1, iteration).then(score(numbers(1, 784, 10)), wait_200_ms).in_background());
                    break;
                case 3: run_for(trainer, rate, every(1, iteration).then(compute_200_ms).in_background()); break;
                case 4: run_for(trainer, rate, every(1, iteration).then(score(validation)).in_background()); break;
                case 5: run_for(trainer, rate, every(1, iteration).then(save(file_name)).in_background()); break;
                default: break;
            }
        }
    }
    std::printf(
        "\nIn the background of every iteration of 784-128-64-10, batch 100, Adam\n"
        "| hook | processor us | wall us | more processor %% | more wall %% |\n|---|---|---|---|---|\n");
    for (int i = 0; i < count; ++i) {
        std::vector<double> processor, wall;
        for (std::size_t r = 0; r < rates[i].wall.size(); ++r) {
            processor.push_back(rates[i].processor[r] / rates[0].processor[r] - 1);
            wall.push_back(rates[i].wall[r] / rates[0].wall[r] - 1);
        }
        std::printf("| %s | %.4g | %.4g | %.2f | %.2f |\n", names[i], clocks::median(rates[i].processor),
                    clocks::median(rates[i].wall), 100 * clocks::median(processor), 100 * clocks::median(wall));
    }
}

template <class Trainer>
void checkpoints(const char* title, Trainer& trainer, int rounds) {
    std::vector<std::byte> image;
    image = trainer.checkpoint();
    Comparison comparison(sentence(title, ": ", image.size(), " bytes"), {.rounds = rounds});
    comparison.add("checkpoint(), in memory", [&] { image = trainer.checkpoint(); })
        .add("the image into a file, without fsync",
             [&] {
                 std::FILE* const f = std::fopen(file_name.c_str(), "wb");
                 if (f != nullptr) std::fwrite(image.data(), 1, image.size(), f), std::fclose(f);
             })
        .add("write_checkpoint(), with fsync",
             [&] { sigma::detail::HookAccess::view(trainer).write_checkpoint(image, file_name); })
        .add("save()", [&] { trainer.save(file_name); })
        .add("load()", [&] { trainer.load(file_name); });
    std::printf("\n%s", comparison.run().table().c_str());
}

}  // namespace

int main(int count, char** arguments) {
    const int rounds = count > 1 ? std::atoi(arguments[1]) : 12;
    {
        Trainer trainer("digits", Digits{}, Adam{.learning_rate = 1e-5}, minibatches(numbers(4000, 784, 10), 100));
        trainer.run(cpu(1), 1);
        checkpoints("784-128-64-10 with Adam", trainer, rounds);
    }
    {
        Trainer trainer("large", Large{}, GradientDescent{.learning_rate = 1e-5},
                        minibatches(numbers(10, 4096, 10), 10));
        checkpoints("4096-4096-2304-10 with SGD", trainer, rounds);
    }
    backgrounds(rounds);
    std::remove(file_name.c_str());
}
