// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Conv2D_has_no_such_option<
// expected-first-error-clang: call to deleted constructor of 'Conv2D'
#include <sigma/sigma.hpp>
using namespace sigma;


#ifdef TWIN
struct N : Network<Input(9, 9) + Conv2D(8, 3, relu, {.padding = same}) + Flatten() + Dense(2) + SoftmaxCE()> {};
#else
struct N : Network<Input(9, 9) + Conv2D(8, 3, relu, {.paddings = same}) + Flatten() + Dense(2) + SoftmaxCE()> {};
#endif
static_assert(N::output.rank > 0);
