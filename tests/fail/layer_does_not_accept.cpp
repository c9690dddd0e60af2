// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_layer_does_not_accept<.*layer_is<Halve>, .*input_is<.*shape<-1, 7> *> *>
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
struct Digits : Network<Input(5) + Dense(8) + Halve() + SoftmaxCE()> {};
#else
struct Digits : Network<Input(5) + Dense(7) + Halve() + SoftmaxCE()> {};
#endif
static_assert(Digits::output.rank > 0);
