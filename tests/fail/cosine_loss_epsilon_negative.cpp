// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_CosineLoss_epsilon_must_be_positive, .*in_thousandths, -1>, .*at_layer<2, .*CosineLoss::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(4) + Dense(3) + CosineLoss(1e-9)> {};
#else
struct Net : Network<Input(4) + Dense(3) + CosineLoss(-1e-9)> {};
#endif
static_assert(Net::output.rank > 0);
