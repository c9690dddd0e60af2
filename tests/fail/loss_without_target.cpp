// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_loss_lacks<.*layer_is<.*Squares>, .*target_of_auto_self_and_Shape
#include <sigma/sigma.hpp>
using namespace sigma;

#ifdef TWIN
struct Squares : Loss {
    static constexpr Text kind = "squares";
    static constexpr bool classifies = false;
    template <Shape>
    static constexpr auto check_output() {
        return Mistake<>{};
    }
    static constexpr Shape target(auto, const Shape& output) { return output; }
    static constexpr auto predict(auto, auto z) { return z; }
    static constexpr auto loss(auto, auto z, auto y) { return mean(square(z - y)); }
};
struct Net : Network<Input(4) + Dense(3) + Squares()> {};
static_assert(Net::output.rank > 0);
#else
struct Squares : Loss {
    static constexpr Text kind = "squares";
    static constexpr bool classifies = false;
    template <Shape>
    static constexpr auto check_output() {
        return Mistake<>{};
    }
    static constexpr auto predict(auto, auto z) { return z; }
    static constexpr auto loss(auto, auto z, auto y) { return mean(square(z - y)); }
};
struct Net : Network<Input(4) + Dense(3) + Squares()> {};
static_assert(Net::output.rank > 0);
#endif
