// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_gradient_with_respect_to_an_argument_that_is_not_there<.*argument_number<1>, .*arguments_taken<1> *>
#include <sigma/derivatives.hpp>
using namespace sigma;

xt::xtensor<float, 1> x({4});

int main() {
#ifdef TWIN
    const auto y = vmap([](auto a) { return 2.0f * a; }, over_rows_of<0>)(x);
#else
    const auto y = vmap([](auto a) { return 2.0f * a; }, over_rows_of<1>)(x);
#endif
}
