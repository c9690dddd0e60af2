// SPDX-License-Identifier: BSL-1.0
// Classifies ten kinds of clothing with a small residual network (He, Zhang, Ren and Sun 2016). Trains on 3,600 of the
// 4,000 pictures that come with the library and classifies 84 % of the others correctly. If the four files of
// Fashion-MNIST are present or can be downloaded, trains on 60,000 and classifies 92 % of the 10,000 test pictures
// correctly.
#include <sigma/data/mnist.hpp>
#include <sigma/sigma.hpp>
#include <sigma/trainer/terminal.hpp>

#include <cmath>
#include <cstdio>
#include <numbers>

using namespace sigma;

/// A convolution without biases and a normalization, whose shifts act as biases.
constexpr auto normalized(int filters, int size, int stride = 1) {
    return Conv2D(filters, size, {.stride = stride, .padding = same}) + BatchNorm();
}
constexpr auto block(int filters, int stride = 1) {
    return normalized(filters, 3, stride) + relu + normalized(filters, 3);
}
/// A block that halves height and width and changes the number of channels, so the shortcut needs a projection.
constexpr auto narrowing(int filters) { return Add(block(filters, 2), normalized(filters, 1, 2)) + relu; }

struct Fashion : Network<Input(28, 28) + normalized(16, 3, 2) + relu +  // 14 x 14, 16 channels
                         Residual(block(16)) + relu +                   //
                         narrowing(32) +                                // 7 x 7
                         narrowing(64) +                                // 4 x 4
                         GlobalAveragePool() + Dense(10) + SoftmaxCE()> {};

namespace {

int run() {
    const auto [training, testing, whole] = data::fashion_mnist();
    std::printf("training on %zu pictures, testing on %zu\n\n%s\n", training.size(), testing.size(),
                summary<Fashion>().c_str());

    const int epochs = whole ? 10 : 6;
    Trainer trainer("fashion", Fashion{}, AdamW{.learning_rate = 0.004, .weight_decay = 0.01},
                    minibatches(training, 64));
    trainer.initialize("*conv2d.weights", he());
    const double highest = trainer.optimizer.learning_rate;
    trainer.on_iteration([&](auto& t) {  // cosine schedule down to 0 (Loshchilov and Hutter 2017)
        const double done =
            static_cast<double>(t.iteration()) / static_cast<double>(t.epochs_planned() * t.batches_per_epoch());
        t.optimizer.learning_rate = highest * 0.5 * (1 + std::cos(std::numbers::pi * done));
    });
    const Confusion confusion;
    trainer.add(show_progress(testing, confusion), at(stop).then(confusion_matrix(confusion)));
    trainer.run(cpu(), epochs);

    const double wanted = whole ? 0.915 : 0.8;
    if (confusion.matrix().accuracy() >= wanted) return 0;
    std::printf("the accuracy should be at least %.1f %%\n", 100 * wanted);
    return 1;
}

}  // namespace

int main() { return run_main(run); }
