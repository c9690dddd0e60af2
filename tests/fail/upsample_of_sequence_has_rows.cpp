// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_sizes_of_sequences_have_no_rows, .*sizes_given, 3, 2>, .*at_layer<1, .*Upsample::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/upsample.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Notes : Network<Input(8, 4) + Upsample({1, 2}) + Dense(10) + SoftmaxCE()> {};
#else
struct Notes : Network<Input(8, 4) + Upsample({3, 2}) + Dense(10) + SoftmaxCE()> {};
#endif
static_assert(Notes::output.rank > 0);
