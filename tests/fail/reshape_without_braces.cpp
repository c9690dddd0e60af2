// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_reshape_takes_one_shape<.*use_extents_in_braces
#include <sigma/function/function.hpp>
using namespace sigma;

xt::xtensor<float, 2> x({10, 12});

int main() {
#ifdef TWIN
    evaluate([](auto a) { return reshape(a, {batch, 3, 4}); })(shaped<batch, 12>(x));
#else
    evaluate([](auto a) { return reshape(a, batch, 3, 4); })(shaped<batch, 12>(x));
#endif
}
