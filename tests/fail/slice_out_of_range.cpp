// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_slice_out_of_range, .*axis_given, 1>, .*first_index, 2>, .*end_index, 6>, .*shape_of_x, -1, 5>, .*at_line<12>
#include <sigma/function/function.hpp>
using namespace sigma;

xt::xtensor<float, 2> x({10, 5});

int main() {
#ifdef TWIN
    evaluate([](auto a) { return exp(slice(a, axis(1), 2, 5)); })(shaped<batch, 5>(x));
#else
    evaluate([](auto a) { return exp(slice(a, axis(1), 2, 6)); })(shaped<batch, 5>(x));
#endif
}
