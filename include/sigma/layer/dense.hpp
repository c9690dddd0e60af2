// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Fully connected layers: Dense, Linear, Elementwise. Included by `<sigma/sigma.hpp>`.
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/activation.hpp>
#include <sigma/layer/context.hpp>

namespace sigma {

inline constexpr Given::Label units_given{"units"};
inline constexpr Fault error_Linear_units_must_be_positive{"Linear: units must be positive"},
    error_Dense_units_must_be_positive{"Dense: units must be positive"};
SIGMA_OPTIONS(Linear, options_are<struct bias, struct weights, struct biases>)
SIGMA_OPTIONS(Dense, Linear)
SIGMA_OPTIONS(Elementwise, Linear)

/// Options of `Dense` and `Linear`.
///
/// @par Example
/// @code
/// struct Hidden : Network<Input(784) + Dense(64, relu, {.weights = he()}) + Dense(10) + SoftmaxCE()> {};
/// @endcode
struct DenseOptions {
    bool bias = true;                        ///< Adds the parameter `biases` if true.
    detail::Initializer weights = glorot();  ///< Initializes `weights`. Default: uniform, see glorot().
    detail::Initializer biases = zeros;      ///< Initializes `biases`. Unused if `bias` is false.
};

/// A fully connected layer along the last axis: activation(x·W + b).
///
/// Applies the same weights at every position of the other axes. To connect all elements of a record, use `Dense`.
///
/// @par Shape
/// Input (batch, …, inputs), where … is zero or more axes. Output (batch, …, units).
///
/// @par Parameters of the network
/// `weights` (inputs, units) and, if `options.bias` is true, `biases` (units).
///
/// @par Errors
/// `error_Linear_units_must_be_positive` if `units` is less than 1. A compile-time network does not
/// compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Tagger : Network<Input(20, 8) + Linear(5) + SoftmaxCE()> {};  // (batch, 20, 8) -> (batch, 20, 5)
/// @endcode
///
/// @see Dense, Elementwise, Conv1D (with a kernel of 1 it computes the same)
struct Linear : Layer {
    Extent units;                     ///< Size of the last axis of the output.
    detail::Activation activation{};  ///< Applied to each output. Default: identity.
    DenseOptions options{};           ///< Bias and initializers.

    /// Constructs a layer without an activation.
    /// @param units_    number of outputs for each position, at least 1. May be a named size, `dim<"width">`.
    /// @param options_  bias and initializers
    constexpr explicit Linear(Extent units_, DenseOptions options_ = {}) : units(units_), options(options_) {}

    /// Constructs a layer with an activation.
    /// @param units_       number of outputs for each position, at least 1. May be a named size, `dim<"width">`.
    /// @param activation_  an activation such as `relu`, or a captureless function of one Tensor
    /// @param options_     bias and initializers
    constexpr Linear(Extent units_, detail::Activation activation_, DenseOptions options_ = {})
        : units(units_), activation(activation_), options(options_) {}

    /// @cond internal
    SIGMA_NO_OTHER(Linear, Extent);

    static constexpr Text kind = "linear";
    static constexpr void each_size(auto& self, auto f) { f(self.units); }

    constexpr Tensor forward(Context& context, Tensor x) const {
        if (units < 1) return x.refused(error_Linear_units_must_be_positive, {units_given, units});
        const Tensor w = parameter(context, {x.shape().last(), units}, "weights", options.weights);
        return activation(detail::plus_biases(context, options.bias, Shape{units}, options.biases,
                                              [&] { return detail::adapted(context, x, w, dot(x, w)); }));
    }
    /// @endcond
};

/// A fully connected layer: activation(x·W + b).
///
/// Flattens each record first, so an image of (28, 28) is a row of 784 numbers. To keep the other axes, use `Linear`.
///
/// @par Shape
/// Input (batch, …), with a known number of elements per record. Output (batch, units).
///
/// @par Parameters of the network
/// `weights` (inputs, units) and, if `options.bias` is true, `biases` (units), where `inputs` is the number of elements
/// of a record. In a network they are named after the layer: `"1-dense.weights"`. PyTorch stores the transpose.
///
/// @par Errors
/// `error_Dense_units_must_be_positive` if `units` is less than 1. A compile-time network does not
/// compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Digits : Network<Input(28, 28) + Dense(128, relu) + Dense(10) + SoftmaxCE()> {};
/// Model<Digits> model(42);
/// model.parameter<"1-dense.weights">().shape();  // {784, 128}
/// @endcode
///
/// @see Linear, DenseOptions, docs/layers.md, docs/coming-from-pytorch.md
struct Dense : Linear {
    /// Constructs a layer without an activation, as before most losses.
    /// @param units_    number of outputs, at least 1. May be a named size, `dim<"width">`.
    /// @param options_  bias and initializers
    constexpr explicit Dense(Extent units_, DenseOptions options_ = {}) : Linear(units_, options_) {}

