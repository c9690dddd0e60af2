// SPDX-License-Identifier: BSL-1.0
// Classifies three kinds of iris. Trains on two thirds of the flowers and tests on the others.
#include <sigma/data/ready.hpp>
#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/data/transform/transforms.hpp>
#include <sigma/sigma.hpp>
#include <sigma/trainer/terminal.hpp>

#include <cstdio>

using namespace sigma;

struct Iris : Network<Input(4) + Dense(10, tanh) + Dense(3) + SoftmaxCE()> {};

int main() {
    // Both parts have the three kinds in equal numbers. The test flowers are standardized like the training flowers.
    // Two kinds overlap, so the result depends on the split: over many splits, this network classifies 90 % to 100 %
    // correctly, 96 % on average.
    auto [training, testing] = stratified_split(shuffled(data::iris(), 7), 2.0 / 3, 1.0 / 3);
    const data::Preprocessing standardized = fitted(data::standardize(data::inputs), training);
    training = training >> standardized;
    testing = testing >> standardized;

    std::puts(summary<Iris>().c_str());
    Trainer trainer("iris", Iris{}, AdamW{.learning_rate = 0.01, .weight_decay = 0.1}, minibatches(training, 10));
    trainer.add(every(10, epoch).then(report("epoch {:2}  loss {:.4f}", epoch, training_loss)));
    trainer.run(cpu(), 50);

    const ConfusionMatrix matrix = classification_report(trainer.model(), testing).matrix();
    std::printf("\n%s", matrix.table().c_str());

    constexpr double wanted = 0.97;
    if (matrix.accuracy() >= wanted) return 0;
    std::printf("the accuracy should be at least %.0f %%\n", 100 * wanted);
    return 1;
}
