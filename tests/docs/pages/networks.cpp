// SPDX-License-Identifier: BSL-1.0
// Blocks of the pages about arrays, layers, losses, metrics and networks, compiled only.
#include <sigma/data/with_weights.hpp>
#include <sigma/layer/weighted_records.hpp>
#include <sigma/metric/metrics.hpp>
#include <sigma/sigma.hpp>
#include <sigma/tape/derivative_of.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <tuple>
#include <vector>

namespace {

using namespace sigma;

namespace gradients_page {
// [derivative]
static_assert(derivative_of<[](auto x) { return x * x; }>(3.0) == 6.0);
static_assert(derivative_of<[](auto x) { return relu(x) * x; }>(-1.0) == 0.0);
constexpr auto slope = derivative_of<[](auto w, auto x) { return sum(w * x); }>(std::array{2.0, 3.0}, 4.0);
static_assert(std::get<0>(slope) == std::array{4.0, 4.0} && std::get<1>(slope) == 5.0);
static_assert(derivative_of<[](auto x) { return exp(2.0 * x); }>(0.0) == 2.0);
// [derivative]
}  // namespace gradients_page

namespace layers_page {
// [layers-reader]
struct Reader : Network<Input(64, 128) + SinusoidalPositions() + 4 * TransformerBlock(4, 512, {.causal = true}) +
                        Linear(50) + SoftmaxCE()> {};
// [layers-reader]
// [layers-volumes]
struct Scan : Network<Input(8, 16, 16) + Conv3D(4, 3, relu, {.stride = {1, 2, 2}, .padding = same}) +  //
                      Conv3D(8, {2, 3, 3}, relu, {.stride = 2, .bias = false}) + BatchNorm() + Dense(2) + SoftmaxCE()> {
};
struct Finer : Network<Input(7, 7, 3) + Conv2D(8, 3, relu, {.padding = same}) +  //
                       Upsample(2, Interpolation::bilinear) + Conv2D(3, 3, {.padding = same}) + SquaredDiff()> {};
// [layers-volumes]
// [layers-decoder]
constexpr auto encode = [](auto x, auto memory, auto mask) {
    return std::tuple{x, layer(TransformerBlock(4, 128), memory, mask), mask};
};
constexpr auto decode = [](auto x, auto memory, auto mask) {
    auto y = layer(TransformerBlock(4, 128, {.causal = true, .rotary = true}), x, memory, mask);
    return std::tuple{y, memory, mask};
};
constexpr auto decoded = [](auto x, auto, auto) { return x; };
struct Translation : Network<(Input(9, 64) & named("memory", Input(20, 64)) & named("mask", Input(20))) +  //
                             encode + encode + decode + decode + decoded + Linear(50) + SoftmaxCE()> {};
// [layers-decoder]
}  // namespace layers_page

namespace losses_page {
// [losses]
struct Digits : Network<Input(784) + Dense(10) + SoftmaxCE({.smoothing = 0.1})> {};
struct Prices : Network<Input(13) + Dense(1) + Huber(0.5, {.reduction = Reduction::total})> {};
struct Tagger : Network<Input(20, 8) + SoftmaxCE({.ignore = -1})> {};  // outputs (batch, 20, 8), labels (batch, 20)
// [losses]
}  // namespace losses_page

namespace networks_page {
// [networks-digits]
struct Digits : Network<Input(28, 28) + Dropout(0.2f) + 2 * Dense(128, relu) + Dense(10) + SoftmaxCE()> {};
// [networks-digits]
// [networks-activation]
constexpr auto snake = [](auto x) { return x + square(sin(x)); };
struct Wavy : Network<Input(4) + Dense(8, snake) + Dense(1) + SquaredDiff()> {};
// [networks-activation]
// [networks-blocks]
constexpr auto block = Dense(64, relu) + Dense(64);
struct Deep : Network<Input(64) + 3 * Residual(block) + Concatenate(Dense(8, tanh), skip) + Dense(10) + SoftmaxCE()> {};
// [networks-blocks]
// [networks-inputs]
struct Faces : Network<(Input(28, 28) & named("side", Input(10))) + Parallel(Dense(64, relu), skip) + Concatenate() +
                       Dense(2) + SoftmaxCE()> {};
// [networks-inputs]
// [networks-costs]
struct Houses : Network<Input(30) + Dense(64, relu) +
                        Costs(Dense(2) + SoftmaxCE(), loss_weight(0.3, named("price", Dense(1) + SquaredDiff())))> {};
// [networks-costs]
// [networks-shared]
struct Twins : Network<(Input(30) & Input(30)) + Parallel(shared("tower", Dense(64)), shared("tower", Dense(64))) +
                       [](auto a, auto b) { return abs(a - b); } + Dense(2) + SoftmaxCE()> {};
// [networks-shared]
// clang-format off
// [networks-lambda]
struct Gated : Network<Input(64) + [](auto x) {
    auto h = layer(Dense(64, tanh), x);
    auto gate = layer(Dense(64, sigmoid), x);
    return x + layer(Dense(64), h * gate);
} + SquaredDiff()> {};
// [networks-lambda]
// clang-format on

[[maybe_unused]] void made(int columns, const std::vector<int>& widths, int classes, int depth, int width,
                           double temperature, const Dataset& training, std::uint64_t seed) {
    // [networks-layers]
    Layers layers;
    layers += Input(columns);
    for (const int units : widths) layers += Dense(units, relu);
    layers += Dense(classes) + SoftmaxCE();
    auto net = network(layers);
    // [networks-layers]
    // [sequential-loop]
    Sequential chain;
    for (const int units : widths) chain.dense(units, relu);
    auto table = chain.dense(classes).loss(losses::softmax_ce).optimizer(Adam{});
    // [sequential-loop]
    // [networks-repeated]
    auto deep = network(Input(columns) + depth * Residual(Dense(columns, relu)) + Dense(classes) + SoftmaxCE());
    // [networks-repeated]
    // [networks-made]
    Trainer trainer("table", net, Adam{}, minibatches(training, 32));
    Model model(net, seed);
    model.parameter("1-dense.weights").fill(0);
    // [networks-made]
    // [networks-parts]
    Layers branch = Dense(width, relu);
    if (depth > 2) branch += LayerNorm();
    auto parts = network(Input(columns) + Dense(width) + depth * Residual(branch) + named("last", Dense(classes)) +
                         [temperature](auto z) { return z / temperature; } + SoftmaxCE());
    // [networks-parts]
}
[[maybe_unused]] void several(int columns, int width, const Array<float>& x) {
    // [networks-several]
    auto houses = network(Input(columns) + Dense(width, relu) +
                          Costs(Dense(2) + SoftmaxCE(), named("price", Dense(1) + SquaredDiff())));
    Model model(houses);
    const auto all = model.predict_all(x);  // one array for each loss
    model.predict<"price">(x);              // only this one, or predict<1>(x)
    // [networks-several]
}

}  // namespace networks_page

using Model = sigma::Model<networks_page::Digits>;

[[maybe_unused]] void arrays(Model& model, const std::vector<float>& pixels,
                             sigma::Model<networks_page::Wavy>& flower) {
    // [arrays-predict]
    model.predict(ArrayView(pixels, {1, 28, 28}));
    flower.predict(Array<float>{{6.1f, 2.8f, 4.7f, 1.2f}});  // (1, 4)
    // [arrays-predict]
}

[[maybe_unused]] void layers(Model& model, double offset) {
    // [layers-initialize]
    model.initialize({{"*", zeros}, {"*.weights", he()}, {"1-dense.weights", orthogonal()}});
    // Options of a layer accept no captures. `initialize` does.
    model.initialize("*.biases", custom([&](auto index) { return 0.1 * index[0] + offset; }));
    // [layers-initialize]
}

[[maybe_unused]] void metrics(Model& model, const std::vector<Array<float>>& batches, const Array<float>& labels) {
    // [metrics]
    Accuracy accuracy(10, {.top = 5});
    for (const auto& images : batches) accuracy.add(model.predict(images), labels);
    std::printf("%.4f\n", accuracy.value());
    // [metrics]
}

[[maybe_unused]] void networks(Model& model, const Array<float>& images, const float* inputs, float* results,
                               std::size_t count) {
    // [networks-parameters]
    model.parameter<"2-dense.weights">()(0, 3) = 0.5f;
    model.parameter(1).fill(0);
    model.initialize("*.weights", he());  // * matches any characters; returns the number of matches

    const auto probabilities = model.predict(images);  // (records, 28, 28) → (records, 10)
    const Classified digits = model.classify(images);  // digits[i], digits.name(i): the class of record i
    model.predict(inputs, results, count);             // the same with plain arrays, without allocations
    // [networks-parameters]
}

[[maybe_unused]] void weights_of_records(const Dataset& flowers, const std::vector<float>& weights) {
    // [record-weights]
    struct Weighed : Network<Input(4) + Dense(16, tanh) + Dense(3) + weighted_records(SoftmaxCE())> {};
    const Dataset weighed = with_weights(flowers, weights);  // one weight for each record
    Trainer trainer("iris", Weighed{}, Adam{.learning_rate = 0.01}, minibatches(weighed, 25));
    // [record-weights]
}

}  // namespace
