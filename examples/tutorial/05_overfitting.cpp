// SPDX-License-Identifier: BSL-1.0
// Tutorial, chapter 5: a network that is too large learns its records by heart; three remedies.
//   tutorial_05_overfitting [PICTURE.svg]
#include <sigma/data/ready.hpp>
#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/data/transform/transforms.hpp>
#include <sigma/sigma.hpp>

#include <cstdio>
#include "picture.hpp"

using namespace sigma;

// [networks]
struct TooSmall : Network<Input(30) + Dense(1) + BinaryCE()> {};
struct TooLarge : Network<Input(30) + 2 * Dense(256, relu) + Dense(1) + BinaryCE()> {};
struct Dropped : Network<Input(30) + Dropout(0.3f) + 2 * (Dense(256, relu) + Dropout(0.5f)) + Dense(1) + BinaryCE()> {};
// [networks]

namespace {

struct Curves {
    std::vector<double> epochs, training, validation;
    double accuracy = 0;
};

// [train]
template <class Net, class Optimizer>
Curves train(const char* name, Optimizer optimizer, const Dataset& training, const Dataset& validation,
             bool stop_early) {
    Trainer trainer(name, Net{}, optimizer, minibatches(training, 16));
    Curves curves;
    trainer.add(every(1, epoch).then(score(validation), use(error, validation_error, [&](double t, double v) {
                                         curves.epochs.push_back(static_cast<double>(curves.epochs.size() + 1));
                                         curves.training.push_back(t);
                                         curves.validation.push_back(v);
                                     })));
    if (stop_early) trainer.add(early_stop(validation_error, {.patience = 8}));
    trainer.run({.epochs = 40, .quiet = true});
    const auto now = trainer.evaluate(validation);
    curves.accuracy = now.accuracy;
    std::printf("%-16s %2d epochs  training loss %.3f  validation loss %.3f  accuracy %.3f\n", name,
                static_cast<int>(trainer.epoch()), trainer.evaluate(training).error, now.error, now.accuracy);
    return curves;
}
// [train]

}  // namespace

int main(int count, char** arguments) {
    return run_main([&] {
        // [data]
        auto [training, validation] = stratified_split(shuffled(data::wdbc(), 3), 0.15, 0.85);
        const data::Preprocessing standardized = fitted(data::standardize(data::inputs), training);
        training = training >> standardized;
        validation = validation >> standardized;
        // [data]
        // [compare]
        const Adam adam{.learning_rate = 0.003};
        train<TooSmall>("one neuron", adam, training, validation, false);
        const Curves large = train<TooLarge>("too large", adam, training, validation, false);
        train<TooLarge>("early stopping", adam, training, validation, true);
        train<TooLarge>("weight decay", AdamW{.learning_rate = 0.003, .weight_decay = 1}, training, validation, false);
        const Curves dropped = train<Dropped>("dropout", adam, training, validation, false);
        // [compare]

        if (count > 1) {
            tutorial::Chart chart("A network that is too large", "epoch", "loss");
            chart.line("training", large.epochs, large.training);
            chart.line("validation", large.epochs, large.validation);
            chart.line("validation, dropout", dropped.epochs, dropped.validation);
            chart.write(arguments[1]);
        }
        return large.training.back() < 0.02 && dropped.accuracy > 0.94 ? 0 : 1;
    });
}
