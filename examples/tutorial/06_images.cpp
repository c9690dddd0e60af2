// SPDX-License-Identifier: BSL-1.0
// Tutorial, chapter 6: a convolutional network reads digits, with augmented images.
//   tutorial_06_images [PICTURE.svg]
#include <sigma/data/mnist.hpp>
#include <sigma/data/transform/augmentations.hpp>
#include <sigma/sigma.hpp>
#include <sigma/trainer/terminal.hpp>

#include <cstdio>
#include "picture.hpp"

using namespace sigma;

// [network]
struct Reader : Network<Input(28, 28) + Conv2D(8, 5, relu, {.padding = same}) + MaxPool(2) +  // 14 x 14, 8 channels
                        Conv2D(16, 5, relu) + MaxPool(2) +                                    // 5 x 5, 16 channels
                        Dense(64, relu) + Dropout(0.3f) + Dense(10) + SoftmaxCE()> {};
// [network]

int main(int count, char** arguments) {
    return run_main([&] {
        // [data]
        const auto [training, testing, whole] = data::mnist();
        const auto batches = minibatches(training, 50) >> data::augment(data::inputs, data::shift(2));
        std::fputs(summary<Reader>().c_str(), stdout);
        // [data]

        // [train]
        Trainer trainer("reader", Reader{}, Adam{.learning_rate = 0.002}, batches);
        std::vector<double> epochs, accuracies;
        trainer.add(every(1, epoch).then(score(testing), report(epoch, error, accuracy),
                                         use(accuracy,
                                             [&](double a) {
                                                 accuracies.push_back(a);
                                                 epochs.push_back(static_cast<double>(accuracies.size()));
                                             })),
                    schedule(cosine(4), epoch));
        trainer.run(cpu(), 4);
        // [train]

        // [draw]
        const Array<float> p = trainer.predict(testing.input(0));  // ten probabilities
        std::fputs(terminal::draw_prediction(testing.input(0), 28, 28, std::span(p.data(), 10), testing.label(0), {},
                                             terminal::has_utf8())
                       .c_str(),
                   stdout);
        // [draw]

        if (count > 1) {
            tutorial::Chart chart("Accuracy on test images", "epoch", "accuracy");
            chart.line("convolutional network", epochs, accuracies);
            chart.write(arguments[1]);
        }
        return accuracies.back() > 0.95 ? 0 : 1;
    });
}
