// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_tensor_is_no_condition, write where\(x > 0.0, a, b\)
#include <sigma/sigma.hpp>
using namespace sigma;

#ifdef TWIN
constexpr auto slope = [](auto x) { return where(x > 0.0, x, 0.1 * x); };
struct Net : Network<Input(4) + Dense(3, slope) + SoftmaxCE()> {};
static_assert(Net::output.rank > 0);
#else
constexpr auto slope = [](auto x) {
    if (x > 0.0) return x;
    return 0.1 * x;
};
struct Net : Network<Input(4) + Dense(3, slope) + SoftmaxCE()> {};
static_assert(Net::output.rank > 0);
#endif
