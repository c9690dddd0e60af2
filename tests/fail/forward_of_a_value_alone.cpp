// SPDX-License-Identifier: BSL-1.0
// expected-first-error: lacks<.*Twice>::error_forward_is_const_and_takes_Context_and_Tensor
#include <sigma/sigma.hpp>
using namespace sigma;

#ifdef TWIN
struct Twice : Layer {
    static constexpr Text kind = "twice";
    constexpr Tensor forward(Context&, Tensor x) const { return 2.0 * x; }
};
struct Net : Network<Input(4) + Twice() + Dense(3) + SoftmaxCE()> {};
static_assert(Net::output.rank > 0);
#else
struct Twice : Layer {
    static constexpr Text kind = "twice";
    auto forward(auto x) const { return 2.0 * x; }
};
struct Net : Network<Input(4) + Twice() + Dense(3) + SoftmaxCE()> {};
static_assert(Net::output.rank > 0);
#endif
