// SPDX-License-Identifier: BSL-1.0
// The first program of docs/hooks.md.
#include <sigma/data/ready.hpp>
#include <sigma/sigma.hpp>

// [hooks-first]
using namespace sigma;

struct Iris : Network<Input(4) + Dense(16, tanh) + Dense(3) + SoftmaxCE()> {};

int main() {
    const auto [training, validation] = stratified_split(shuffled(data::iris(), 1), 0.8, 0.2);
    Trainer trainer("iris", Iris{}, Adam{.learning_rate = 0.01}, minibatches(training, 16));
    trainer.add(every(10, epoch).then(score(validation), report(epoch, error, validation_error, accuracy)),
                when(accuracy.reaches(0.95)).then(report("good enough after", runtime), stop),
                after(100, epoch).then(stop));
    trainer.run(cpu(1));
}
// [hooks-first]
