// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_BatchNorm_has_no_such_option<
// expected-first-error-clang: call to deleted constructor of 'BatchNorm'
#include <sigma/sigma.hpp>
using namespace sigma;

#ifdef TWIN
struct N : Network<Input(9, 4) + BatchNorm({.epsilon = 1e-3}) + SquaredDiff()> {};
#else
struct N : Network<Input(9, 4) + BatchNorm({.eps = 1e-3}) + SquaredDiff()> {};
#endif
static_assert(N::output.rank > 0);
