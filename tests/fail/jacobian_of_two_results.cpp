// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_jacobian_needs_a_function_of_one_result_it_returns<
#include <sigma/derivatives.hpp>
using namespace sigma;

xt::xtensor<float, 1> x({4});

int main() {
#ifdef TWIN
    const auto j = jacobian([](auto a) { return tanh(a); })(shaped<4>(x));
#else
    const auto j = jacobian([](auto a) { return std::tuple{a, tanh(a)}; })(shaped<4>(x));
#endif
}
