// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_fit_takes_no_name<.*use_the_network_first
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(2) + SoftmaxCE()> {};
auto train(const Dataset& data) {
#ifdef TWIN
    return fit(Tiny{}, data, {.epochs = 5});
#else
    return fit("tiny", Tiny{}, data, {.epochs = 5});
#endif
}
