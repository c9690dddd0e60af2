// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_tensor_has_no_elements<.*use_slice_x_axis_first_end
#include <sigma/sigma.hpp>
using namespace sigma;

#ifdef TWIN
constexpr auto first = [](auto x) { return slice(x, axis(1), 0, 1); };
struct Net : Network<Input(4) + first + Dense(3) + SoftmaxCE()> {};
static_assert(Net::output.rank > 0);
#else
constexpr auto first = [](auto x) { return x[0]; };
struct Net : Network<Input(4) + first + Dense(3) + SoftmaxCE()> {};
static_assert(Net::output.rank > 0);
#endif
