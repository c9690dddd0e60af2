// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_derivative_of_needs_a_function_with_one_number_as_result_it_returns, .*it_returns, 2>
#include <sigma/tape/derivative_of.hpp>
using namespace sigma;

constexpr std::array<double, 2> x{1, 2};
#ifdef TWIN
static_assert(derivative_of<[](auto v) { return sum(v * v); }>(x) == std::array<double, 2>{2, 4});
#else
static_assert(derivative_of<[](auto v) { return v * v; }>(x) == std::array<double, 2>{2, 4});
#endif
