// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_where_shapes_do_not_broadcast, .*condition_is, 2>, .*shape_of_x, 3, 1>, .*shape_of_y, 3>, .*at_line<10>
#include <sigma/function/function.hpp>
using namespace sigma;

xt::xtensor<float, 1> c({2}), y({3});
xt::xtensor<float, 2> x({3, 1});

int main() {
    const auto f = [](auto p, auto a, auto b) { return sum(where(p, a, b)); };
#ifdef TWIN
    evaluate(f)(shaped<3>(c), shaped<3, 1>(x), shaped<3>(y));
#else
    evaluate(f)(shaped<2>(c), shaped<3, 1>(x), shaped<3>(y));
#endif
}
