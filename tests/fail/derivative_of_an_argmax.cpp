// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_derivative_of_has_an_operation_that_compilers_do_not_evaluate, .*operation_is, .*text_is<.*(argmax"|'a', 'r', 'g', 'm', 'a', 'x'>)
#include <sigma/tape/derivative_of.hpp>
using namespace sigma;

constexpr std::array<double, 2> x{1, 2};
#ifdef TWIN
static_assert(derivative_of<[](auto v) { return exp(max(v)); }>(x)[0] == 0);
#else
static_assert(derivative_of<[](auto v) { return argmax(v, axis(0)) * max(v); }>(x)[0] == 0);
#endif
