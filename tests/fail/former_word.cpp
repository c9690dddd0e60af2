// SPDX-License-Identifier: BSL-1.0
// expected-first-error: write Dense
#include <sigma/sigma.hpp>
using namespace sigma;
#pragma GCC diagnostic error "-Wdeprecated-declarations"

#ifdef TWIN
constexpr Dense hidden(3);
#else
constexpr FullyConnected hidden(3);  // g++ does not warn of FullyConnected(3) in an expression
#endif
struct Net : Network<Input(4) + hidden + SoftmaxCE()> {};
static_assert(Net::output.rank > 0);
