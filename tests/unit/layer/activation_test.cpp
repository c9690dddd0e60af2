// SPDX-License-Identifier: BSL-1.0
#include "support.hpp"

#include <sigma/layer/dense.hpp>

using namespace sigma;
using namespace sigma::test;

namespace {

struct Leaky : Network<Input(9) + Elementwise(leaky_relu) + SquaredDiff()> {};
struct Elu : Network<Input(9) + Elementwise(elu) + SquaredDiff()> {};
struct Selu : Network<Input(9) + Elementwise(selu) + SquaredDiff()> {};
struct Silu : Network<Input(9) + Elementwise(silu) + SquaredDiff()> {};
struct Swish : Network<Input(9) + Elementwise(swish) + SquaredDiff()> {};
struct Mish : Network<Input(9) + Elementwise(mish) + SquaredDiff()> {};
struct Softsign : Network<Input(9) + Elementwise(softsign) + SquaredDiff()> {};
struct Relu6 : Network<Input(9) + Elementwise(relu6) + SquaredDiff()> {};
struct HardTanh : Network<Input(9) + Elementwise(hard_tanh) + SquaredDiff()> {};
struct HardSigmoid : Network<Input(9) + Elementwise(hard_sigmoid) + SquaredDiff()> {};
struct HardSwish : Network<Input(9) + Elementwise(hard_swish) + SquaredDiff()> {};

template <class N>
void examine(auto formula) {
    Model<N, double> model;
    const Values x{-30, -7, -3.5, -1.25, -0.1, 0, 0.3, 2.5, 8};
    Values wanted;
    for (double v : x) wanted.push_back(formula(v));
    CHECK(distance(predict(model, x), wanted) < 1e-14);
    CHECK(gradient_error<N>(5) < gradient_tolerance);
}

}  // namespace

TEST_CASE("Activations by name, their values and gradients") {
    examine<Leaky>([](double x) { return x > 0 ? x : 0.01 * x; });
    examine<Elu>([](double x) { return x > 0 ? x : std::expm1(x); });
    examine<Selu>([](double x) { return 1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * std::expm1(x)); });
    examine<Silu>([](double x) { return x / (1 + std::exp(-x)); });
    examine<Swish>([](double x) { return x / (1 + std::exp(-x)); });
    examine<Mish>([](double x) { return x * std::tanh(std::log1p(std::exp(x))); });
    examine<Softsign>([](double x) { return x / (1 + std::abs(x)); });
    examine<Relu6>([](double x) { return std::min(std::max(x, 0.0), 6.0); });
    examine<HardTanh>([](double x) { return std::min(std::max(x, -1.0), 1.0); });
    examine<HardSigmoid>([](double x) { return std::min(std::max(x / 6 + 0.5, 0.0), 1.0); });
    examine<HardSwish>([](double x) { return x * std::min(std::max(x / 6 + 0.5, 0.0), 1.0); });
}
