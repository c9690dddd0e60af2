// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Conv1D_has_no_such_option<
// expected-first-error-clang: call to deleted constructor of 'Conv1D'
#include <sigma/sigma.hpp>
using namespace sigma;

#ifdef TWIN
struct N : Network<Input(9, 2) + Conv1D(4, 3, {.stride = 2}) + SquaredDiff()> {};
#else
struct N : Network<Input(9, 2) + Conv1D(4, 3, {.strides = 2}) + SquaredDiff()> {};
#endif
static_assert(N::output.rank > 0);