    /// Constructs a layer with an activation.
    /// @param units_       number of outputs, at least 1. May be a named size, `dim<"width">`.
    /// @param activation_  an activation such as `relu`, or a captureless function of one Tensor
    /// @param options_     bias and initializers
    constexpr Dense(Extent units_, detail::Activation activation_, DenseOptions options_ = {})
        : Linear(units_, activation_, options_) {}

    /// @cond internal
    SIGMA_NO_OTHER(Dense, Extent);

    static constexpr Text kind = "dense";

    constexpr Tensor forward(Context& context, Tensor x) const {
        if (units < 1) return x.refused(error_Dense_units_must_be_positive, {units_given, units});
        return Linear::forward(context, x.shape().rank > 2 ? flatten(x) : x);
    }
    /// @endcond
};

/// Options of `Elementwise`.
///
/// @par Example
/// @code
/// struct Gains : Network<Input(16) + Elementwise({.bias = false, .weights = gaussian(0.1)}) + SquaredDiff()> {};
/// @endcode
struct ElementwiseOptions {
    bool bias = true;                    ///< Adds the parameter `biases` if true.
    detail::Initializer weights = ones;  ///< Initializes `weights`.
    detail::Initializer biases = zeros;  ///< Initializes `biases`. Unused if `bias` is false.
};

/// A layer that multiplies each element of a record by its own weight: activation(x∘w + b).
///
/// @par Shape
/// Input (batch, …). Output: the same shape.
///
/// @par Parameters of the network
/// `weights` and, if `options.bias` is true, `biases`, both of the shape of a record.
///
/// @par Example
/// @code
/// struct Gains : Network<Input(16) + Elementwise({.bias = false}) + SquaredDiff()> {};
/// @endcode
///
/// @see Dense, Multiply
struct Elementwise : Layer {
    detail::Activation activation{};  ///< Applied to each output. Default: identity.
    ElementwiseOptions options{};     ///< Bias and initializers.

    /// Constructs a layer with weights of 1 and biases of 0, without an activation.
    constexpr Elementwise() = default;

    /// Constructs a layer without an activation.
    /// @param options_  bias and initializers
    constexpr explicit Elementwise(ElementwiseOptions options_) : options(options_) {}

    /// Constructs a layer with an activation.
    /// @param activation_  an activation such as `relu`, or a captureless function of one Tensor
    /// @param options_     bias and initializers
    // An exact match: g++ 12 otherwise finds the conversion to Activation and the copy constructor equally good.
    constexpr explicit Elementwise(detail::TensorFunction activation_, ElementwiseOptions options_ = {})
        : activation(activation_), options(options_) {}
    /// @copydoc Elementwise(detail::TensorFunction, ElementwiseOptions)
    template <class F>
        requires(std::is_class_v<F> && std::is_constructible_v<detail::Activation, F> &&
                 !std::is_convertible_v<F, ElementwiseOptions>)
    constexpr explicit Elementwise(F activation_, ElementwiseOptions options_ = {})
        : activation(activation_), options(options_) {}

    /// @cond internal
    SIGMA_NO_OTHER(Elementwise);

    static constexpr Text kind = "elementwise";

    constexpr Tensor forward(Context& context, Tensor x) const {
        const Shape record = x.shape().without(0);
        const Tensor w = parameter(context, record, "weights", options.weights);
        return activation(detail::plus_biases(context, options.bias, record, options.biases, [&] { return x * w; }));
    }
    /// @endcond
};

/// The former name of `Dense`.
///
/// @see Dense
using FullyConnected [[deprecated("write Dense")]] = Dense;

}  // namespace sigma
