// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_einsum_needs_letters_once_and_an_arrow, .*shape_of_x, -1, 4>, .*shape_of_y, 4, 3>, .*at_line<13>
#include <sigma/function/function.hpp>
#include <sigma/tape/einsum.hpp>
using namespace sigma;

xt::xtensor<float, 2> x({10, 4}), w({4, 3});

int main() {
#ifdef TWIN
    evaluate([](auto a, auto b) { return einsum("ij,jk->ik", a, b); })(shaped<batch, 4>(x), shaped<4, 3>(w));
#else
    evaluate([](auto a, auto b) { return einsum("ij,jj->ij", a, b); })(shaped<batch, 4>(x), shaped<4, 3>(w));
#endif
}
