// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_dot_extents_differ, .*columns_of_x, 7>, .*rows_of_w, 8>, .*at_layer<2, .*Mix::kind>, .*at_line<14>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

/// Without a constraint of its own, the mistake is found inside its formula.
struct Mix : Layer {
    static constexpr Text kind = "mix";
    constexpr Tensor forward(Context& context, Tensor x) const {
        return tanh(dot(x, parameter(context, {8, 8}, "weights")));
    }
};

#ifdef TWIN
struct Digits : Network<Input(5) + Dense(8) + Mix() + SoftmaxCE()> {};
#else
struct Digits : Network<Input(5) + Dense(7) + Mix() + SoftmaxCE()> {};
#endif
static_assert(Digits::output.rank > 0);
