// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_jacobian_has_too_many_axes, .*shape_of_result, 2, 2, 2, 2>, .*shape_of_argument, 2, 2, 2, 2>
#include <sigma/derivatives.hpp>
using namespace sigma;

xt::xtensor<float, 4> x({2, 2, 2, 2});

int main() {
#ifdef TWIN
    const auto j = jacobian([](auto a) { return tanh(reshape(a, {4, 4})); })(shaped<2, 2, 2, 2>(x));
#else
    const auto j = jacobian([](auto a) { return tanh(a); })(shaped<2, 2, 2, 2>(x));
#endif
}
