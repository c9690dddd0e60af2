// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_shapes_do_not_broadcast, .*shape_of_x, 3, 4>, .*wanted_is, 3>, .*at_line<12>
#include <sigma/function/function.hpp>
using namespace sigma;

xt::xtensor<float, 2> x({3, 4});

int main() {
#ifdef TWIN
    evaluate([](auto a) { return broadcast_to(a, {2, 3, 4}); })(shaped<3, 4>(x));
#else
    evaluate([](auto a) { return broadcast_to(a, Shape{3}); })(shaped<3, 4>(x));
#endif
}
