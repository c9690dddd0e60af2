// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Reshape_changes_the_number_of_elements, .*shape_of_x, -1, 12>, .*wanted_is, -1, 3, 5>, .*at_line<12>
#include <sigma/function/function.hpp>
using namespace sigma;

xt::xtensor<float, 2> x({10, 12});

int main() {
#ifdef TWIN
    evaluate([](auto a) { return reshape(a, {batch, 3, 4}); })(shaped<batch, 12>(x));
#else
    evaluate([](auto a) { return reshape(a, {batch, 3, 5}); })(shaped<batch, 12>(x));
#endif
}
