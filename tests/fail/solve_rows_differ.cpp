// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_solve_shapes_do_not_fit, .*shape_of_x, 4, 4>, .*shape_of_y, -1, 3, 2>, .*at_line<13>
#include <sigma/function/function.hpp>
#include <sigma/tape/linear_algebra.hpp>
using namespace sigma;

xt::xtensor<float, 2> x({10, 4});

int main() {
#ifdef TWIN
    evaluate([](auto a) { return solve(dot(transpose(a), a), reshape(concatenate(axis(1), a, a), {batch, 4, 2})); })(shaped<batch, 4>(x));
#else
    evaluate([](auto a) { return solve(dot(transpose(a), a), reshape(slice(concatenate(axis(1), a, a), axis(1), 0, 6), {batch, 3, 2})); })(shaped<batch, 4>(x));
#endif
}
