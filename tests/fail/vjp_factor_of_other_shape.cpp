// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_factor_must_have_the_shape_of_its_result, .*shape_of_vector, 4>, .*shape_of_result>
#include <sigma/derivatives.hpp>
using namespace sigma;

xt::xtensor<float, 1> x({4});

int main() {
#ifdef TWIN
    const auto d = vjp([](auto a) { return sum(a); })(shaped<4>(x), 1.0f);
#else
    const auto d = vjp([](auto a) { return sum(a); })(shaped<4>(x), shaped<4>(x));
#endif
}
