// SPDX-License-Identifier: BSL-1.0
// A perceptron without hooks; mlp_torch.cpp is the same on libtorch.
#include <sigma/sigma.hpp>

#include <cstddef>
#include <cstdio>

using namespace sigma;

struct Digits : Network<Input(28, 28) + Dense(128, relu) + Dense(64, relu) + Dense(10) + SoftmaxCE()> {};

int main() {
    Numbers images{{1000, 28, 28}, {}}, labels{{1000}, {}};
    for (std::size_t i = 0; i < 1000; ++i) {
        for (std::size_t k = 0; k < 784; ++k)
            images.values.push_back(static_cast<float>((i * 31 + k * 17) % 255) / 255);
        labels.values.push_back(static_cast<float>(i % 10));
    }
    Trainer trainer("digits", Digits{}, GradientDescent{.learning_rate = 0.01},
                    minibatches(Dataset(images, labels, "digits"), 100));
    trainer.run(cpu(1), 5);
    std::printf("%.4f\n", trainer.training_loss());
}
