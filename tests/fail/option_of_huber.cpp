// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Huber_has_no_such_option<
// expected-first-error-clang: call to deleted constructor of 'Huber'
#include <sigma/sigma.hpp>
using namespace sigma;

#ifdef TWIN
struct N : Network<Input(9) + Dense(3) + Huber(0.5, {.ignore = -1})> {};
#else
struct N : Network<Input(9) + Dense(3) + Huber(0.5, {.ignored = -1})> {};
#endif
static_assert(N::output.rank > 0);
