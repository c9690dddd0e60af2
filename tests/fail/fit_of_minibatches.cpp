// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_fit_takes_data<.*use_a_Dataset_and_batch_size_among_the_options
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(2) + SoftmaxCE()> {};
auto train(const Dataset& data) {
#ifdef TWIN
    return fit(Tiny{}, data, {.batch_size = 16});
#else
    return fit(Tiny{}, minibatches(data, 16));
#endif
}
