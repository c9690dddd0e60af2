// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Conv3D_has_no_such_option<
// expected-first-error-clang: call to deleted constructor of 'Conv3D'
#include <sigma/sigma.hpp>
using namespace sigma;


#ifdef TWIN
struct N : Network<Input(4, 9, 9) + Conv3D(8, 3, relu, {.bias = false}) + Flatten() + Dense(2) + SoftmaxCE()> {};
#else
struct N : Network<Input(4, 9, 9) + Conv3D(8, 3, relu, {.bais = false}) + Flatten() + Dense(2) + SoftmaxCE()> {};
#endif
static_assert(N::output.rank > 0);
