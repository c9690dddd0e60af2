// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_function_must_not_capture<
#include <sigma/check_gradients.hpp>
using namespace sigma;

int main() {
    const double k = 2;
    static_cast<void>(k);
#ifdef TWIN
    check_gradients([](auto x) { return x * 2.0; })(k).require();
#else
    check_gradients([k](auto x) { return x * k; })(k).require();
#endif
}
