// SPDX-License-Identifier: BSL-1.0
// Learns handwritten digits, shown on the whole terminal: charts, progress, a log, and keys that pause, step, save and
// stop. Space starts the run, q closes the view but not the run, and Ctrl-C ends the run. If the output is not a
// terminal, the program prints lines. With --check, it trains two epochs and prints lines.
#include <sigma/core/run_main.hpp>
#include <sigma/data/mnist.hpp>
#include <sigma/monitor/terminal.hpp>
#include <sigma/sigma.hpp>

#include <cstring>

using namespace sigma;

struct Digits : Network<Input(28, 28) + Dense(128, relu) + Dense(64, relu) + Dense(10) + SoftmaxCE()> {};

namespace {

int run(bool check) {
    const auto [training, testing, whole] = data::mnist();
    Trainer trainer("digits", Digits{}, Adagrad{.learning_rate = 0.02}, minibatches(training, 100));
    trainer.add(every(1, epoch).then(score(testing), report(epoch, error, accuracy)));

    monitor::Terminal view(trainer, {.runs = check ? "" : "runs"});
    // [terminal]
    view.on_start("digits", [&] { trainer.start({.epochs = 20, .device = cpu(2), .stop_on_interrupt = true}); });
    view.add(monitor::chart(loss, error), monitor::chart(accuracy), monitor::parameters("optimizer.*"), monitor::log);
    // [terminal]

    if (!check && view.full_screen()) {
        view.wait();     // until the view is closed
        trainer.wait();  // the run continues and prints lines
        return 0;
    }
    trainer.run({.epochs = 2, .device = cpu(2), .stop_on_interrupt = true});
    return trainer.epoch() == 2 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    return run_main([&] { return run(count > 1 && std::strcmp(arguments[1], "--check") == 0); });
}
