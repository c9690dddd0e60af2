// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_fit_takes_the_number_of_epochs_as_an_option<.*use_epochs_in_braces
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(3) + SoftmaxCE()> {};
auto use(const Dataset& data) {
#ifdef TWIN
    return fit(Tiny{}, data, {.epochs = 50});
#else
    return fit(Tiny{}, data, 50);
#endif
}
