// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_initializer_of_a_parameter_is_no_number<.*use_constant_of_the_number
#include <sigma/sigma.hpp>
using namespace sigma;

struct Own : Layer {
    static constexpr Text kind = "own";
    constexpr Tensor forward(Context& context, Tensor x) const {
#ifdef TWIN
        return dot(x, parameter(context, {4, 3}, "weights", constant(0.1)));
#else
        return dot(x, parameter(context, {4, 3}, "weights", 0.1));
#endif
    }
};
struct Tiny : Network<Input(4) + Own{} + SoftmaxCE()> {};
