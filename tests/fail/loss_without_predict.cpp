// SPDX-License-Identifier: BSL-1.0
// expected-first-error: lacks<.*Squares>::error_loss_has_no_predict
#include <sigma/sigma.hpp>
using namespace sigma;

#ifdef TWIN
struct Squares : Loss {
    static constexpr Text kind = "squares";
    static constexpr bool classifies = false;
    constexpr Shape target(const Shape& output) const { return output; }
    constexpr Tensor predict(Tensor z) const { return z; }
    constexpr Tensor loss(Tensor z, Tensor y) const { return mean(square(z - y)); }
};
struct Net : Network<Input(4) + Dense(3) + Squares()> {};
static_assert(Net::output.rank > 0);
#else
struct Squares : Loss {
    static constexpr Text kind = "squares";
    static constexpr bool classifies = false;
    constexpr Shape target(const Shape& output) const { return output; }
    constexpr Tensor loss(Tensor z, Tensor y) const { return mean(square(z - y)); }
};
struct Net : Network<Input(4) + Dense(3) + Squares()> {};
static_assert(Net::output.rank > 0);
#endif
