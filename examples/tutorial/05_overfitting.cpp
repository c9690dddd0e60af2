// SPDX-License-Identifier: BSL-1.0
// Tutorial, chapter 5: one neuron underfits, a network that is too large learns wrong records by heart; three remedies.
//   tutorial_05_overfitting [PICTURE.svg]
#include <sigma/sigma.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include "picture.hpp"

using namespace sigma;

// [networks]
struct TooSmall : Network<Input(2) + Dense(1) + BinaryCE()> {};
struct TooLarge : Network<Input(2) + 2 * Dense(256, relu) + Dense(1) + BinaryCE()> {};
struct Dropped : Network<Input(2) + 2 * (Dense(256, relu) + Dropout(0.5f)) + Dense(1) + BinaryCE()> {};
// [networks]

namespace {

// [data]
/// Points on two spirals, as in chapter 2. One record in ten has the wrong class.
Dataset spirals(std::size_t records, std::uint64_t seed) {
    PhiloxSequence random{Philox(seed)};
    Array<float> points = Array<float>::from_shape({records, 2});
    std::vector<int> classes(records);
    for (std::size_t i = 0; i < records; ++i) {
        const float radius = 0.1f + 0.9f * random.uniform();
        const float angle = 6 * radius + (i % 2 == 0 ? 0.0f : 3.1416f) + 0.15f * random.normal();
        points(i, 0) = radius * std::cos(angle);
        points(i, 1) = radius * std::sin(angle);
        classes[i] = static_cast<int>(i % 2);
        if (random.uniform() < 0.1f) classes[i] = 1 - classes[i];
    }
    return make_dataset(points, classes, "noisy spirals");
}
// [data]

struct Curves {
    std::vector<double> epochs, training, validation;
    double loss = 0, accuracy = 0;  // of the validation data, at the end
};

// [train]
template <class Net, class Optimizer>
Curves train(const char* name, Optimizer optimizer, const Dataset& training, const Dataset& validation,
             bool stop_early) {
    Trainer trainer(name, Net{}, optimizer, minibatches(training, 20));
    Curves curves;
    trainer.add(every(1, epoch).then(score(validation), use(error, validation_error, [&](double t, double v) {
                                         curves.epochs.push_back(static_cast<double>(curves.epochs.size() + 1));
                                         curves.training.push_back(t);
                                         curves.validation.push_back(v);
                                     })));
    if (stop_early) trainer.add(early_stop(validation_error, {.patience = 8}));
    trainer.run({.epochs = 200, .quiet = true});
    const auto end = trainer.evaluate(validation);
    curves.loss = end.error;
    curves.accuracy = end.accuracy;
    std::printf("%-14s %3d epochs  training loss %.3f  validation loss %.3f  accuracy %.3f\n", name,
                static_cast<int>(trainer.epoch()), trainer.evaluate(training).error, curves.loss, curves.accuracy);
    return curves;
}
// [train]

}  // namespace

int main(int count, char** arguments) {
    return run_main([&] {
        // [compare]
        const Dataset training = spirals(100, 3), validation = spirals(1000, 100);
        const Adam adam{.learning_rate = 0.01};
        const AdamW decaying{.learning_rate = 0.01, .weight_decay = 1};
        const Curves small = train<TooSmall>("one neuron", adam, training, validation, false);
        const Curves large = train<TooLarge>("too large", adam, training, validation, false);
        const Curves stopped = train<TooLarge>("early stopping", adam, training, validation, true);
        const Curves decayed = train<TooLarge>("weight decay", decaying, training, validation, false);
        const Curves dropped = train<Dropped>("dropout", adam, training, validation, false);
        // [compare]

        if (count > 1) {
            tutorial::Chart chart("A network that is too large", "epoch", "loss");
            chart.line("training", large.epochs, large.training);
            chart.line("validation", large.epochs, large.validation);
            chart.line("validation, weight decay", decayed.epochs, decayed.validation);
            chart.write(arguments[1]);
        }
        const double worst = std::max({stopped.loss, decayed.loss, dropped.loss});
        return worst < small.loss && worst < large.loss && large.training.back() < 0.5 * small.training.back() ? 0 : 1;
    });
}
