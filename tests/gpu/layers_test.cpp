// SPDX-License-Identifier: BSL-1.0
// Training steps of networks of every kind of layer on an accelerator, against the naive interpreter in double
// precision.
#include <sigma/execution/step.hpp>
#include <sigma/layer/activation.hpp>
#include <sigma/layer/attention.hpp>
#include <sigma/layer/conv3d.hpp>
#include <sigma/layer/convolution.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/embedding.hpp>
#include <sigma/layer/normalization.hpp>
#include <sigma/layer/pooling.hpp>
#include <sigma/layer/positions.hpp>
#include <sigma/layer/recurrent.hpp>
#include <sigma/layer/reshape.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/layer/transformer_block.hpp>
#include <sigma/layer/upsample.hpp>
#include <sigma/network/network.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/optimizer/gradient_descent.hpp>

#include "devices.hpp"

#include <catch2/catch.hpp>

using namespace sigma;
using namespace sigma::test;

namespace {

struct Perceptron : Network<Input(13) + Dense(17, relu) + Dense(9, tanh) + Dense(3) + SoftmaxCE()> {};
struct Images : Network<Input(9, 8) + Conv2D(3, {2, 3}, relu, {.padding = same}) + MaxPool(2) +
                        Conv2D(9, 3, tanh, {.stride = {1, 2}, .padding = {1, 0, 1, 2}}) +
                        AveragePool(2, {.stride = 1}) + Dense(4) + SoftmaxCE()> {};
struct Groups : Network<Input(5, 6, 4) + DepthwiseConv2D(3, tanh, {.padding = same}) + Conv2D(6, 1, {.groups = 2}) +
                        BatchNorm() + ConvTranspose2D(3, 3, sigmoid, {.stride = 2, .padding = same}) +
                        MaxPool(3, {.stride = 2, .padding = same}) + GlobalMaxPool() + Dense(2) + SquaredDiff()> {};
struct Words
    : Network<Input(6) + Embedding(9, 4) + Conv1D(3, 2, tanh) + GlobalAveragePool() + Dense(2) + SquaredDiff()> {};
struct Tagger : Network<Input(5, 3) + Bidirectional(GRU(3)) + LSTM(4, {.backwards = true}) + Recurrent(3) + Linear(4) +
                        SoftmaxCE()> {};
struct Stateful
    : Network<Input(4, 3) + LSTM(5, {.stateful = true}) + GRU(4, {.last = true, .stateful = true}) + SquaredDiff()> {};
struct Attending : Network<Input(5, 6) + TransformerBlock(2, 7) + LayerNorm() + Dropout(0.25f) + Dense(3, relu) +
                           Dropout(0.5f) + Dense(2) + SquaredDiff()> {};
struct Normal
    : Network<Input(5, 4, 2) + Conv2D(3, 2, {.bias = false}) + InstanceNorm() + PReLU({.each_feature = true}) +
              ConvTranspose2D(2, 2, tanh, {.stride = 2, .bias = false}) + PReLU() + Dense(2) + SquaredDiff()> {};
struct Volumes : Network<Input(4, 5, 4, 2) + Conv3D(4, {2, 3, 2}, relu, {.stride = {2, 1, 1}, .groups = 2}) +
                         Conv3D(3, {1, 2, 2}, tanh) + Dense(2) + SoftmaxCE()> {};
struct Enlarged
    : Network<Input(3, 4, 2) + Upsample(2, Interpolation::bilinear) + Conv2D(2, 3) + Upsample({2, 1}) + Reshape(16, 6) +
              RotaryPositions() + ConvTranspose1D(2, 3, {.stride = 2}) + Dense(2) + SquaredDiff()> {};

template <class N>
void draw_inputs(Bindings& b, long long records, std::mt19937& random) {
    b.inputs = {random_values(N::input, records, random), random_values(N::target, records, random)};
    if (N::records.costs[0].classifies)
        for (double& x : b.inputs[1]) x = static_cast<double>(random() % static_cast<unsigned>(N::output.last()));
    if (std::is_same_v<N, Words>)  // numbers of vocabulary entries
        for (double& x : b.inputs[0]) x = static_cast<double>(random() % 9);
}

/// Three steps from the same parameters, with records that change between them unless states are of records.
template <class N, class O, class T>
void examine(double tolerance) {
    const sigma::detail::Program program = detail::TrainingProgram<N, O>{}();
    const sigma::detail::Plan plan = sigma::detail::make_plan(program, sizeof(T) == 4 ? 8 : 4);
    const std::vector<long long> sizes =
        std::is_same_v<N, Stateful> ? std::vector<long long>{5, 5, 5} : std::vector<long long>{5, 9, 1};
    for (const auto& device : all_devices()) {
        Machine<T> machine(device, view_of<T>(plan));
        std::mt19937 random(7);
        Bindings values = random_bindings(program, sizes[0], 7);
        for (Values& w : values.parameters)
            for (double& x : w) x = static_cast<double>(static_cast<float>(x / 4));
        for (Values& s : values.states)
            for (double& x : s) x = static_cast<double>(static_cast<float>(std::abs(x)));
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            draw_inputs<N>(values, sizes[i], random);
            for (double s : O{}.scalars(i + 1)) values.inputs.push_back({s});
            values.uniform = uniform_of(5, static_cast<std::uint32_t>(i + 1));
            machine.set_random(5, i + 1);
            machine.bind(values, sizes[i], i > 0);
            machine.run();
            const Interpretation wanted = interpret(program, values, sizes[i]);
            INFO("step " << i + 1 << ", " << device->name() << ", threads " << device->threads(256) << ", "
                         << name(sigma::detail::element_type<T>));
            CHECK(difference(machine, wanted, tolerance) == "");
            values.parameters = wanted.parameters;
            values.states = wanted.states;
        }
    }
}

}  // namespace

TEMPLATE_TEST_CASE("training steps of networks on an accelerator", "[gpu]", Perceptron, Images, Groups, Words, Tagger,
                   Stateful, Attending, Normal, Volumes, Enlarged) {
    examine<TestType, Momentum, double>(1e-11);
    examine<TestType, GradientDescent, float>(2e-5);
}

TEST_CASE("training steps with moments of gradients on an accelerator", "[gpu]") {
    examine<Perceptron, Adam, double>(1e-11);
}
