// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_DepthwiseConv2D_has_no_such_option<
// expected-first-error-clang: call to deleted constructor of 'DepthwiseConv2D'
#include <sigma/sigma.hpp>
using namespace sigma;

#ifdef TWIN
struct N : Network<Input(9, 9, 2) + DepthwiseConv2D(3, relu, {.bias = false}) + SquaredDiff()> {};
#else
struct N : Network<Input(9, 9, 2) + DepthwiseConv2D(3, relu, {.groups_ = 2}) + SquaredDiff()> {};
#endif
static_assert(N::output.rank > 0);
