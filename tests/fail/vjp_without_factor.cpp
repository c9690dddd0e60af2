// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_vjp_takes_the_arguments_then_a_factor_for_each_result<.*arguments_given<1>
#include <sigma/derivatives.hpp>
using namespace sigma;

xt::xtensor<float, 1> x({4}), v({4});

int main() {
#ifdef TWIN
    const auto d = vjp([](auto a) { return tanh(a); })(x, v);
#else
    const auto d = vjp([](auto a) { return tanh(a); })(x);
#endif
}
