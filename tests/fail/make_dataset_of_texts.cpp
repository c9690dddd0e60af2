// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_make_dataset_takes_arrays<.*use_an_array_or_ArrayView_of_numbers_and_their_shape
#include <sigma/sigma.hpp>
using namespace sigma;

const float numbers[2][4] = {};
#ifdef TWIN
auto use(const std::vector<int>& classes) {
    return make_dataset(ArrayView(numbers[0], {2, 4}), classes);
}
#else
auto use(const std::vector<std::string>& classes) {
    return make_dataset(numbers, classes, "two", {"cat", "dog"});
}
#endif
