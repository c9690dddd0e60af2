// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Permute_needs_each_axis_once, .*axes_are, 0, 2, 2>, .*shape_of_x, -1, 3, 4>, .*at_line<12>
#include <sigma/function/function.hpp>
using namespace sigma;

xt::xtensor<float, 3> x({10, 3, 4});

int main() {
#ifdef TWIN
    evaluate([](auto a) { return permute(a, {0, 2, 1}); })(shaped<batch, 3, 4>(x));
#else
    evaluate([](auto a) { return permute(a, {0, 2, 2}); })(shaped<batch, 3, 4>(x));
#endif
}
