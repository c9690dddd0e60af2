// SPDX-License-Identifier: BSL-1.0
// LeNet-5 with Adam and a hook.
#include <sigma/data/mnist.hpp>
#include <sigma/sigma.hpp>

using namespace sigma;

struct LeNet : Network<Input(28, 28) + Conv2D(6, 5, relu, {.padding = same}) + MaxPool(2) + Conv2D(16, 5, relu) +
                       MaxPool(2) + Dense(120, relu) + Dense(84, relu) + Dense(10) + SoftmaxCE()> {};

int main() {
    const auto [training, testing, whole] = data::mnist();
    Trainer trainer("lenet", LeNet{}, Adam{.learning_rate = 0.002}, minibatches(training, 64));
    trainer.add(every(1, epoch).then(score(testing), report(epoch, error, accuracy)));
    trainer.run(cpu(1), 1);
}
