// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_shapes_do_not_broadcast, .*shape_of_x, -1, 4>, .*shape_of_y, 3>, .*at_line<10>
#include <sigma/function/function.hpp>
using namespace sigma;

xt::xtensor<float, 2> x({10, 4});
xt::xtensor<float, 1> b({3});

int main() {
    const auto f = [](auto a, auto c) { return sum(a + c); };
#ifdef TWIN
    evaluate(f)(shaped<batch, 4>(x), shaped<1>(b));
#else
    evaluate(f)(shaped<batch, 4>(x), shaped<3>(b));
#endif
}
