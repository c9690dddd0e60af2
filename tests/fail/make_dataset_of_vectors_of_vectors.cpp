// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_make_dataset_takes_arrays<.*use_an_array_or_ArrayView_of_numbers_and_their_shape
#include <sigma/sigma.hpp>
using namespace sigma;

auto use(const std::vector<int>& classes) {
#ifdef TWIN
    return make_dataset(Array<float>{{1, 2}, {3, 4}}, classes, "two");
#else
    return make_dataset(std::vector<std::vector<float>>{{1, 2}, {3, 4}}, classes, "two");
#endif
}
