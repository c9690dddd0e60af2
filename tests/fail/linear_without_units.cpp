// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Linear_units_must_be_positive, .*units_given, 0>, .*at_layer<1, .*Linear::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(3, 6) + Linear(1, tanh, {.bias = false}) + SquaredDiff()> {};
#else
struct Net : Network<Input(3, 6) + Linear(0, tanh, {.bias = false}) + SquaredDiff()> {};
#endif
static_assert(Net::output.rank > 0);
