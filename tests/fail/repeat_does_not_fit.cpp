// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_repeated_layers_output_does_not_fit_its_input<.*output_is<.*shape<-1, 4> *>, .*input_is<.*shape<-1, 8> *> *>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

/// Halves a row of eight.
struct Halve : Layer {
    static constexpr Text kind = "halve";
    static constexpr auto forward(auto, Context&, auto x)
        requires(decltype(x)::shape.last() == 8)
    {
        return slice<1, 0, 4>(x) + slice<1, 4, 8>(x);
    }
};

#ifdef TWIN
struct Digits : Network<Input(8) + 1 * (Dropout(0.1) + Halve()) + SoftmaxCE()> {};
#else
struct Digits : Network<Input(8) + 2 * (Dropout(0.1) + Halve()) + SoftmaxCE()> {};
#endif
static_assert(Digits::output.rank > 0);
