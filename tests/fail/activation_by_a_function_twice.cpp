// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_loss_applies_the_activation_before_it_itself, .*at_layer<3, .*SoftmaxCE::kind>
#include <sigma/sigma.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(4) + Dense(3) + [](auto x) { return tanh(x); } + SoftmaxCE()> {};
#else
struct Net : Network<Input(4) + Dense(3) + [](auto x) { return softmax(x); } + SoftmaxCE()> {};
#endif

Model<Net> model;
