// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_loss_applies_the_activation_before_it_itself, .*at_layer<2, .*WeightedRecords<.*BinaryCE>::kind>
#include <sigma/layer/weighted_records.hpp>
#include <sigma/sigma.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(4) + Dense(1, tanh) + weighted_records(BinaryCE())> {};
#else
struct Net : Network<Input(4) + Dense(1, sigmoid) + weighted_records(BinaryCE())> {};
#endif

Model<Net> model;
