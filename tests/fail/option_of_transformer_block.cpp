// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_TransformerBlock_has_no_such_option<
// first-error-of-g++: 380 characters, the options there are stand behind the name
// first-error-of-clang: 380 characters, the options there are stand behind the name
#include <sigma/sigma.hpp>
using namespace sigma;

#ifdef TWIN
struct N : Network<Input(9, 4) + TransformerBlock(2, 8, relu, {.causal = true}) + SquaredDiff()> {};
#else
struct N : Network<Input(9, 4) + TransformerBlock(2, 8, relu, {.masked = true}) + SquaredDiff()> {};
#endif
static_assert(N::output.rank > 0);
