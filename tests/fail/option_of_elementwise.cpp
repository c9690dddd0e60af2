// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Elementwise_has_no_such_option<
// expected-first-error-clang: call to deleted constructor of 'Elementwise'
#include <sigma/sigma.hpp>
using namespace sigma;

#ifdef TWIN
struct N : Network<Input(9) + Elementwise({.bias = false}) + SquaredDiff()> {};
#else
struct N : Network<Input(9) + Elementwise({.bais = false}) + SquaredDiff()> {};
#endif
static_assert(N::output.rank > 0);
