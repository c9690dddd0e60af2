// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_function_must_not_capture<.*lambda
#include <sigma/function/function.hpp>
using namespace sigma;

int main() {
    const double k = 2;
#ifdef TWIN
    const auto g = gradient([](auto a, auto b) { return a * a * b; })(3.0, k);
#else
    const auto g = gradient([k](auto a) { return a * a * k; })(3.0);
#endif
}
