// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_concatenate_shapes_differ_outside_the_axis<.*axis_given<1>, .*shape<2, 3>, .*shape<4, 3> *>
#include <sigma/function/function.hpp>
using namespace sigma;

xt::xtensor<float, 2> x({2, 3}), y({4, 3});

int main() {
#ifdef TWIN
    evaluate([](auto a, auto b) { return concatenate<0>(a, b); })(shaped<2, 3>(x), shaped<4, 3>(y));
#else
    evaluate([](auto a, auto b) { return concatenate<1>(a, b); })(shaped<2, 3>(x), shaped<4, 3>(y));
#endif
}
