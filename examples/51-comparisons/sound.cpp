// SPDX-License-Identifier: BSL-1.0
// A stream of samples, as plug-ins that use RTNeural have it: a GRU learns the sound of a distorting low-pass filter,
// then computes one sample at a time, without locks and without the heap. The error must be below 5 % of the sound.
#include <sigma/sigma.hpp>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <numbers>

using namespace sigma;

constexpr std::size_t length = 64, pieces = 600;  // samples of a piece; pieces of training
constexpr auto body = [](bool stateful) { return GRU(12, {.stateful = stateful}) + Linear(1); };

/// Trains on pieces of 64 samples.
struct Pieces : Network<Input(64, 1) + body(false) + SquaredDiff()> {};
/// The same network for one sample at a time. It continues with the state after the previous sample.
struct Sample : Network<Input(1, 1) + body(true) + SquaredDiff()> {};

static float played(std::size_t t) {  // two tones
    const double turn = 2 * std::numbers::pi * static_cast<double>(t);
    return static_cast<float>(0.5 * std::sin(turn / 37) + 0.4 * std::sin(turn / 171.3));
}
static float filtered(float& memory, float x) { return memory += 0.4f * (std::tanh(3 * x) - memory); }

static int run() {
    auto x = Array<float>::from_shape({pieces, length, 1}), y = x;
    for (std::size_t i = 0; i < pieces; ++i) {
        float memory = 0;
        for (std::size_t t = 0; t < length; ++t) y(i, t, 0) = filtered(memory, x(i, t, 0) = played(977 * i + t));
    }
    Trainer trainer("sound", Pieces{}, Adam{.learning_rate = 0.01}, minibatches(make_dataset(x, y, "sound"), 20));
    trainer.add(every(10, epoch).then(report("epoch {:2}  loss {:.5f}", epoch, training_loss)));
    trainer.run(cpu(), 40);

    Model<Sample> model;
    transfer(trainer.model(), model, "*", Transfer::common);
    const Predictor predictor(model);
    predictor.reserve(1);  // from here on, step() allocates nothing
    auto voice = predictor.stream();
    double error = 0, size = 0;
    float memory = 0;
    const auto began = std::chrono::steady_clock::now();
    for (std::size_t t = 0; t < 48000; ++t) {  // one second
        const std::array<float, 1> in{played(t)};
        std::array<float, 1> out;
        voice.step(in, out);
        const float wanted = filtered(memory, in[0]);
        error += std::pow(out[0] - wanted, 2), size += std::pow(wanted, 2);
    }
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
    std::printf("a second of sound in %.1f ms, error %.2f %%\n", took.count(), 100 * std::sqrt(error / size));
    return std::sqrt(error / size) < 0.05 ? 0 : 1;
}

int main() { return run_main(run); }
