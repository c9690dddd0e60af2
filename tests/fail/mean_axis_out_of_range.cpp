// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_axis_out_of_range, .*axis_given, -3>, .*shape_of_x, -1, 4>, .*at_line<12>
#include <sigma/function/function.hpp>
using namespace sigma;

xt::xtensor<float, 2> x({10, 4});

int main() {
#ifdef TWIN
    evaluate([](auto a) { return mean(a, axes(0, -1)); })(shaped<batch, 4>(x));
#else
    evaluate([](auto a) { return mean(a, axes(0, -3)); })(shaped<batch, 4>(x));
#endif
}
