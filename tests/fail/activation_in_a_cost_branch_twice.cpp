// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_loss_applies_the_activation_before_it_itself, .*at_layer<4, .*KLDivergence::kind>
#include <sigma/sigma.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(4) + Costs(Dense(3) + SoftmaxCE(), Dense(3, softmax) + NLL())> {};
#else
struct Net : Network<Input(4) + Costs(Dense(3) + SoftmaxCE(), Dense(3, softmax) + KLDivergence())> {};
#endif

Model<Net> model;
