// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_CTC_needs_scores_over_time_of_at_least_two_classes, .*output_is, -1, 10>, .*at_layer<2, .*CTC::kind>
#include <sigma/layer/ctc.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(6, 10) + CTC(3)> {};
#else
struct Net : Network<Input(6) + Dense(10) + CTC(3)> {};
#endif
static_assert(Net::output.rank > 0);
