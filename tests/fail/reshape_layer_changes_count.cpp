// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Reshape_changes_the_number_of_elements, .*input_is, -1, 28>, .*record_wanted, 5, 6>, .*at_layer<1, .*Reshape::kind>
#include <sigma/layer/reshape.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(28) + Reshape(4, 7) + SquaredDiff()> {};
#else
struct Net : Network<Input(28) + Reshape(5, 6) + SquaredDiff()> {};
#endif
static_assert(Net::output.rank > 0);
