// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_gradient_with_respect_to_an_argument_that_is_not_there<.*argument_number<2>, .*arguments_taken<2> *>
#include <sigma/function/function.hpp>
using namespace sigma;

xt::xtensor<float, 1> x({4}), y({4});

int main() {
    const auto f = [](auto a, auto b) { return sum(a * b); };
#ifdef TWIN
    const auto g = gradient(f, wrt<1>)(x, y);
#else
    const auto g = gradient(f, wrt<2>)(x, y);
#endif
}
