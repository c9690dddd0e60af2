// SPDX-License-Identifier: BSL-1.0
// expected-first-error: write Dense
#include <sigma/sigma.hpp>
using namespace sigma;
#pragma GCC diagnostic error "-Wdeprecated-declarations"

#ifdef TWIN
struct Net : Network<Input(4) + Dense(3) + SoftmaxCE()> {};
#else
struct Net : Network<Input(4) + FullyConnected(3) + SoftmaxCE()> {};
#endif
static_assert(Net::output.rank > 0);
