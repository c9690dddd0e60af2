// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_CTC_labels_must_be_positive, .*labels_given, 0>, .*at_layer<1, .*CTC::kind>
#include <sigma/layer/ctc.hpp>
#include <sigma/layer/input.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(6, 10) + CTC(1)> {};
#else
struct Net : Network<Input(6, 10) + CTC(0)> {};
#endif
static_assert(Net::output.rank > 0);
