// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_parameter_takes_other_arguments<.*use_context_shape_name_initializer
#include <sigma/sigma.hpp>
using namespace sigma;

struct Own : Layer {
    static constexpr Text kind = "own";
    constexpr Tensor forward(Context& context, Tensor x) const {
#ifdef TWIN
        return dot(x, parameter(context, Shape{4, 3}, "weights"));
#else
        return dot(x, parameter(context, "weights", Shape{4, 3}));
#endif
    }
};
struct Tiny : Network<Input(4) + Own{} + SoftmaxCE()> {};
