// SPDX-License-Identifier: BSL-1.0
// Tutorial, chapter 4: hooks watch and steer a network that reads handwritten digits.
//   tutorial_04_watch_and_steer [PICTURE.svg]
#include <sigma/data/mnist.hpp>
#include <sigma/sigma.hpp>

#include <cstdio>
#include "picture.hpp"

using namespace sigma;

// [network]
struct Digits : Network<Input(28, 28) + Dense(128, relu) + Dense(10) + SoftmaxCE()> {};
// [network]

int main(int count, char** arguments) {
    return run_main([&] {
        // [data]
        const auto [training, testing, whole] = data::mnist();
        // [data]
        // [hooks]
        Trainer trainer("digits", Digits{}, Adam{.learning_rate = 0.002}, minibatches(training, 50));
        ParameterSlot best;
        std::vector<double> losses;
        trainer.add(
            every(1, epoch).then(score(testing), report(epoch, learning_rate, error, validation_error, accuracy)),
            every(20, iteration).then(use(average(loss, 20), [&](double mean) { losses.push_back(mean); })),
            schedule(cosine(10), epoch),                     // the learning rate falls
            when(accuracy.improves()).then(remember(best)),  // keeps the best parameters in memory
            when(accuracy.reaches(0.95)).then(report("good enough after", runtime, "seconds"), stop),
            at(stop).then(recall(best)));
        // [hooks]
        // [run]
        const History history = trainer.run(cpu(2), 10);
        const double reached = trainer.evaluate(testing).accuracy;
        std::printf("%zu epochs, accuracy %.3f\n", history.epochs.size(), reached);
        // [run]

        if (count > 1) {
            std::vector<double> steps;
            for (std::size_t i = 0; i < losses.size(); ++i) steps.push_back(20.0 * static_cast<double>(i + 1));
            tutorial::Chart chart("Mean loss of 20 iterations", "iteration", "loss");
            chart.line("training", steps, losses);
            chart.write(arguments[1]);
        }
        return reached > 0.94 ? 0 : 1;
    });
}
