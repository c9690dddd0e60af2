// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Attention_has_no_such_option<
// expected-first-error-clang: call to deleted constructor of 'Attention'
// first-error-of-g++: 340 characters, the options there are stand behind the name
#include <sigma/sigma.hpp>
using namespace sigma;

#ifdef TWIN
struct N : Network<Input(9, 4) + Attention(2, {.dropout = 0.1}) + SquaredDiff()> {};
#else
struct N : Network<Input(9, 4) + Attention(2, {.drop = 0.1}) + SquaredDiff()> {};
#endif
static_assert(N::output.rank > 0);
