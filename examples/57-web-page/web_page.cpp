// SPDX-License-Identifier: BSL-1.0
// The network of the page on which you draw a digit (docs/demo/digits.md). Trains a small convolutional network on
// digits that are turned, slanted and resized at random, as drawings of strangers are, and exports it as a header for
// page/page.cpp. The argument is the number of epochs: 3, if none is given, and 60 for the network of the page.
#include <sigma/data/mnist.hpp>
#include <sigma/data/transform/augmentations.hpp>
#include <sigma/exchange/cpp_source.hpp>
#include <sigma/sigma.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <span>

using namespace sigma;

struct Reader : Network<Input(28, 28) +                                       //
                        Conv2D(8, 5, relu, {.padding = same}) + MaxPool(2) +  // 14 x 14, 8 channels
                        Conv2D(16, 5, relu) + MaxPool(2) +                    // 5 x 5, 16 channels
                        Dropout(0.3f) + Dense(64, relu) + Dropout(0.3f) + Dense(10) + SoftmaxCE()> {};

namespace {

constexpr int side = 28;

/// Turns, slants, resizes and moves an image at random.
void redraw(std::span<float> image, std::span<const std::size_t>, PhiloxSequence& random) {
    std::array<float, side * side> old;
    std::ranges::copy(image, old.begin());
    const float angle = random.uniform(-0.25f, 0.25f), slant = random.uniform(-0.3f, 0.3f);
    const float width = random.uniform(0.8f, 1.25f), height = random.uniform(0.85f, 1.2f);
    const float down = random.uniform(-2, 2), right = random.uniform(-2, 2), middle = (side - 1) / 2.0f;
    const auto pixel = [&](int row, int column) {
        return row < 0 || row >= side || column < 0 || column >= side
                   ? 0.0f
                   : old[static_cast<std::size_t>(row * side + column)];
    };
    for (int row = 0; row < side; ++row)
        for (int column = 0; column < side; ++column) {
            const float y = static_cast<float>(row) - middle - down, x = static_cast<float>(column) - middle - right;
            const float from_y = (std::cos(angle) * y - std::sin(angle) * x) * height + middle;
            const float from_x = (std::sin(angle) * y + std::cos(angle) * x + slant * y) * width + middle;
            const float top = std::floor(from_y), left = std::floor(from_x), v = from_y - top, u = from_x - left;
            const int r = static_cast<int>(top), c = static_cast<int>(left);
            image[static_cast<std::size_t>(row * side + column)] =
                (1 - v) * ((1 - u) * pixel(r, c) + u * pixel(r, c + 1)) +
                v * ((1 - u) * pixel(r + 1, c) + u * pixel(r + 1, c + 1));
        }
}

int run(int epochs) {
    const auto [training, testing, whole] = data::mnist();
    Trainer trainer("reader", Reader{}, Adam{.learning_rate = 0.002},
                    minibatches(training, 64) >> data::augment(data::inputs, data::augment_by("redraw", redraw)));
    trainer.add(every(epoch).then([epochs](auto& t) {
        t.optimizer.learning_rate = 0.001 * (1 + std::cos(3.14159 * static_cast<double>(t.epoch()) / epochs));
    }));
    if (epochs > 10) trainer.add(every(1, epoch).then(score(testing), report(epoch, error, accuracy)));
    trainer.run(cpu(), epochs);

    // [export]
    export_cpp(trainer.model(), "digits.hpp", {.int8 = true});
    // [export]

    const double reached = trainer.evaluate(testing).accuracy;
    std::printf("%.1f %% of %zu digits are right; digits.hpp has the network\n", 100 * reached, testing.size());
    return reached > 0.93 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    return run_main([&] { return run(count > 1 ? std::atoi(arguments[1]) : 3); });
}
