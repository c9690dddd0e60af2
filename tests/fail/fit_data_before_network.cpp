// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_fit_takes_its_arguments_in_another_order<.*use_network_data_optimizer_options
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(3) + SoftmaxCE()> {};
auto use(const Dataset& data) {
#ifdef TWIN
    return fit(Tiny{}, data);
#else
    return fit(data, Tiny{});
#endif
}
