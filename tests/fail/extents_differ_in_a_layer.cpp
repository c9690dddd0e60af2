// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_dot_extents_differ<.*columns_of_x<7>, .*rows_of_w<8> *>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

/// Without a constraint of its own, the mistake is found inside its formula.
struct Mix : Layer {
    static constexpr Text kind = "mix";
    static constexpr auto forward(auto, Context& context, auto x) {
        return tanh(dot(x, parameter<Shape{8, 8}>(context, "weights")));
    }
};

#ifdef TWIN
struct Digits : Network<Input(5) + Dense(8) + Mix() + SoftmaxCE()> {};
#else
struct Digits : Network<Input(5) + Dense(7) + Mix() + SoftmaxCE()> {};
#endif
static_assert(Digits::output.rank > 0);
