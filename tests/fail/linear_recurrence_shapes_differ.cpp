// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_shapes_do_not_broadcast<.*shape<3>, .*shape<-1, 4> *>
#include <sigma/function/function.hpp>
#include <sigma/tape/along_axis.hpp>
using namespace sigma;

xt::xtensor<float, 2> x({10, 4});

int main() {
#ifdef TWIN
    evaluate([](auto a) { return linear_recurrence(slice<0, 0, 4>(iota_beside<5>(a)), a); })(shaped<batch, 4>(x));
#else
    evaluate([](auto a) { return linear_recurrence(slice<0, 0, 3>(iota_beside<5>(a)), a); })(shaped<batch, 4>(x));
#endif
}
