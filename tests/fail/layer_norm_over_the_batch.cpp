// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_LayerNorm_axes_must_be_from_1_to_those_of_a_record, .*axes_given_count, 2>, .*input_is, -1, 4>, .*at_layer<1, .*LayerNorm::kind>
#include <sigma/layer/normalization.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(4) + LayerNorm({.axes = 1}) + SquaredDiff()> {};
#else
struct Net : Network<Input(4) + LayerNorm({.axes = 2}) + SquaredDiff()> {};
#endif
static_assert(Net::output.rank > 0);
