// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_convolution_channels_differ, .*image_is, -1, 8, 8, 3>, .*weights_are, 3, 3, 4, 6>, .*at_line<10>
#include <sigma/function/function.hpp>
#include <sigma/tape/convolution.hpp>
using namespace sigma;

xt::xtensor<float, 4> x({2, 8, 8, 4}), w({3, 3, 4, 6});

int main() {
    const auto f = [](auto a, auto b) { return convolve(a, b); };
#ifdef TWIN
    evaluate(f)(shaped<batch, 8, 8, 4>(x), shaped<3, 3, 4, 6>(w));
#else
    evaluate(f)(shaped<batch, 8, 8, 3>(x), shaped<3, 3, 4, 6>(w));
#endif
}
