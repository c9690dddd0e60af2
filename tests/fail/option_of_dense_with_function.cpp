// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Dense_has_no_such_option<
// expected-first-error-clang: call to deleted constructor of 'Dense'
#include <sigma/sigma.hpp>
using namespace sigma;


#ifdef TWIN
struct N : Network<Input(9) + Dense(8, [](auto x) { return x * x; }, {.bias = false}) + Flatten() + Dense(2) + SoftmaxCE()> {};
#else
struct N : Network<Input(9) + Dense(8, [](auto x) { return x * x; }, {.use_bias = false}) + Flatten() + Dense(2) + SoftmaxCE()> {};
#endif
static_assert(N::output.rank > 0);
