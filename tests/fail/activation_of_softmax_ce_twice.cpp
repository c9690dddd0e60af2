// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_loss_applies_the_activation_before_it_itself, .*at_layer<2, .*SoftmaxCE::kind>
#include <sigma/sigma.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(4) + Dense(3) + SoftmaxCE()> {};
#else
struct Net : Network<Input(4) + Dense(3, softmax) + SoftmaxCE()> {};
#endif

Model<Net> model;
