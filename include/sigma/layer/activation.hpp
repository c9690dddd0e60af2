// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Activations (relu, silu, elu, …) and the layer PReLU. Included by `<sigma/sigma.hpp>`.
// Activations are tensor functions. A layer holds one by its address (detail::Activation), which needs a name that is
// no function template: so each has a plain overload here or in tape/, and `tanh` is ours, not that of <cmath>.
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/tape/compose.hpp>

#include <type_traits>

namespace sigma {

// ---- further functions; all element by element ----

// At 0, a function with two branches has the slope of the lower one, as in libtorch.

/// Returns x, or slope·x if x is below 0 (Maas et al. 2013).
///
/// @param x  a tensor of any shape
/// @return a tensor of the shape of `x`
/// @param slope  slope below 0. A layer that takes the activation by name, `Dense(64, leaky_relu)`, uses 0.01.
///
/// @par Example
/// @code
/// struct Leaky : Network<Input(784) + Dense(64, leaky_relu) + Dense(10) + SoftmaxCE()> {};
/// @endcode
///
/// @see relu, PReLU (with a learned slope)
constexpr Tensor leaky_relu(Tensor x, double slope) { return where(x > 0.0, x, slope * x); }
/// Returns x, or 0.01·x if x is below 0: `leaky_relu(x, 0.01)`.
///
/// @param x  a tensor of any shape
/// @return a tensor of the shape of `x`
///
/// @see leaky_relu(Tensor, double)
constexpr Tensor leaky_relu(Tensor x) { return leaky_relu(x, 0.01); }
/// Returns x, or α(e^x - 1) if x is below 0 (exponential linear unit, Clevert et al. 2016, equation 15).
///
/// @param x  a tensor of any shape
/// @return a tensor of the shape of `x`
/// @param alpha  the negative limit is -alpha
///
/// @par Example
/// @code
/// struct Smooth : Network<Input(784) + Dense(64, elu) + Dense(10) + SoftmaxCE()> {};
/// @endcode
///
/// @see selu
constexpr Tensor elu(Tensor x, double alpha) {
    const Tensor above = x > 0.0;
    const Tensor straight = where(above, x, 0.0);
    return straight + alpha * expm1(where(above, 0.0, x));
}
/// Returns x, or e^x - 1 if x is below 0: `elu(x, 1)`.
///
/// @param x  a tensor of any shape
/// @return a tensor of the shape of `x`
///
/// @see elu(Tensor, double)
constexpr Tensor elu(Tensor x) { return elu(x, 1); }
/// Returns λ·elu(x, α) with λ = 1.0507 and α = 1.6733 (Klambauer et al. 2017, equation 2).
///
/// With weights from `lecun()`, activations keep mean 0 and variance 1. Drop activations with AlphaDropout.
///
/// @param x  a tensor of any shape
/// @return a tensor of the shape of `x`
///
/// @see lecun, AlphaDropout
constexpr Tensor selu(Tensor x) { return 1.0507009873554805 * elu(x, 1.6732632423543772); }
/// Returns x·sigmoid(x) (Elfwing et al. 2018; Ramachandran et al. 2017 call it swish).
///
/// @param x  a tensor of any shape
/// @return a tensor of the shape of `x`
///
/// @par Example
/// @code
/// struct Silu : Network<Input(784) + Dense(64, silu) + Dense(10) + SoftmaxCE()> {};
/// @endcode
constexpr Tensor silu(Tensor x) { return x * sigmoid(x); }
/// Returns x·sigmoid(x): another name of `silu`.
///
/// @param x  a tensor of any shape
/// @return a tensor of the shape of `x`
///
/// @see silu
constexpr Tensor swish(Tensor x) { return silu(x); }
/// Returns x·tanh(softplus(x)) (Misra 2019).
///
/// @param x  a tensor of any shape
/// @return a tensor of the shape of `x`
///
/// @see silu, gelu
constexpr Tensor mish(Tensor x) { return x * tanh(softplus(x)); }
/// Returns x / (1 + |x|).
///
/// @param x  a tensor of any shape
/// @return a tensor of the shape of `x`
///
/// @see tanh
constexpr Tensor softsign(Tensor x) { return x / (1.0 + abs(x)); }
/// Returns x cut to [0, 6].
///
/// @param x  a tensor of any shape
/// @return a tensor of the shape of `x`
///
/// @see relu
constexpr Tensor relu6(Tensor x) { return min(max(x, 0.0), 6.0); }
/// Returns x cut to [-1, 1].
///
/// @param x  a tensor of any shape
/// @return a tensor of the shape of `x`
///
/// @see tanh
constexpr Tensor hard_tanh(Tensor x) { return min(max(x, -1.0), 1.0); }
/// Returns (x + 3) / 6 cut to [0, 1] (Howard et al. 2019).
///
/// @param x  a tensor of any shape
/// @return a tensor of the shape of `x`
///
/// @see sigmoid
constexpr Tensor hard_sigmoid(Tensor x) { return (1.0 / 6) * relu6(x + 3.0); }
/// Returns x·hard_sigmoid(x) (Howard et al. 2019).
///
/// @param x  a tensor of any shape
/// @return a tensor of the shape of `x`
///
/// @see hard_sigmoid, silu
constexpr Tensor hard_swish(Tensor x) { return x * hard_sigmoid(x); }

/// Returns x: the activation that a layer has by default.
///
/// @param x  a tensor of any shape
/// @return a tensor of the shape of `x`
///
/// @see Dense
constexpr Tensor identity(Tensor x) { return x; }

namespace detail {

using TensorFunction = Tensor (*)(Tensor);

/// Activation of a layer: a tensor function by its name, or a function object by its type. It holds the address of a
/// variable with the function: g++ 12 accepts no address of a function in a template argument of class type.
class Activation {
public:
    constexpr Activation() = default;
    constexpr Activation(TensorFunction f) {
        if (f == sigma::identity) return;  // the same as no activation
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
    TensorFunction unnamed = nullptr;  ///< A user's function. With g++ 12 no compile-time network can hold it.
};

}  // namespace detail

/// Options of `PReLU`.
///
/// @see PReLU
struct PReLUOptions {
    bool each_feature = false;  ///< Learns a slope for each index of the last axis if true, else one for all elements.
    detail::Initializer slopes = constant(0.25);  ///< Initializes `slopes`.
};
SIGMA_OPTIONS(PReLU, options_are<struct each_feature, struct slopes>)

/// An activation with a learned slope: x if x is positive, else slope·x (He et al. 2015, equation 1).
///
/// At 0 the gradient is that of the negative side, as in libtorch.
///
/// @par Shape
/// Input (batch, …). Output: the same shape.
///
/// @par Parameters of the network
/// `slopes` (1), or (features) if `options.each_feature` is true, where features is the last extent of the input.
///
/// @par Example
/// @code
/// struct Learned : Network<Input(28, 28) + Dense(64) + PReLU({.each_feature = true}) + Dense(10) + SoftmaxCE()> {};
/// @endcode
///
/// @see leaky_relu
struct PReLU : Layer {
    PReLUOptions options;  ///< Number of slopes and their initializer.

    /// Constructs the layer.
    /// @param options_  number of slopes and their initializer
    constexpr PReLU(PReLUOptions options_ = {}) : options(options_) {}

    /// @cond internal
    SIGMA_NO_OTHER(PReLU);

    static constexpr Text kind = "prelu";

    constexpr Tensor forward(Context& context, Tensor x) const {
        const int slopes = options.each_feature ? x.shape().last() : 1;
        const Tensor slope = parameter(context, Shape{slopes}, "slopes", options.slopes);
        const Tensor below = slope * x;
        return where(x > 0.0, x, below);
    }
    /// @endcond
};

}  // namespace sigma
