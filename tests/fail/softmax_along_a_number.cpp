// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_axis_is_no_number, write axis\(1\)
#include <sigma/function/function.hpp>
using namespace sigma;

xt::xtensor<float, 2> x({10, 4});

int main() {
#ifdef TWIN
    evaluate([](auto a) { return softmax(a, axis(1)); })(shaped<batch, 4>(x));
#else
    evaluate([](auto a) { return softmax(a, 1); })(shaped<batch, 4>(x));
#endif
}
