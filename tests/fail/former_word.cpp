// SPDX-License-Identifier: BSL-1.0
// expected-first-error: write loss_weight
#include <sigma/sigma.hpp>
using namespace sigma;
#pragma GCC diagnostic error "-Wdeprecated-declarations"

#ifdef TWIN
struct Net : Network<Input(4) + Costs(Dense(3) + SoftmaxCE(), loss_weight(0.5, Dense(1) + SquaredDiff()))> {};
#else
struct Net : Network<Input(4) + Costs(Dense(3) + SoftmaxCE(), importance(0.5, Dense(1) + SquaredDiff()))> {};
#endif
static_assert(Net::output.rank > 0);
