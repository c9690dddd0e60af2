// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_solve_shapes_do_not_fit<.*shape<4, 4>, .*shape<-1, 3, 2> *>
#include <sigma/function/function.hpp>
#include <sigma/tape/linear_algebra.hpp>
using namespace sigma;

xt::xtensor<float, 2> x({10, 4});

int main() {
#ifdef TWIN
    evaluate([](auto a) { return solve(dot(transpose(a), a), reshape<batch, 4, 2>(concatenate<1>(a, a))); })(shaped<batch, 4>(x));
#else
    evaluate([](auto a) { return solve(dot(transpose(a), a), reshape<batch, 3, 2>(slice<1, 0, 6>(concatenate<1>(a, a)))); })(shaped<batch, 4>(x));
#endif
}
