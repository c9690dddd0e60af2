// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_loss_applies_the_activation_before_it_itself, .*at_layer<3, .*BinaryCE::kind>
#include <sigma/sigma.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(4) + Dense(6) + Reshape(2, 3) + BinaryCE()> {};
#else
struct Net : Network<Input(4) + Dense(6, sigmoid) + Reshape(2, 3) + BinaryCE()> {};
#endif

Model<Net> model;
