// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_jacobian_needs_known_extents, .*shape_of_result, -1>, .*shape_of_argument, -1, 4>
#include <sigma/derivatives.hpp>
using namespace sigma;

xt::xtensor<float, 2> x({10, 4});

int main() {
#ifdef TWIN
    const auto j = vmap(jacobian([](auto a) { return sum(a) * a; }))(shaped<batch, 4>(x));
#else
    const auto j = jacobian([](auto a) { return sum(a, axis(1)); })(shaped<batch, 4>(x));
#endif
}
