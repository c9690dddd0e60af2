// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_vmap_needs_equal_numbers_of_rows, .*rows_given, 4>, .*rows_before, 3>
#include <sigma/derivatives.hpp>
using namespace sigma;

xt::xtensor<float, 2> x({3, 4}), y({4, 4});

int main() {
#ifdef TWIN
    const auto z = vmap([](auto a, auto b) { return a * b; })(shaped<3, 4>(x), shaped<3, 4>(x));
#else
    const auto z = vmap([](auto a, auto b) { return a * b; })(shaped<3, 4>(x), shaped<4, 4>(y));
#endif
}
