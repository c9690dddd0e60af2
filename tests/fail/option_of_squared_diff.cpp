// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_SquaredDiff_has_no_such_option<
// expected-first-error-clang: call to deleted constructor of 'SquaredDiff'
#include <sigma/sigma.hpp>
using namespace sigma;

#ifdef TWIN
struct N : Network<Input(9) + Dense(3) + SquaredDiff({.ignore = -1})> {};
#else
struct N : Network<Input(9) + Dense(3) + SquaredDiff({.ignored = -1})> {};
#endif
static_assert(N::output.rank > 0);
