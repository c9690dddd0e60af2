// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_ConvTranspose1D_has_no_such_option<
// first-error-of-g++: 304 characters, since the signature of what is deleted has the name of the class three times
// expected-first-error-clang: call to deleted constructor of 'ConvTranspose1D'
#include <sigma/sigma.hpp>
using namespace sigma;


#ifdef TWIN
struct N : Network<Input(9, 2) + ConvTranspose1D(8, 3, relu, {.bias = false}) + Flatten() + Dense(2) + SoftmaxCE()> {};
#else
struct N : Network<Input(9, 2) + ConvTranspose1D(8, 3, relu, {.bais = false}) + Flatten() + Dense(2) + SoftmaxCE()> {};
#endif
static_assert(N::output.rank > 0);
