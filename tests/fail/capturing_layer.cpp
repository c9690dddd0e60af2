// SPDX-License-Identifier: BSL-1.0
// expected-first-error-g++: error_function_must_not_capture, .*at_layer<2, .*lambda_kind>
// expected-first-error-clang: Lambda<.* of non-type template parameter is not a structural type
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

constexpr double k = 2;
#ifdef TWIN
struct Net : Network<Input(4) + Dense(3) + [](auto x) { return k * x; } + SoftmaxCE()> {};
#else
struct Net : Network<Input(4) + Dense(3) + [factor = k](auto x) { return factor * x; } + SoftmaxCE()> {};
#endif
static_assert(Net::output.rank > 0);
