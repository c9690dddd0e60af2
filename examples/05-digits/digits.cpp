// SPDX-License-Identifier: BSL-1.0
// Learns handwritten digits. Trains on 9,000 of the 10,000 images that come with the library and tests on the
// others. If the four files of MNIST are present or can be downloaded, trains on 60,000 and tests on 10,000.
#include <sigma/data/mnist.hpp>
#include <sigma/sigma.hpp>
#include <sigma/trainer/terminal.hpp>

#include <cstdio>

using namespace sigma;

struct Digits : Network<Input(28, 28) + Dropout(0.2f) + 2 * Dense(128, relu) + Dense(10) + SoftmaxCE()> {};

namespace {

int run() {
    const auto [training, testing, whole] = data::mnist();
    std::printf("training on %zu digits, testing on %zu\n\n%s\n", training.size(), testing.size(),
                summary<Digits>().c_str());

    Trainer trainer("digits", Digits{}, Adagrad{.learning_rate = 0.02}, minibatches(training, 100));
    trainer.add(show_progress(testing));
    trainer.run(cpu(2), whole ? 5 : 10);

    // A confusion matrix, and a few digits: the first right and the first wrong predictions.
    ConfusionMatrix matrix(10);
    const Array<float> probabilities = trainer.predict(testing.inputs());
    const Classified digits = trainer.classify(testing.inputs());
    const auto guess = [&](std::size_t i) { return std::span(probabilities.data() + 10 * i, 10); };
    std::size_t shown_right = 0, shown_wrong = 0;
    std::string pictures;
    for (std::size_t i = 0; i < testing.size(); ++i) {
        matrix.add(testing.label(i), digits[i]);
        std::size_t& shown = digits[i] == testing.label(i) ? shown_right : shown_wrong;
        if (shown++ < 2)
            pictures += sentence("\n", terminal::draw_prediction(testing.input(i), 28, 28, guess(i), testing.label(i),
                                                                 {}, terminal::has_utf8()));
    }
    std::printf("\n%s%s", matrix.table().c_str(), pictures.c_str());

    const double wanted = whole ? 0.97 : 0.94;
    if (matrix.accuracy() >= wanted) return 0;
    std::printf("the accuracy should be at least %.0f %%\n", 100 * wanted);
    return 1;
}

}  // namespace

int main() { return run_main(run); }
