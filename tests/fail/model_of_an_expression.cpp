// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_model_takes_no_expression<.*use_network_of_it_or_derive_a_struct_from_Network
#include <sigma/sigma.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(4) + Dense(3) + SoftmaxCE()> {};
Model<Net> model;
#else
const auto net = Input(4) + Dense(3) + SoftmaxCE();
Model model(net);
#endif
