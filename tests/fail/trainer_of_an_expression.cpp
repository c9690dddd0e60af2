// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_model_takes_no_expression<.*use_network_of_it_or_derive_a_struct_from_Network
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(3) + SoftmaxCE()> {};
#ifdef TWIN
auto use(const Minibatches& batches) {
    Trainer trainer("tiny", Tiny{}, Adam{}, batches);
    return trainer.loss();
}
#else
auto use(const Minibatches& batches) {
    Trainer trainer("tiny", Input(4) + Dense(3) + SoftmaxCE(), Adam{}, batches);
    return trainer.loss();
}
#endif
