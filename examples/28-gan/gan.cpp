// SPDX-License-Identifier: BSL-1.0
// Two networks against each other (Goodfellow et al. 2014), in a loop of your own. A generator learns to draw from a
// distribution that it never sees, from the gradient of a discriminator with respect to its inputs.
#include <sigma/execution/batch_trainer.hpp>
#include <sigma/sigma.hpp>

#include <cmath>
#include <cstdio>
#include <span>

using namespace sigma;

struct Generator : Network<Input(2) + Dense(16, tanh) + Dense(1) + SquaredDiff()> {};
struct Discriminator : Network<Input(1) + Dense(16, tanh) + Dense(16, tanh) + Dense(1) + BinaryCE()> {};

constexpr std::size_t records = 64;

Array<float> normal(std::size_t columns, double mean, double deviation) {
    static std::uint64_t draws = 0;
    auto x = Array<float>::from_shape({records, columns});
    Philox(5, RandomUse::user, ++draws).fill_normal(std::span(x.data(), x.size()), float(mean), float(deviation));
    return x;
}

int main() {
    // [loop]
    Model<Generator> generator(1);
    Model<Discriminator> discriminator(2);
    BatchTrainer draw{generator, Adam{.learning_rate = 0.002, .beta1 = 0.5}};
    BatchTrainer judge{discriminator, Adam{.learning_rate = 0.004, .beta1 = 0.5}};
    auto real = Array<float>::from_shape({records, 1}), invented = real;
    real.fill(1);
    invented.fill(0);
    for (int i = 0; i < 3000; ++i) {
        // One update from two batches: real numbers, and numbers that the generator draws.
        judge.weighted_gradients_on_batch(0.5, normal(1, 3, 0.5), real);
        judge.weighted_gradients_on_batch(0.5, generator.predict(normal(2, 0, 1)), invented);
        judge.apply();
        // Updates the generator, so that its draws look real. The discriminator is not changed.
        const auto noise = normal(2, 0, 1);
        draw.backward(noise, judge.input_gradients(generator.predict(noise), real));
        draw.apply();
    }
    // [loop]
    double sum = 0, squares = 0;
    constexpr int batches = 50;
    for (int i = 0; i < batches; ++i)
        for (const float x : generator.predict(normal(2, 0, 1))) sum += x, squares += static_cast<double>(x) * x;
    const double mean = sum / (batches * records), deviation = std::sqrt(squares / (batches * records) - mean * mean);
    std::printf("drawn: mean %.2f (real: 3), deviation %.2f (real: 0.5)\n", mean, deviation);
    return std::abs(mean - 3) < 0.4 && deviation > 0.2 && deviation < 0.9 ? 0 : 1;
}
