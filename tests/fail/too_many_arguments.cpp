// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_function_does_not_take<.*arguments_given<2> *>
#include <sigma/function/function.hpp>
using namespace sigma;

int main() {
    const auto f = evaluate([](auto a) { return 2.0 * a; });
#ifdef TWIN
    const auto y = f(3.0);
#else
    const auto y = f(3.0, 4.0);
#endif
}
