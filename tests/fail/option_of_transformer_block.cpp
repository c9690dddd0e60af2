// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_TransformerBlock_has_no_such_option<
// expected-first-error-clang: call to deleted constructor of 'TransformerBlock'
// first-error-of-g++: 400 characters, the options there are stand behind the name
#include <sigma/sigma.hpp>
using namespace sigma;

#ifdef TWIN
struct N : Network<Input(9, 4) + TransformerBlock(2, 8, relu, {.causal = true}) + SquaredDiff()> {};
#else
struct N : Network<Input(9, 4) + TransformerBlock(2, 8, relu, {.masked = true}) + SquaredDiff()> {};
#endif
static_assert(N::output.rank > 0);
