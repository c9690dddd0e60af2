// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_normalization_epsilon_must_be_positive, .*in_thousandths, 0>, .*at_layer<1, .*InstanceNorm::kind>
#include <sigma/layer/normalization.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(4, 3) + InstanceNorm({.epsilon = 0.1}) + SquaredDiff()> {};
#else
struct Net : Network<Input(4, 3) + InstanceNorm({.epsilon = 0}) + SquaredDiff()> {};
#endif
static_assert(Net::output.rank > 0);
