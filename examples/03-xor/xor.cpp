// SPDX-License-Identifier: BSL-1.0
// Learns exclusive or, the smallest problem that needs a hidden layer.
#include <sigma/sigma.hpp>

#include <cstdio>

using namespace sigma;

struct Xor : Network<Input(2) + Dense(8, tanh) + Dense(1, sigmoid) + SquaredDiff()> {};

int main() {
    const Array<float> inputs = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
    const Array<float> targets = {{0}, {1}, {1}, {0}};

    Trainer trainer("xor", Xor{}, Adam{.learning_rate = 0.05}, minibatches(make_dataset(inputs, targets, "xor"), 4));
    trainer.add(every(50, epoch).then(report("epoch {:3}  loss {:.4f}", epoch, training_loss)));
    trainer.run(cpu(), 300);

    const auto outputs = trainer.predict(inputs);
    bool learned = true;
    for (std::size_t i = 0; i < 4; ++i) {
        const float output = outputs(i, 0);
        std::printf("%g xor %g = %.3f\n", static_cast<double>(inputs(i, 0)), static_cast<double>(inputs(i, 1)),
                    static_cast<double>(output));
        learned = learned && (output > 0.5f) == (targets(i, 0) > 0.5f);
    }
    return learned ? 0 : 1;
}
