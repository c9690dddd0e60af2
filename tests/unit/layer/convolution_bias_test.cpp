// SPDX-License-Identifier: BSL-1.0
// Convolutions without biases: parameters, values beside the same layer with biases of 0, gradients.
#include "support.hpp"

#include <sigma/layer/convolution.hpp>
#include <sigma/layer/dense.hpp>

using namespace sigma;
using namespace sigma::test;

namespace {

template <bool bias>
struct Line : Network<Input(7, 4) + Elementwise() +
                      Conv1D(6, 3, tanh, {.stride = 2, .padding = {1, 0}, .groups = 2, .bias = bias}) + SquaredDiff()> {
};
template <bool bias>
struct Plane
    : Network<Input(4, 5, 2) + Elementwise() + Conv2D(3, {2, 3}, {.padding = same, .bias = bias}) + SquaredDiff()> {};
template <bool bias>
struct Depth : Network<Input(4, 5, 2) + Elementwise() + DepthwiseConv2D(2, sigmoid, {.dilation = 2, .bias = bias}) +
                       SquaredDiff()> {};
template <bool bias>
struct Wider : Network<Input(3, 2, 2) + Elementwise() +
                       ConvTranspose2D(3, 3, tanh, {.stride = 2, .padding = same, .bias = bias}) + SquaredDiff()> {};

template <class With, class Without>
void examine() {
    Model<With, double> with(1);
    Model<Without, double> without(1);
    REQUIRE(with.parameter_count == 4);
    REQUIRE(without.parameter_count == 3);
    const std::string name(with.records.parameters[3].name.view());  // g++ 12 for ARM warns of the view, falsely
    CHECK(name.ends_with(".biases"));
    CHECK(without.records.parameters[2].name == with.records.parameters[2].name);
    scramble(with, 3);
    scramble(without, 3);  // the same numbers for the first three
    const Values x = normal(static_cast<std::size_t>(2 * With::input.count()), 5);
    CHECK(distance(predict(with, x), predict(without, x)) > 1e-3);
    for (auto& b : with.parameter(3)) b = 0;
    CHECK(distance(predict(with, x), predict(without, x)) < 1e-14);
    CHECK(gradient_error<Without>(3) < gradient_tolerance);
}

}  // namespace

TEST_CASE("A convolution without biases is one whose biases are 0") {
    examine<Line<true>, Line<false>>();
    examine<Plane<true>, Plane<false>>();
    examine<Depth<true>, Depth<false>>();
    examine<Wider<true>, Wider<false>>();
}
