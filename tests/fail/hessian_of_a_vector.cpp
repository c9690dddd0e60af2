// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_gradient_needs_a_scalar_function_it_returns, .*it_returns, 4>
#include <sigma/derivatives.hpp>
using namespace sigma;

xt::xtensor<float, 1> x({4});

int main() {
#ifdef TWIN
    const auto h = hessian([](auto a) { return sum(tanh(a)); })(shaped<4>(x));
#else
    const auto h = hessian([](auto a) { return tanh(a); })(shaped<4>(x));
#endif
}
