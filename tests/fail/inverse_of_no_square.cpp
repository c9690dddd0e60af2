// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_matrix_must_be_square, .*shape_of_x, 3, 4>, .*at_line<13>
#include <sigma/function/function.hpp>
#include <sigma/tape/linear_algebra.hpp>
using namespace sigma;

xt::xtensor<float, 2> x({3, 4});

int main() {
#ifdef TWIN
    evaluate([](auto a) { return inverse(slice(a, axis(1), 0, 3)); })(shaped<3, 4>(x));
#else
    evaluate([](auto a) { return inverse(a); })(shaped<3, 4>(x));
#endif
}
