// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_custom_gradient_needs_a_gradient_for_each_argument<1, 2>
#include <sigma/sigma.hpp>
using namespace sigma;

constexpr auto product = custom_gradient([](Tensor a, Tensor b) { return a * b; },
                                         [](Tensor a, Tensor b, Tensor, Tensor d) {
#ifdef TWIN
                                             return std::tuple{d * b, d * a};
#else
                                             return d * a * b;
#endif
                                         });
struct Net : Network<(Input(4) & Input(4)) + product + Dense(2) + SoftmaxCE()> {};
static_assert(Net::output.rank > 0);
