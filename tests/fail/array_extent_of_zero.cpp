// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_extents_of_a_record_are_above_zero<.*extents_are<2, 0> *>
#include <sigma/data/reader/arrays.hpp>

#include <vector>

using namespace sigma::data;

const std::vector<float> pixels(8);

int main() {
#ifdef TWIN
    const auto x = array<2, 4>(pixels);
#else
    const auto x = array<2, 0>(pixels);
#endif
}
