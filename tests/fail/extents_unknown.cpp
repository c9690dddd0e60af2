// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_extents_of_this_array_are_not_known_to_the_compiler<.*give_it_as_shaped_extents *>
#include <sigma/function/check_gradients.hpp>
using namespace sigma;

xt::xtensor<float, 2> x({10, 4});

int main() {
    const auto check = check_gradients([](auto a) { return sum(a); });
#ifdef TWIN
    check(shaped<batch, 4>(x));
#else
    check(x);
#endif
}
