// SPDX-License-Identifier: BSL-1.0
// events FOLDER: a run whose loss goes to an event file there; prints the losses with all digits, an iteration a line.
#include <sigma/core/error.hpp>
#include <sigma/data/gates.hpp>
#include <sigma/hook/tensorboard.hpp>
#include <sigma/sigma.hpp>

#include <cstdio>
#include <string>

using namespace sigma;

int main(int, char** arguments) {
    using Xor = Network<Input(2) + Dense(4, tanh) + Dense(1) + SquaredDiff()>;
    Trainer trainer("xor", Xor{}, Adam{}, minibatches(data::xor_gate(), 4));
    trainer.add(every(1, iteration).then(report(loss, learning_rate).to(tensorboard(arguments[1]))));
    trainer.on_iteration([](auto& t) { std::puts(sentence(t.loss()).c_str()); });
    trainer.run(cpu(), 20);
}
