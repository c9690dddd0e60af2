// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_concatenate_shapes_differ_outside_the_axis, .*axis_given, 1>, .*shape_of_x, 2, 3>, .*shape_of_y, 4, 3>, .*at_line<12>
#include <sigma/function/function.hpp>
using namespace sigma;

xt::xtensor<float, 2> x({2, 3}), y({4, 3});

int main() {
#ifdef TWIN
    evaluate([](auto a, auto b) { return concatenate(axis(0), a, b); })(shaped<2, 3>(x), shaped<4, 3>(y));
#else
    evaluate([](auto a, auto b) { return concatenate(axis(1), a, b); })(shaped<2, 3>(x), shaped<4, 3>(y));
#endif
}
