// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_axis_out_of_range, .*axis_given, 1>, .*shape_of_x, 4>, .*at_line<12>
#include <sigma/function/function.hpp>
using namespace sigma;

xt::xtensor<float, 1> x({4});

int main() {
#ifdef TWIN
    evaluate([](auto a) { return softmax(a, axis(0)); })(shaped<4>(x));
#else
    evaluate([](auto a) { return softmax(a, axis(1)); })(shaped<4>(x));
#endif
}
