// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_shapes_do_not_broadcast<.*shape<3, 4>, .*shape<3> *>
#include <sigma/function/function.hpp>
using namespace sigma;

xt::xtensor<float, 2> x({3, 4});

int main() {
#ifdef TWIN
    evaluate([](auto a) { return broadcast_to<2, 3, 4>(a); })(shaped<3, 4>(x));
#else
    evaluate([](auto a) { return broadcast_to<3>(a); })(shaped<3, 4>(x));
#endif
}
