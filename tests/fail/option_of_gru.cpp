// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_GRU_has_no_such_option<
// expected-first-error-clang: call to deleted constructor of 'GRU'
#include <sigma/sigma.hpp>
using namespace sigma;

#ifdef TWIN
struct N : Network<Input(9, 2) + Bidirectional(GRU(4, {.bias = false})) + SquaredDiff()> {};
#else
struct N : Network<Input(9, 2) + Bidirectional(GRU(4, {.bais = false})) + SquaredDiff()> {};
#endif
static_assert(N::output.rank > 0);
