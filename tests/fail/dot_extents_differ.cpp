// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_dot_extents_differ, .*columns_of_x, 4>, .*rows_of_w, 5>, .*at_line<9>
#include <sigma/function/function.hpp>
using namespace sigma;

xt::xtensor<float, 2> x({10, 4}), w({5, 3});

int main() {
    const auto f = [](auto a, auto b) { return mean(square(tanh(dot(a, b)))); };
#ifdef TWIN
    evaluate(f)(shaped<batch, 4>(x), shaped<4, 3>(w));
#else
    evaluate(f)(shaped<batch, 4>(x), shaped<5, 3>(w));
#endif
}
