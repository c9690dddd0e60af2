// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Layers_are_no_network<.*use_network_of_the_layers
#include <sigma/sigma.hpp>
using namespace sigma;

double use(const Layers& layers, const Dataset& data) {
#ifdef TWIN
    Trainer trainer("tiny", network(layers), Adam{}, minibatches(data, 10));
#else
    Trainer trainer("tiny", layers, Adam{}, minibatches(data, 10));
#endif
    return trainer.loss();
}
