// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_top_k_wants_more_than_there_is, .*elements_wanted, 5>, .*axis_given, -1>, .*shape_of_x, -1, 4>, .*at_line<13>
#include <sigma/function/function.hpp>
#include <sigma/tape/along_axis.hpp>
using namespace sigma;

xt::xtensor<float, 2> x({10, 4});

int main() {
#ifdef TWIN
    evaluate([](auto a) { return top_k(a, 4).values; })(shaped<batch, 4>(x));
#else
    evaluate([](auto a) { return top_k(a, 5).values; })(shaped<batch, 4>(x));
#endif
}
