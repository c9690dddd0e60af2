// SPDX-License-Identifier: BSL-1.0
// Blocks of the pages about training, checkpoints, hooks and devices, compiled only.
#include <sigma/data/iris.hpp>
#include <sigma/sigma.hpp>
#include <sigma/trainer/terminal.hpp>

#include <cstdio>

namespace {

using namespace sigma;

struct Digits : Network<Input(28, 28) + Dense(16) + Dense(16) + Dense(10) + SoftmaxCE()> {};

[[maybe_unused]] void checkpoints(const Dataset& digits) {
    Trainer trainer("digits", Digits{}, Adam{}, minibatches(digits, 100));
    // [checkpoints-first]
    trainer.add(every(1, epoch).then(save(file("digits-", epoch, ".sigma")).keep_last(3)));  // a hook
    trainer.save("digits.sigma");                                                            // or at once
    trainer.load("digits.sigma");
    trainer.run(cpu(), 20 - trainer.epoch());  // what is left of 20 epochs
    // [checkpoints-first]
}

[[maybe_unused]] void reporting(const Dataset& digits, const Dataset& validation, const Dataset& testing) {
    {
        Trainer trainer("digits", Digits{}, Adam{}, minibatches(digits, 100));
        // [reporting-first]
        trainer.add(every(1, epoch).then(score(validation), report(epoch, error, accuracy)),
                    every(100, iteration).then(report(loss, learning_rate).to(csv("curve.csv"))),
                    when(accuracy.reaches(0.98)).then(report("good enough after", runtime), stop));
        // [reporting-first]
    }
    {
        Trainer trainer("digits", Digits{}, Adam{}, minibatches(digits, 100));
        // [reporting-confusion]
        const Confusion confusion;
        trainer.add(every(1, epoch).then(score(testing, confusion)),
                    at(stop).then(confusion_matrix(confusion)));  // prints the table
        trainer.run(cpu(), 10);
        const double found = confusion.matrix().recall(7);
        // [reporting-confusion]
        std::printf("%g\n", found);
    }
    {
        Trainer trainer("digits", Digits{}, Adam{}, minibatches(digits, 100));
        // [reporting-progress]
        trainer.add(every(1, iteration).then(show_progress()),
                    every(1, epoch).then(score(validation), show_progress(accuracy)));
        // [reporting-progress]
    }
}

[[maybe_unused]] void hooks(const Dataset& digits, const Dataset& validation) {
    {
        Trainer trainer("digits", Digits{}, Adam{}, minibatches(digits, 100));
        // [hooks-first]
        trainer.add(every(1, epoch).then(score(validation), report(error, accuracy)),
                    when(error.decreases(5)).then(save), when(accuracy.reaches(0.98) || after(20, epoch)).then(stop));
        // [hooks-first]
    }
    {
        Trainer trainer("digits", Digits{}, Adam{}, minibatches(digits, 100));
        // [values-first]
        trainer.add(
            every(1, epoch).then(report(average(loss).per(epoch), norm(gradients("*")), update_rate("*.weights"))),
            when(smoothed(loss, 0.98).falls_below(0.1)).then(stop));
        // [values-first]
    }
}

namespace training_page {

[[maybe_unused]] void train(const Dataset& training, const Dataset& testing) {
    // [training-first]
    struct Iris : Network<Input(4) + Dense(10, tanh) + Dense(3) + SoftmaxCE()> {};

    Trainer trainer("iris", Iris{}, AdamW{.learning_rate = 0.01, .weight_decay = 0.1}, minibatches(training, 10));
    trainer.on_epoch([&](auto& t) {
        if (t.epoch() % 10 == 0) std::printf("epoch %2d  loss %.4f\n", static_cast<int>(t.epoch()), t.training_loss());
    });
    trainer.run(cpu(), 50);
    const auto probabilities = trainer.predict(testing.inputs());
    // [training-first]
    // [training-history]
    const History history = trainer.run({.epochs = 50, .validation = testing, .device = cpu(2)});
    const EpochResult best =
        history.best();  // least validation loss, or training loss where there are no validation data
    std::printf("%.4f after %d of %d epochs\n", best.validation_loss, static_cast<int>(best.epoch),
                static_cast<int>(history.epochs.size()));
    // [training-history]
}
struct Iris : Network<Input(4) + Dense(10, tanh) + Dense(3) + SoftmaxCE()> {};
[[maybe_unused]] void steer(const Minibatches& batches) {
    // [training-clip]
    Trainer trainer("iris", Iris{}, clip_gradient_norm(Adam{.learning_rate = 0.01}, 1.0), batches);
    trainer.optimizer.norm_limit = 0.5;      // from the next step on
    trainer.optimizer.learning_rate *= 0.5;  // Adam's members stay where they were
    // [training-clip]
    // [training-modify]
    trainer.modify("*.weights", max_norm(3));
    trainer.modify("2-dense.*", clip(-1, 1));
    trainer.freeze("1-*");
    // [training-modify]
}
struct Mine {
    double learning_rate = 0.01;
    // [training-fields]
    static constexpr auto fields() { return std::tuple{Field<Mine>{"learning_rate", &Mine::learning_rate}}; }
    // [training-fields]
};

}  // namespace training_page

}  // namespace
