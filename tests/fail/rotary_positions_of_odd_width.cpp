// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_RotaryPositions_need_an_even_width, .*width_given, 5>, .*at_layer<1, .*RotaryPositions::kind>
#include <sigma/layer/positions.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(3, 6) + RotaryPositions() + SquaredDiff()> {};
#else
struct Net : Network<Input(3, 5) + RotaryPositions() + SquaredDiff()> {};
#endif
static_assert(Net::output.rank > 0);
