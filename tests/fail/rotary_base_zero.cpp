// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_RotaryPositions_base_must_be_positive, .*in_thousandths, 0>, .*at_layer<1, .*RotaryPositions::kind>
#include <sigma/layer/positions.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(3, 6) + RotaryPositions({.base = 100}) + SquaredDiff()> {};
#else
struct Net : Network<Input(3, 6) + RotaryPositions({.base = 0}) + SquaredDiff()> {};
#endif
static_assert(Net::output.rank > 0);
