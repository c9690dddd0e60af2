// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_function_must_return_a_tensor_or_a_tuple_of_tensors_it_returns<double>
#include <sigma/function/function.hpp>
using namespace sigma;

int main() {
#ifdef TWIN
    const auto y = evaluate([](auto a) { return a * 0.0 + 1.0; })(3.0);
#else
    const auto y = evaluate([](auto) { return 1.0; })(3.0);
#endif
}
