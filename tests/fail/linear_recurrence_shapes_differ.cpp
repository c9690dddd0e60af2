// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_shapes_do_not_broadcast, .*shape_of_x, 3>, .*shape_of_y, -1, 4>, .*at_line<13>
#include <sigma/function/function.hpp>
#include <sigma/tape/along_axis.hpp>
using namespace sigma;

xt::xtensor<float, 2> x({10, 4});

int main() {
#ifdef TWIN
    evaluate([](auto a) { return linear_recurrence(slice(iota_beside(a, 5), axis(0), 0, 4), a); })(shaped<batch, 4>(x));
#else
    evaluate([](auto a) { return linear_recurrence(slice(iota_beside(a, 5), axis(0), 0, 3), a); })(shaped<batch, 4>(x));
#endif
}
