// SPDX-License-Identifier: BSL-1.0
// Blocks of the pages for users of PyTorch and Keras, and of the page about formulas. Compiled only.
#include <sigma/exchange/foreign_parameters.hpp>
#include <sigma/exchange/formula.hpp>
#include <sigma/execution/batch_trainer.hpp>
#include <sigma/network/parameters_file.hpp>
#include <sigma/sigma.hpp>

#include <cstdio>
#include <string>

namespace {

using namespace sigma;

// [torch-network]
struct Iris : Network<Input(4) + Dense(16, relu) + Dropout(0.2f) + Dense(3) + SoftmaxCE()> {};
// [torch-network]

[[maybe_unused]] void as_in_torch(const Dataset& training, const Dataset& testing) {
    // [torch-train]
    Trainer trainer("iris", Iris{}, AdamW{.learning_rate = 0.01, .weight_decay = 0.01}, minibatches(training, 16));
    trainer.run(cpu(), 50);
    const Classified classes = trainer.model().classify(testing.inputs());
    save_parameters(trainer.model(), "iris.safetensors");
    // [torch-train]
    static_cast<void>(classes);
}

[[maybe_unused]] void as_in_torch_step_by_step(const Minibatches& batches) {
    // [torch-loop]
    Model<Iris> model(1);
    BatchTrainer step{model, AdamW{.learning_rate = 0.01, .weight_decay = 0.01}};
    for (int i = 0; i < 50; ++i)
        for (const Batch& each : epoch_of(batches, static_cast<std::uint64_t>(i))) step.train_on_batch(each);
    // [torch-loop]
}

// [torch-function]
struct Gated : Network<Input(8) + [](auto x) {
    auto h = layer(named("hidden", Dense(16, tanh)), x);
    auto gate = layer(named("gate", Dense(16, sigmoid)), x);
    return layer(named("out", Dense(2)), h * gate);
} + SquaredDiff()> {};
// [torch-function]

// [torch-resnet]
constexpr auto block = Conv2D(16, 3, {.padding = same, .bias = false}) + BatchNorm() + relu;
struct Small : Network<Input(32, 32, 3) + block + 2 * Residual(block) + GlobalAveragePool() + Dense(10) + SoftmaxCE()> {
};
// [torch-resnet]

// [resnet18]
constexpr auto normed(int filters, int kernel, int stride = 1) {
    return Conv2D(filters, kernel, {.stride = stride, .padding = kernel / 2, .bias = false}) + BatchNorm();
}
constexpr auto body(int filters, int stride = 1) { return normed(filters, 3, stride) + relu + normed(filters, 3); }
constexpr auto stage(int filters) {
    return Add(body(filters, 2), normed(filters, 1, 2)) + relu + Residual(body(filters)) + relu;
}
struct ResNet18 : Network<Input(224, 224, 3) + normed(64, 7, 2) + relu + MaxPool(3, {.stride = 2, .padding = 1}) +
                          2 * (Residual(body(64)) + relu) + stage(128) + stage(256) + stage(512) + GlobalAveragePool() +
                          Dense(1000) + SoftmaxCE()> {};
// [resnet18]

[[maybe_unused]] void loading() {
    // [torch-load]
    Model<Small> model;
    load_parameters(model, "small.safetensors", torch_names());
    // [torch-load]
    Model<ResNet18> resnet;
    // [resnet-load]
    load_parameters(resnet, "resnet18.safetensors", torch_names({.order = {"bn", "downsample", "layer"}}));
    // [resnet-load]
    {
        // [torch-map]
        load_parameters(
            model, "small.safetensors",
            torch_names({.prefix = "backbone.", .modules = {{"1-conv2d", "stem.conv"}, {"13-dense", "fc"}}}));
        // [torch-map]
    }
    // [torch-save]
    save_parameters(model, "further.safetensors", torch_names({.like = "small.safetensors"}));
    // [torch-save]
    // [keras-load]
    load_parameters(model, "small.npz", keras_names());
    // [keras-load]
}

// [keras-network]
struct Digits
    : Network<Input(28, 28, 1) + Conv2D(16, 3, relu) + MaxPool(2) + Dropout(0.25f) + Dense(10) + SoftmaxCE()> {};
// [keras-network]

[[maybe_unused]] void as_in_keras(const Dataset& training, const Dataset& testing) {
    // [keras-train]
    auto digits =
        fit(Digits{}, training, Adam{.epsilon = 1e-7}, {.epochs = 20, .batch_size = 128, .validation_share = 0.1});
    std::printf("%.3f\n", digits.evaluate(testing).accuracy);
    save_parameters(digits.model(), "digits.safetensors");
    // [keras-train]
}

[[maybe_unused]] void formulas() {
    // [formula]
    std::fputs(formula(Model<Iris>()).c_str(), stdout);
    const std::string latex = formula(Iris{}, Formula::latex);
    const std::string graph = tape_graphviz(Model<Iris>());
    // [formula]
}

}  // namespace
