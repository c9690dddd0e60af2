// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_layer_does_not_accept, .*input_is, -1, 7>, .*at_layer<2, .*Halve::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

/// Halves a row of eight.
struct Halve : Layer {
    static constexpr Text kind = "halve";
    constexpr Tensor forward(Context&, Tensor x) const {
        if (x.shape().last() != 8) return x.refused(error_layer_does_not_accept, {input_is, x.shape()});
        return slice(x, axis(1), 0, 4) + slice(x, axis(1), 4, 8);
    }
};

#ifdef TWIN
struct Digits : Network<Input(5) + Dense(8) + Halve() + SoftmaxCE()> {};
#else
struct Digits : Network<Input(5) + Dense(7) + Halve() + SoftmaxCE()> {};
#endif
static_assert(Digits::output.rank > 0);
