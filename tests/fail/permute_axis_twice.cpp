// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_permute_needs_each_axis_once<.*axes_given<0, 2, 2>, .*shape<-1, 3, 4> *>
#include <sigma/function/function.hpp>
using namespace sigma;

xt::xtensor<float, 3> x({10, 3, 4});

int main() {
#ifdef TWIN
    evaluate([](auto a) { return permute<0, 2, 1>(a); })(shaped<batch, 3, 4>(x));
#else
    evaluate([](auto a) { return permute<0, 2, 2>(a); })(shaped<batch, 3, 4>(x));
#endif
}
