// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_GroupNorm_has_no_such_option<
// expected-first-error-clang: call to deleted constructor of 'GroupNorm'
#include <sigma/sigma.hpp>
using namespace sigma;

#ifdef TWIN
struct N : Network<Input(9, 4) + GroupNorm(2, {.affine = false}) + SquaredDiff()> {};
#else
struct N : Network<Input(9, 4) + GroupNorm(2, {.afine = false}) + SquaredDiff()> {};
#endif
static_assert(N::output.rank > 0);
