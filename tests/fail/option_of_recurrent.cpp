// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Recurrent_has_no_such_option<
// expected-first-error-clang: call to deleted constructor of 'Recurrent'
#include <sigma/sigma.hpp>
using namespace sigma;

#ifdef TWIN
struct N : Network<Input(9, 2) + Recurrent(4, {.last = true}) + SquaredDiff()> {};
#else
struct N : Network<Input(9, 2) + Recurrent(4, {.return_sequences = false}) + SquaredDiff()> {};
#endif
static_assert(N::output.rank > 0);
