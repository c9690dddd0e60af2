// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_gather_indices_do_not_fit<.*axis_given<1>, .*shape<-1, 4>, .*shape<-1> *>
#include <sigma/function/function.hpp>
#include <sigma/tape/along_axis.hpp>
using namespace sigma;

xt::xtensor<float, 2> x({10, 4});

int main() {
#ifdef TWIN
    evaluate([](auto a) { return gather(a, reshape<batch, 1>(argmax(a)), axis<1>); })(shaped<batch, 4>(x));
#else
    evaluate([](auto a) { return gather(a, argmax(a), axis<1>); })(shaped<batch, 4>(x));
#endif
}
