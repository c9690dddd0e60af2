// SPDX-License-Identifier: BSL-1.0
// Within a generic lambda clang takes no default argument of a class template for an activation: the guides name it.
#include <sigma/layer/convolution.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/recurrent.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/layer/transformer_block.hpp>
#include <sigma/network/network.hpp>

using namespace sigma;

struct Records : Network<Input(8) + [](auto x) {
    const auto h = layer(Dense(4, tanh), x);
    return layer(Elementwise(relu), layer(Linear(4, relu), h));
} + SquaredDiff()> {};

struct Images : Network<Input(8, 8, 2) + [](auto x) {
    const auto h = layer(DepthwiseConv2D(3, relu), layer(Conv2D(4, 3, relu), x));
    return layer(ConvTranspose2D(2, 3, tanh), h);
} + SquaredDiff()> {};

struct Sequences : Network<Input(6, 4) + [](auto x) {
    const auto h = layer(Recurrent(4, tanh), layer(Conv1D(4, 3, relu), x));
    return layer(TransformerBlock(2, 8, relu), h);
} + SquaredDiff()> {};

static_assert(Records::input_count == 1 && Images::input_count == 1 && Sequences::input_count == 1);
