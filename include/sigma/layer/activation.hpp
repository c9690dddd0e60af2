// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/tape/compose.hpp>

#include <type_traits>

/// Activations are the tensor functions themselves, by name: `Dense(10, relu)`. A name of a function template is no
/// value, so each has an overload here that a layer can pick from the overload set and ask for its kind; that also
/// tells our tanh from the one of <cmath>. Any function object over tensors serves as well.
namespace sigma {

// ---- further functions; all element by element ----

// What has two branches takes the slope of the lower one at 0, as libtorch does.

/// x, or slope·x below 0 (Maas et al. 2013).
constexpr Tensor leaky_relu(Tensor x, double slope) { return where(x > 0.0, x, slope * x); }
constexpr Tensor leaky_relu(Tensor x) { return leaky_relu(x, 0.01); }
/// x, or α(e^x - 1) below 0 (Clevert et al. 2016, equation 15).
constexpr Tensor elu(Tensor x, double alpha) {
    const Tensor above = x > 0.0;
    const Tensor straight = where(above, x, 0.0);
    return straight + alpha * expm1(where(above, 0.0, x));
}
constexpr Tensor elu(Tensor x) { return elu(x, 1); }
/// λ·elu(x, α), with which activations of normally initialized layers keep mean 0 and variance 1 (Klambauer et al.
/// 2017, equation 2).
constexpr Tensor selu(Tensor x) { return 1.0507009873554805 * elu(x, 1.6732632423543772); }
/// x·sigmoid(x) (Ramachandran et al. 2017; Elfwing et al. 2018 call it SiLU).
constexpr Tensor silu(Tensor x) { return x * sigmoid(x); }
constexpr Tensor swish(Tensor x) { return silu(x); }
/// x·tanh(softplus(x)) (Misra 2019).
constexpr Tensor mish(Tensor x) { return x * tanh(softplus(x)); }
/// x / (1 + |x|)
constexpr Tensor softsign(Tensor x) { return x / (1.0 + abs(x)); }
/// relu cut at 6.
constexpr Tensor relu6(Tensor x) { return min(max(x, 0.0), 6.0); }
/// x cut to [-1, 1].
constexpr Tensor hard_tanh(Tensor x) { return min(max(x, -1.0), 1.0); }
/// (x + 3) / 6 cut to [0, 1] (Howard et al. 2019).
constexpr Tensor hard_sigmoid(Tensor x) { return (1.0 / 6) * relu6(x + 3.0); }
/// x·hard_sigmoid(x) (Howard et al. 2019).
constexpr Tensor hard_swish(Tensor x) { return x * hard_sigmoid(x); }

constexpr Tensor identity(Tensor x) { return x; }

namespace detail {

using TensorFunction = Tensor (*)(Tensor);

/// The activation of a layer: a function over tensors by its name, or a function object by its type. One step aside:
/// g++ 12 takes the address of a function in no template argument of class type, of a variable it does.
class Activation {
public:
    constexpr Activation() = default;
    constexpr Activation(TensorFunction f) {
        if (f == sigma::identity) return;  // as where nothing is said
        for (const Function* known : {
        // clang-format off: a table
#define SIGMA_named(f) &named<sigma::f>
                 SIGMA_named(relu), SIGMA_named(sigmoid), SIGMA_named(tanh),
                 SIGMA_named(softplus), SIGMA_named(softmax), SIGMA_named(gelu), SIGMA_named(leaky_relu),
                 SIGMA_named(elu), SIGMA_named(selu), SIGMA_named(silu), SIGMA_named(swish), SIGMA_named(mish),
                 SIGMA_named(softsign), SIGMA_named(relu6), SIGMA_named(hard_tanh), SIGMA_named(hard_sigmoid),
                 SIGMA_named(hard_swish), SIGMA_named(exp), SIGMA_named(sin), SIGMA_named(cos), SIGMA_named(square),
                 SIGMA_named(abs)
#undef SIGMA_named
                 // clang-format on
             })
            if (known->call == f) function = known;
        if (function == nullptr) unnamed = f;
    }
    template <class F>
        requires std::is_class_v<F> && std::is_empty_v<F> && std::is_default_constructible_v<F> &&
                 std::is_invocable_r_v<Tensor, F, Tensor>
    constexpr Activation(F) : function(&of<F>) {}

    constexpr Tensor operator()(Tensor x) const { return function ? function->call(x) : unnamed ? unnamed(x) : x; }

    struct Function {
        TensorFunction call;
    };
    template <TensorFunction f>
    static constexpr Function named{f};
    template <class F>
    static constexpr Function of{[](Tensor x) { return Tensor{F{}(x)}; }};

    const Function* function = nullptr;
    TensorFunction unnamed = nullptr;  ///< of a user; with g++ 12 no constant network can hold it
};

}  // namespace detail

struct PReLUOptions {
    bool each_feature = false;  ///< a slope for each index of the last axis, not one for all
    detail::Initializer slopes = constant(0.25);
};
SIGMA_OPTIONS(PReLU, options_are<struct each_feature, struct slopes>)

/// x where it is positive, else slope·x, with a slope that is learned (He et al. 2015, equation 1; at 0 the gradient is
/// that of the negative side, as in libtorch): one for all elements, or one for each index of the last axis.
struct PReLU : Layer {
    PReLUOptions options;

    constexpr PReLU(PReLUOptions o = {}) : options(o) {}
    SIGMA_NO_OTHER(PReLU);

    static constexpr Text kind = "prelu";

    constexpr Tensor forward(Context& context, Tensor x) const {
        const int slopes = options.each_feature ? x.shape().last() : 1;
        const Tensor slope = parameter(context, Shape{slopes}, "slopes", options.slopes);
        const Tensor below = slope * x;
        return where(x > 0.0, x, below);
    }
};

}  // namespace sigma
