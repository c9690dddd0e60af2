// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_axis_must_not_be_the_batch, .*axis_given, 0>, .*shape_of_x, -1, 4>, .*at_line<13>
#include <sigma/function/function.hpp>
#include <sigma/tape/along_axis.hpp>
using namespace sigma;

xt::xtensor<float, 2> x({10, 4});

int main() {
#ifdef TWIN
    evaluate([](auto a) { return cumsum(a, axis(1)); })(shaped<batch, 4>(x));
#else
    evaluate([](auto a) { return cumsum(a, axis(0)); })(shaped<batch, 4>(x));
#endif
}
