// SPDX-License-Identifier: BSL-1.0
// expected-first-error-g++: error_Model_needs_values_of_the_named_sizes<.*use_the_network_with_its_sizes_first
// expected-first-error-clang: uses deleted function
#include <sigma/sigma.hpp>
using namespace sigma;

struct Table : Network<Input(dim<"columns">) + Dense(8, relu) + Dense(3) + SoftmaxCE()> {};
auto use() {
#ifdef TWIN
    return Model<Table>(Table{dim<"columns"> = 4}, 1);
#else
    return Model<Table>(1);
#endif
}
