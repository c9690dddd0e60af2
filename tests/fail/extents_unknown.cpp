// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_extents_of_this_array_are_not_known_to_the_compiler<.*give_it_as_shaped_extents *>
#include <sigma/function/function.hpp>
using namespace sigma;

xt::xtensor<float, 2> x({10, 4});

int main() {
    const auto f = evaluate([](auto a) { return sum(a); });
#ifdef TWIN
    const auto y = f(shaped<batch, 4>(x));
#else
    const auto y = f(x);
#endif
}
