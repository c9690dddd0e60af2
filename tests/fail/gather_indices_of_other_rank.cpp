// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_gather_indices_do_not_fit, .*axis_given, 1>, .*shape_of_x, -1, 4>, .*shape_of_the_indices, -1>, .*at_line<13>
#include <sigma/function/function.hpp>
#include <sigma/tape/along_axis.hpp>
using namespace sigma;

xt::xtensor<float, 2> x({10, 4});

int main() {
#ifdef TWIN
    evaluate([](auto a) { return gather(a, reshape(argmax(a), {batch, 1}), axis(1)); })(shaped<batch, 4>(x));
#else
    evaluate([](auto a) { return gather(a, argmax(a), axis(1)); })(shaped<batch, 4>(x));
#endif
}
