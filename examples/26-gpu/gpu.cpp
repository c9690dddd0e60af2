// SPDX-License-Identifier: BSL-1.0
// Learns handwritten digits on the first GPU, or on the CPU if there is none. Only the device differs.
#include <sigma/data/mnist.hpp>
#include <sigma/gpu.hpp>
#include <sigma/sigma.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>

using namespace sigma;

struct Digits : Network<Input(28, 28) + Dense(128, relu) + Dense(64, relu) + Dense(10) + SoftmaxCE()> {};

namespace {

int run() {
    const Device device = gpu() | cpu();
    const auto [training, testing, whole] = data::mnist();
    std::printf("training on %s, %zu digits\n", device.name().c_str(), training.size());

    Trainer trainer("digits", Digits{}, Adam{.learning_rate = 0.002}, minibatches(training, 100));
    double right = 0;
    trainer.add(every(1, epoch).then(score(testing), report(epoch, error, accuracy),
                                     use(accuracy, [&](double share) { right = share; })));
    const auto began = std::chrono::steady_clock::now();
    trainer.run(device, 6);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    std::printf("%llu steps in %.2f s, with preparations\n", static_cast<unsigned long long>(trainer.iteration()),
                took.count());

    // Digits and model stay on the device. Only the predictions are copied back.
    trainer.model().to(device);
    const DeviceArray<float> there(device, testing.inputs<float>());
    const Array<float> answers = trainer.model().predict(there).to_host();
    std::printf("the first digit is a %td\n",
                std::max_element(answers.begin(), answers.begin() + 10) - answers.begin());

    constexpr double wanted = 0.92;
    if (right >= wanted) return 0;
    std::printf("the accuracy should be at least %.0f %%\n", 100 * wanted);
    return 1;
}

}  // namespace

int main() { return run_main(run); }
