// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_axis_out_of_range, .*axis_given, 2>, .*shape_of_x, -1, 4>, .*at_line<12>
#include <sigma/function/function.hpp>
using namespace sigma;

xt::xtensor<float, 2> x({10, 4});

int main() {
#ifdef TWIN
    evaluate([](auto a) { return 2.0 * sum(a, axis(1)); })(shaped<batch, 4>(x));
#else
    evaluate([](auto a) { return 2.0 * sum(a, axis(2)); })(shaped<batch, 4>(x));
#endif
}
