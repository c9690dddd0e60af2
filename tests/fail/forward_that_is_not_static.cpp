// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_forward_is_static_and_takes<.*layer_is<.*Twice>, .*auto_self_Context_context_auto_x
#include <sigma/sigma.hpp>
using namespace sigma;

#ifdef TWIN
struct Twice : Layer {
    static constexpr Text kind = "twice";
    static constexpr auto forward(auto, Context&, auto x) { return 2.0 * x; }
};
struct Net : Network<Input(4) + Twice() + Dense(3) + SoftmaxCE()> {};
static_assert(Net::output.rank > 0);
#else
struct Twice : Layer {
    static constexpr Text kind = "twice";
    constexpr auto forward(auto, Context&, auto x) const { return 2.0 * x; }
};
struct Net : Network<Input(4) + Twice() + Dense(3) + SoftmaxCE()> {};
static_assert(Net::output.rank > 0);
#endif
