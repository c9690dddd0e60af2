// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Layers_grow_by_plus_equals<.*use_layers_plus_equals_the_layer
#include <sigma/sigma.hpp>
using namespace sigma;

void use(Layers& layers) {
#ifdef TWIN
    layers += Dense(3);
#else
    layers.add(Dense(3));
#endif
}
