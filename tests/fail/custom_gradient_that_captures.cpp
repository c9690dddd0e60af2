// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_function_must_not_capture
#include <sigma/sigma.hpp>
using namespace sigma;

auto slope(double factor) {
#ifdef TWIN
    static_cast<void>(factor);
    const auto f = custom_gradient([](Tensor x) { return sign(x); }, [](Tensor, Tensor, Tensor d) { return 2.0 * d; });
#else
    const auto f =
        custom_gradient([](Tensor x) { return sign(x); }, [factor](Tensor, Tensor, Tensor d) { return factor * d; });
#endif
    return f;
}
