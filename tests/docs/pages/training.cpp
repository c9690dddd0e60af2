// SPDX-License-Identifier: BSL-1.0
// Blocks of the pages about training, checkpoints, hooks and devices, compiled only.
#include <sigma/benchmark.hpp>
#include <sigma/data/ready.hpp>
#include <sigma/data/transform/transforms.hpp>
#include <sigma/hook/notify.hpp>
#include <sigma/hook/webhook.hpp>
#include <sigma/optimizer/accumulate.hpp>
#include <sigma/optimizer/average.hpp>
#include <sigma/sigma.hpp>
#include <sigma/trainer/averages.hpp>
#include <sigma/trainer/cross_validate.hpp>
#include <sigma/trainer/search.hpp>
#include <sigma/trainer/terminal.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string_view>

namespace {

using namespace sigma;
using namespace std::chrono_literals;

struct Digits : Network<Input(28, 28) + Dense(16) + Dense(16) + Dense(10) + SoftmaxCE()> {};

[[maybe_unused]] void checkpoints(const Dataset& digits) {
    Trainer trainer("digits", Digits{}, Adam{}, minibatches(digits, 100));
    // [checkpoints-first]
    trainer.add(every(1, epoch).then(save(file("digits-", epoch, ".sigma")).keep_last(3)));  // a hook
    trainer.save("digits.sigma");                                                            // or at once
    trainer.load("digits.sigma");
    trainer.run(cpu(), 20 - trainer.epoch());  // the rest of 20 epochs
    // [checkpoints-first]
    // [checkpoints-choice]
    const auto weights = [](std::string_view name) { return name.ends_with(".weights"); };
    trainer.save_parameters("weights.safetensors", weights);
    trainer.load_parameters("weights.safetensors", weights);
    // [checkpoints-choice]
}

[[maybe_unused]] void measuring(const Dataset& digits) {
    Trainer trainer("digits", Digits{}, Adam{}, minibatches(digits, 100));
    // [compare-steps]
    Comparison comparison("an epoch");
    comparison.add(
        {.name = "trainer", .work = [&] { trainer.run(cpu(1), 1); }, .before = [&] { trainer.reset(); }, .steps = 90});
    // [compare-steps]
}

[[maybe_unused]] void interrupting(const Dataset& digits) {
    Trainer trainer("digits", Digits{}, Adam{}, minibatches(digits, 100));
    // [control-interrupt]
    trainer.add(at(stop).then(save("digits.sigma")));
    const History history = trainer.run({.epochs = RunOptions::forever, .stop_on_interrupt = true});
    if (history.interrupted) std::printf("resume from digits.sigma\n");
    // [control-interrupt]
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
        // [metrics-report]
        const ClassificationReport report = classification_report(trainer.model(), testing);
        std::fputs(report.text().c_str(), stdout);
        // [metrics-report]
    }
    {
        Trainer trainer("digits", Digits{}, Adam{}, minibatches(digits, 100));
        // [reporting-progress]
        trainer.add(show_progress(testing));
        // [reporting-progress]
    }
    {
        Trainer trainer("digits", Digits{}, Adam{}, minibatches(digits, 100));
        // [reporting-progress-parts]
        trainer.add(every(iteration).then(show_progress()),
                    every(epoch).then(score(validation), show_progress(accuracy)));
        // [reporting-progress-parts]
        // [reporting-layout]
        trainer.add(every(10, epoch).then(report("epoch {:3}  loss {:.4f}", epoch, training_loss)));
        // [reporting-layout]
    }
    {
        Trainer trainer("digits", Digits{}, Adam{}, minibatches(digits, 100));
        // [reporting-notify]
        trainer.add(every(1, epoch).then(score(validation)),
                    at(stop).then(report("finished after", epoch, accuracy).to(sound())),
                    when(accuracy.reaches(0.98))
                        .then(report(epoch, accuracy).to(webhook("https://example.org/hook", {.field = "content"})))
                        .in_background()
                        .on_error(OnError::report));
        // [reporting-notify]
    }
    // [reporting-status]
    terminal::StatusLine status;  // on standard error, until it is destroyed
    for (int i = 1; i <= 3; ++i) {
        status.show(sentence("file ", i, " of 3"));  // cut to the width of the terminal
        terminal::print(stdout, sentence("read file ", i));
    }
    // [reporting-status]
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
        // [hooks-slow]
        trainer.add(every(1, epoch)
                        .then(score(validation), report(epoch, accuracy))
                        .in_background_if_slower(100ms)
                        .named("validation"));
        // [hooks-slow]
    }
    {
        Trainer trainer("digits", Digits{}, Adam{}, minibatches(digits, 100));
        // [steering-first]
        trainer.add(every(1, epoch).then(score(validation)),            // computes accuracy, validation_error
                    schedule(warm_up(500, cosine(10'000)), iteration),  // of the learning rate
                    save_best(accuracy, "best.sigma"),                  // a checkpoint at each best accuracy
                    early_stop(validation_error, {.patience = 5}));     // restores the best parameters
        trainer.run(cpu());
        // [steering-first]
    }
    {
        Trainer trainer("digits", Digits{}, Adam{}, minibatches(digits, 100));
        // [values-first]
        trainer.add(
            every(1, epoch).then(report(average(loss).per(epoch), norm(gradients("*")), update_rate("*.weights"))),
            when(smoothed(loss, 0.98).falls_below(0.1)).then(stop));
        // [values-first]
        // [values-outputs]
        trainer.add(every(100, iteration).then(report(share_of_zeros(outputs("1-dense")))));
        // [values-outputs]
    }
    {
        struct Digits
            : Network<Input(784) + Dense(128, relu) + Dropout(0.5) + Dense(10) + SoftmaxCE({.smoothing = 0.1})> {};
        Trainer trainer("digits", Digits{}, Adam{}, minibatches(digits, 100));
        // [hyperparameters]
        trainer.add(schedule(hyperparameter("*-dropout.rate"), linear(10'000), iteration),
                    at(5, epoch).then(set(hyperparameter("*.smoothing"), 0.05)),
                    every(1, epoch).then(multiply(hyperparameter("2-dropout.rate"), 0.9).at_least(0.1)));
        trainer.model().set_hyperparameter("2-dropout.rate", 0.3);  // between two steps
        // [hyperparameters]
    }
    {
        Trainer trainer("digits", Digits{}, Adam{}, minibatches(digits, 100));
        // [workers-mergers]
        trainer.run(workers(2, {.merge_every = 50,
                                .mergers = {merge("*", MergeBy::average), merge("*.biases", {0.75, 0.25}),
                                            merge("2-*", [](std::span<const Tensor> x) { return max(x[0], x[1]); })}}),
                    10);
        // [workers-mergers]
        const Model<Digits> twin = trainer.model();
        // [workers-models]
        const Model<Digits> average = merge({trainer.model(), twin});
        const Model<Digits> weighted = merge({trainer.model(), twin}, {merge("*", {0.9, 0.1})});
        // [workers-models]
        // [workers-hooks]
        trainer.add(in_each_worker(every(100, iteration).then(report(iteration, loss, norm(parameters("*")))),
                                   every(1, epoch).then(modify("*.weights", clip(-1, 1)), [](auto& worker) {
                                       if (worker.training_loss() > 10) worker.stop();
                                   })));
        trainer.add(over_all_workers(
            every(1, epoch).then(report(epoch, error, minimum_over_workers(error), maximum_over_workers(error)))));
        // [workers-hooks]
    }
}

namespace training_page {

[[maybe_unused]] void train(const Dataset& training, const Dataset& testing) {
    // [training-first]
    struct Iris : Network<Input(4) + Dense(10, tanh) + Dense(3) + SoftmaxCE()> {};

    Trainer trainer("iris", Iris{}, AdamW{.learning_rate = 0.01, .weight_decay = 0.1}, minibatches(training, 10));
    trainer.add(every(10, epoch).then(report("epoch {:2}  loss {:.4f}", epoch, training_loss)));
    trainer.run(cpu(), 50);
    const auto probabilities = trainer.predict(testing.inputs());
    // [training-first]
    // [training-history]
    const History history = trainer.run({.epochs = 50, .validation = testing, .device = cpu(2)});
    const EpochResult best = history.best();  // least validation loss, or training loss without validation data
    std::printf("%.4f after %d of %d epochs\n", best.validation_loss, static_cast<int>(best.epoch),
                static_cast<int>(history.epochs.size()));
    // [training-history]
}
struct Iris : Network<Input(4) + Dense(10, tanh) + Dense(3) + SoftmaxCE()> {};

[[maybe_unused]] void cross_validating() {
    // [fit-folds]
    const CrossValidation found = cross_validate(Iris{}, data::iris(), Adam{.learning_rate = 0.01},
                                                 data::standardize(data::inputs), {.folds = 10, .fit = {.epochs = 50}});
    std::puts(found.text().c_str());  // 10 folds: loss 0.1234 ± 0.0456, accuracy 96.00 ± 4.66 %
    // [fit-folds]
}
void search_early(const Dataset& training, const Dataset& validation) {
    // [search-early]
    const SearchResult found = search({.trials = 40, .stop = SearchStop::halving}, [&](Trial& trial) {
        const int width = trial.whole("width", 4, 64);
        Trainer trainer("trial", network(Input(4) + Dense(width, relu) + Dense(3) + SoftmaxCE()), Adam{},
                        minibatches(training, 16));
        trainer.on_epoch([&](auto& now) {
            if (trial.falls_behind(now.epoch(), now.evaluate(validation).error)) now.stop();
        });
        trainer.run(cpu(), 30);
        return trainer.evaluate(validation).error;
    });
    // [search-early]
    std::puts(found.table().c_str());
}
[[maybe_unused]] void steer(const Minibatches& batches) {
    // [training-clip]
    Trainer trainer("iris", Iris{}, clip_gradient_norm(Adam{.learning_rate = 0.01}, 1.0), batches);
    trainer.optimizer.norm_limit = 0.5;      // takes effect in the next step
    trainer.optimizer.learning_rate *= 0.5;  // members of Adam are members of the wrapper, too
    // [training-clip]
    // [training-modify]
    trainer.modify("*.weights", max_norm(3));
    trainer.modify("2-dense.*", clip(-1, 1));
    trainer.freeze("1-*");
    // [training-modify]
}
[[maybe_unused]] void grouped(const Minibatches& batches, const Dataset& validation) {
    {
        // [training-groups]
        const auto optimizer =
            frozen<"1-*">(group<"*biases">(AdamW{.learning_rate = 1e-3}, {.rate_factor = 2, .decay_factor = 0}));
        Trainer trainer("iris", Iris{}, optimizer, batches);
        // [training-groups]
    }
    {
        // [training-no-decay]
        const auto optimizer = group<"*biases">(
            group<"*scales">(group<"*shifts">(AdamW{}, {.decay_factor = 0}), {.decay_factor = 0}), {.decay_factor = 0});
        // [training-no-decay]
    }
    {
        // [training-penalties]
        Trainer trainer("iris", Iris{}, l2_penalty<"*.weights">(Momentum{.learning_rate = 0.1}, 1e-4), batches);
        trainer.optimizer.l2 = 1e-5;  // takes effect in the next step
        // [training-penalties]
    }
    // [training-averages]
    Trainer trainer("iris", Iris{}, ema(Adam{.learning_rate = 0.01}, 0.999), batches);
    trainer.on_epoch([&](auto& t) {
        const double averaged_error = with_averages(t, [&] { return t.evaluate(validation).error; });
        std::printf("%.4f\n", averaged_error);
    });
    trainer.run(cpu(), 50);
    save_parameters(averaged_model(trainer), "iris.safetensors");
    // [training-averages]
}
[[maybe_unused]] void accumulated(const Dataset& training) {
    // [training-accumulate]
    Trainer trainer("iris", Iris{}, accumulate(ema(Adam{.learning_rate = 0.01}), 4), minibatches(training, 25));
    trainer.run(cpu(), 50);  // the same steps as with batches of 100
    // [training-accumulate]
}
// [training-own-optimizer]
/// Signum (Bernstein et al. 2018): v ← μv + (1−μ)g, w ← w − rate · sign(v).
struct Signum {
    double learning_rate = 0.001;
    double momentum = 0.9;

    static constexpr Text name = "signum";
    static constexpr auto fields() {
        return std::array{Field<Signum>{"learning_rate", &Signum::learning_rate, NumberRange::finite_from_0()},
                          Field<Signum>{"momentum", &Signum::momentum, NumberRange::from_0_to_below_1()}};
    }
    constexpr std::array<double, 3> scalars(std::uint64_t) const { return {learning_rate, momentum, 1 - momentum}; }
    static constexpr void update(Update& u, Variable w, Variable g) {
        const Variable v = u.state("velocity", w.shape());
        const Variable kept = u.scalar(1) * v;
        const Variable next = kept + u.scalar(2) * g;
        u.assign(v, next);
        u.assign(w, w - u.scalar(0) * sign(next));
    }
};
// [training-own-optimizer]
[[maybe_unused]] void own_optimizer(const Minibatches& batches) {
    // [training-use-own-optimizer]
    Trainer trainer("iris", Iris{}, clip_gradient_norm(group<"*.biases">(Signum{}, {.rate_factor = 2}), 1.0), batches);
    // [training-use-own-optimizer]
}
struct Mine {
    double learning_rate = 0.01;
    // [training-fields]
    static constexpr auto fields() { return std::tuple{Field<Mine>{"learning_rate", &Mine::learning_rate}}; }
    // [training-fields]
};

}  // namespace training_page

}  // namespace
