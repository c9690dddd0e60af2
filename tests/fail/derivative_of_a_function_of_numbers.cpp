// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_derivative_of_needs_a_function_of_tensors<.*use_auto_x
#include <sigma/tape/derivative_of.hpp>
using namespace sigma;

#ifdef TWIN
constexpr double slope = derivative_of<[](auto x) { return x * x; }>(2.0);
#else
constexpr double slope = derivative_of<[](double x) { return x * x; }>(2.0);
#endif
