// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_BinaryCE_positive_weight_must_be_positive, .*in_thousandths, -3000>, .*at_layer<2, .*BinaryCE::kind>
#include <sigma/layer/binary_ce.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(4) + Dense(1) + BinaryCE({.positive_weight = 3})> {};
#else
struct Net : Network<Input(4) + Dense(1) + BinaryCE({.positive_weight = -3})> {};
#endif
static_assert(Net::output.rank > 0);
