// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_gradient_needs_a_scalar_function_it_returns, .*it_returns, -1, 4>
#include <sigma/function/function.hpp>
using namespace sigma;

xt::xtensor<float, 2> x({10, 4});

int main() {
#ifdef TWIN
    const auto g = gradient([](auto a) { return sum(tanh(a)); })(shaped<batch, 4>(x));
#else
    const auto g = gradient([](auto a) { return tanh(a); })(shaped<batch, 4>(x));
#endif
}
