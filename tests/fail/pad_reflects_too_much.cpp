// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_pad_does_not_fit, .*axis_given, 1>, .*elements_before, 4>, .*elements_after, 0>, .*shape_of_x, -1, 4>, .*at_line<12>
#include <sigma/function/function.hpp>
using namespace sigma;

xt::xtensor<float, 2> x({10, 4});

int main() {
#ifdef TWIN
    evaluate([](auto a) { return pad(a, axis(1), 3, 0, PadMode::reflect); })(shaped<batch, 4>(x));
#else
    evaluate([](auto a) { return pad(a, axis(1), 4, 0, PadMode::reflect); })(shaped<batch, 4>(x));
#endif
}
