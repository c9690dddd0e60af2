// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_reshape_changes_the_number_of_elements<.*shape<-1, 12>, .*shape<-1, 3, 5> *>
#include <sigma/function/function.hpp>
using namespace sigma;

xt::xtensor<float, 2> x({10, 12});

int main() {
#ifdef TWIN
    evaluate([](auto a) { return reshape<batch, 3, 4>(a); })(shaped<batch, 12>(x));
#else
    evaluate([](auto a) { return reshape<batch, 3, 5>(a); })(shaped<batch, 12>(x));
#endif
}
