// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_vmap_needs_rows, .*argument_given, 1>
#include <sigma/derivatives.hpp>
using namespace sigma;

xt::xtensor<float, 1> x({4});

int main() {
#ifdef TWIN
    const auto y = vmap([](auto a, auto b) { return a * b; }, over_rows_of<0>)(x, 2.0f);
#else
    const auto y = vmap([](auto a, auto b) { return a * b; })(x, 2.0f);
#endif
}
