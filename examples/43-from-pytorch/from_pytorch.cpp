// SPDX-License-Identifier: BSL-1.0
// Loads a network that PyTorch has trained (train.py, 2,000 digits), predicts with it as PyTorch does, and trains it
// further. Then it saves the parameters in a file for PyTorch's load_state_dict. The 2,000 digits are from MNIST's test
// set. So if all of MNIST is present, the first accuracy includes digits on which the network was trained.
#include <sigma/data/mnist.hpp>
#include <sigma/exchange/foreign_parameters.hpp>
#include <sigma/exchange/formula.hpp>
#include <sigma/sigma.hpp>

#include <cstdio>
#include <filesystem>
#include <string>

using namespace sigma;

// [network]
// nn.Sequential(nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(6 * 12 * 12, 10))
struct Digits : Network<Input(28, 28) + Conv2D(6, 5, relu) + MaxPool(2) + Dense(10) + SoftmaxCE()> {};
// [network]

namespace {

int run(const std::string& weights) {
    const auto [training, testing, whole] = data::mnist();
    std::fputs(formula(Digits{}).c_str(), stdout);
    // [load]
    Trainer trainer("digits", Digits{}, Adam{.learning_rate = 0.002}, minibatches(training, 50));
    load_parameters(trainer.model(), weights, torch_names());
    const double loaded = trainer.evaluate(testing).accuracy;
    trainer.run({.epochs = 5, .quiet = true});
    const double trained = trainer.evaluate(testing).accuracy;
    save_parameters(trainer.model(), "digits-further.safetensors", torch_names({.like = weights}));
    // [load]
    std::printf("\naccuracy with the parameters of PyTorch: %.1f %%, after five more epochs: %.1f %%\n", 100 * loaded,
                100 * trained);
    std::filesystem::remove("digits-further.safetensors");
    return loaded > 0.86 && trained > 0.93 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    const auto here = std::filesystem::path(__FILE__).parent_path() / "digits.safetensors";
    const std::string weights = count > 1 ? arguments[1] : here.string();
    return run_main([&] { return run(weights); });
}
