// SPDX-License-Identifier: BSL-1.0
// LeNet-5 (LeCun, Bottou, Bengio and Haffner 1998) with max pooling and relu instead of means and sigmoids. Trains on
// 9,000 of the 10,000 digits that come with the library and classifies 97 % of the others correctly. If the four files
// of MNIST are present or can be downloaded, trains on 60,000 and classifies 99.2 % of the 10,000 test digits
// correctly.
#include <sigma/data/mnist.hpp>
#include <sigma/sigma.hpp>
#include <sigma/trainer/terminal.hpp>

#include <cstdio>

using namespace sigma;

// [network]
struct LeNet : Network<Input(28, 28) +                                       //
                       Conv2D(6, 5, relu, {.padding = same}) + MaxPool(2) +  // 14 x 14, 6 channels
                       Conv2D(16, 5, relu) + MaxPool(2) +                    // 5 x 5, 16 channels
                       Dense(120, relu) + Dense(84, relu) + Dense(10) + SoftmaxCE()> {};
// [network]

namespace {

int run() {
    const auto [training, testing, whole] = data::mnist();
    std::printf("training on %zu digits, testing on %zu\n\n%s\n", training.size(), testing.size(),
                summary<LeNet>().c_str());

    Trainer trainer("lenet", LeNet{}, Adam{.learning_rate = 0.002}, minibatches(training, 64));
    const Confusion confusion;
    trainer.add(show_progress(testing, confusion), every(epoch).then([](auto& t) { t.optimizer.learning_rate *= 0.6; }),
                at(stop).then(confusion_matrix(confusion)));
    trainer.run(cpu(), 5);

    const double wanted = whole ? 0.985 : 0.95;
    if (confusion.matrix().accuracy() >= wanted) return 0;
    std::printf("the accuracy should be at least %.1f %%\n", 100 * wanted);
    return 1;
}

}  // namespace

int main() { return run_main(run); }
