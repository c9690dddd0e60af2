// SPDX-License-Identifier: BSL-1.0
// A trainer runs on its own thread while this thread changes its learning rate: in the first run at any time, in the
// second run whenever the trainer has paused itself, together with the dropout rate. The second run is bit-identical to
// a run whose hooks set the same rates. Last, a function watches the states of Adam by name.
#include <sigma/data/ready.hpp>
#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/data/transform/transforms.hpp>
#include <sigma/sigma.hpp>
#include <sigma/trainer/registry.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using namespace sigma;

struct Iris : Network<Input(4) + Dense(16, tanh) + Dropout(0.2) + Dense(3) + SoftmaxCE()> {};

namespace {

constexpr double rates[] = {0.01, 0.003, 0.001};

Minibatches batches() { return minibatches(data::iris() >> data::standardize(data::inputs), 10); }

void wait_for_pause(const Trainer<Iris, Adam>& trainer) {
    while (trainer.state() != RunState::paused) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void at_any_time() {
    Trainer trainer("iris", Iris{}, Adam{.learning_rate = 0.03}, batches());
    trainer.start(cpu());
    for (const double rate : rates) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        // Runs between two iterations, so that no step sees half of the change. The function may read everything.
        trainer
            .post([&] {
                std::printf("iteration %6d  error %.4f  learning rate %.3f -> %.3f\n",
                            static_cast<int>(trainer.iteration()), trainer.training_loss(),
                            trainer.optimizer.learning_rate, rate);
                trainer.optimizer.learning_rate = rate;
            })
            .wait();
    }
    trainer.stop().wait();
    std::printf("stopped after iteration %d\n\n", static_cast<int>(trainer.iteration()));
}

/// Pauses after each 10 epochs. This thread then sets the rates and resumes the run.
std::vector<float> at_pauses() {
    Trainer trainer("iris", Iris{}, Adam{.learning_rate = 0.03}, batches());
    trainer.add(every(10, epoch).then(
                    report("epoch {:2}  loss {:.4f}  learning rate {:.3f}", epoch, training_loss, learning_rate)),
                every(10, epoch).times(std::size(rates)).then(hold));
    trainer.start(cpu(), 40);
    for (const double rate : rates) {
        wait_for_pause(trainer);
        trainer
            .post([&] {
                trainer.optimizer.learning_rate = rate;
                trainer.model().set_hyperparameter("2-dropout.rate", 10 * rate);
            })
            .wait();
        trainer.resume().wait();
    }
    trainer.wait();
    const auto parameters = trainer.model().parameter_memory();
    return {parameters.begin(), parameters.end()};
}

std::vector<float> by_hooks() {
    Trainer trainer("iris", Iris{}, Adam{.learning_rate = 0.03}, batches());
    for (int i = 0; i < 3; ++i)
        trainer.add(at(10 * (i + 1), epoch)
                        .then(set(learning_rate, rates[i]), set(hyperparameter("2-dropout.rate"), 10 * rates[i])));
    trainer.run(cpu(), 40);
    const auto parameters = trainer.model().parameter_memory();
    return {parameters.begin(), parameters.end()};
}

/// Prints the largest numbers that Adam keeps for the weights of the first layer, after each 10 epochs.
void watched() {
    Trainer trainer("iris", Iris{}, Adam{.learning_rate = 0.01}, batches());
    const Registry values = trainer.registry();
    const Watch watch = values.watch("optimizer.state.**", [&](std::string_view name) {
        const auto state = values.get<Array<float>>(name);
        std::printf("%s: at most %.2e\n", std::string(name).c_str(),
                    static_cast<double>(*std::max_element(state.begin(), state.end())));
    });
    trainer.add(every(10, epoch).then(announce("optimizer.state.1-dense.weights.*")));
    trainer.run(cpu(), 20);
}

int run() {
    at_any_time();
    watched();
    if (at_pauses() == by_hooks()) {
        std::printf("hooks that set the same rates give the same parameters\n");
        return 0;
    }
    std::printf("hooks that set the same rates should give the same parameters\n");
    return 1;
}

}  // namespace

int main() { return run_main(run); }
