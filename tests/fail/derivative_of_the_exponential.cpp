// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_derivative_of_has_an_operation_that_compilers_do_not_evaluate<.*operation_is<.*(exp\"|'e', 'x', 'p')
// first-error-of-g++: 400 characters, g++ says an incomplete type under the name by which it is used too
#include <sigma/tape/derivative_of.hpp>
using namespace sigma;

#ifdef TWIN
static_assert(derivative_of<[](auto x) { return x * x * x; }>(2.0) == 12);
#else
static_assert(derivative_of<[](auto x) { return exp(x); }>(2.0) > 7);
#endif
