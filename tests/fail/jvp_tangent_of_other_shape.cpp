// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_tangent_must_have_the_shape_of_its_argument, .*shape_of_vector, 2, 2>, .*shape_of_argument, 4>
#include <sigma/derivatives.hpp>
using namespace sigma;

xt::xtensor<float, 1> x({4}), v({4});
xt::xtensor<float, 2> m({2, 2});

int main() {
#ifdef TWIN
    const auto d = jvp([](auto a) { return tanh(a); })(shaped<4>(x), shaped<4>(v));
#else
    const auto d = jvp([](auto a) { return tanh(a); })(shaped<4>(x), shaped<2, 2>(m));
#endif
}
