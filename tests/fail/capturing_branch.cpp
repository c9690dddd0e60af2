// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_function_must_not_capture<.*lambda
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

int main() {
    const double k = 2;
#ifdef TWIN
    constexpr auto block = Add(Dense(3), [](auto x) { return 2.0 * x; });
#else
    const auto block = Add(Dense(3), [k](auto x) { return k * x; });
#endif
    return static_cast<int>(k) + detail::part<0>(detail::part<0>(block.parts).parts).units;
}
