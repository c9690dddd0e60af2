// SPDX-License-Identifier: BSL-1.0
// What does a network recognize as a seven? Learns handwritten digits, and then computes, for each digit, the image
// with the highest predicted probability. Noise during training makes these images look like digits to humans, too.
#include <sigma/data/mnist.hpp>
#include <sigma/sigma.hpp>
#include <sigma/trainer/terminal.hpp>

#include <algorithm>
#include <cstdio>

using namespace sigma;

struct Digits : Network<Input(28, 28) + GaussianNoise(0.5) + Dropout(0.5f) + Dense(128, relu) + Dropout(0.3f) +
                        Dense(10) + SoftmaxCE()> {};

namespace {

// [options]
// Penalties and bounds make it an image: few strokes, smooth, from black to white.
constexpr MaximiseOptions as_picture{
    .steps = 150, .all_steps = true, .rate = 0.02, .decay = 0.003, .smoothing = 0.006, .lowest = 0, .highest = 1};
// [options]

int run() {
    const auto [training, testing, whole] = data::mnist();
    Trainer trainer("digits", Digits{}, AdamW{.weight_decay = 0.05}, minibatches(training, 100));
    // [hook]
    trainer.add(every(1, epoch).times(1).then(draw_maximised(3, as_picture)).in_background());
    // [hook]
    trainer.run(cpu(), 8);
    std::printf("%.1f %% of %zu test digits are right\n\n", 100 * trainer.evaluate(testing).accuracy, testing.size());

    bool all_right = true;
    for (int first = 0; first < 10; first += 5) {
        std::vector<std::string> lines(16);
        for (int digit = first; digit < first + 5; ++digit) {
            const auto ideal = maximise(trainer.model(), digit, as_picture);
            Array<float> pixels = ideal.input;
            const float brightest = std::ranges::max(pixels);
            for (float& pixel : pixels) pixel /= brightest;
            const auto picture = terminal::draw_lines({pixels.data(), pixels.size()}, 28, 28, terminal::has_utf8());
            for (std::size_t i = 0; i < picture.size(); ++i) lines[i] += picture[i];
            char caption[64];
            std::snprintf(caption, sizeof caption, "      %d with %4.1f %%         ", digit,
                          100 * static_cast<double>(ideal.prediction(digit)));
            lines[15] += caption;
            all_right = all_right && ideal.prediction(digit) == std::ranges::max(ideal.prediction);
        }
        for (const std::string& line : lines) std::printf("%s\n", line.c_str());
    }
    if (all_right) return 0;
    std::printf("the network should recognize each digit that was computed for it\n");
    return 1;
}

}  // namespace

int main() { return run_main(run); }
