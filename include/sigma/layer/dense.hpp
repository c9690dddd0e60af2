// SPDX-License-Identifier: BSL-1.0
#pragma once
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

/// What `Dense` and `Linear` may be told besides their units and activation: `Dense(64, relu, {.bias = false})`.
struct DenseOptions {
    bool bias = true;
    detail::Initializer weights = glorot();
    detail::Initializer biases = zeros;
};

/// Fully connected over the last axis, the same for each position of the others: activation(x·W + b), x of shape
/// (batch, …, inputs), W of shape (inputs, units), b of shape (units).
struct Linear : Layer {
    Extent units;
    detail::Activation activation{};
    DenseOptions options{};

    constexpr explicit Linear(Extent units_, DenseOptions o = {}) : units(units_), options(o) {}
    constexpr Linear(Extent units_, detail::Activation a, DenseOptions o = {})
        : units(units_), activation(a), options(o) {}
    SIGMA_NO_OTHER(Linear, Extent);

    static constexpr Text kind = "linear";
    static constexpr void each_size(auto& self, auto f) { f(self.units); }

    constexpr Tensor forward(Context& context, Tensor x) const {
        if (units < 1) return x.refused(error_Linear_units_must_be_positive, {units_given, units});
        const Tensor w = parameter(context, {x.shape().last(), units}, "weights", options.weights);
        return activation(
            detail::plus_biases(context, options.bias, Shape{units}, options.biases, [&] { return dot(x, w); }));
    }
};

/// Fully connected: activation(x·W + b), W of shape (inputs, units), b of shape (units). A record with several axes is
/// flattened first; `Linear` keeps them and works on the last. `Dense(64, relu, {.bias = false})` has no b.
struct Dense : Linear {
    constexpr explicit Dense(Extent units_, DenseOptions o = {}) : Linear(units_, o) {}
    constexpr Dense(Extent units_, detail::Activation a, DenseOptions o = {}) : Linear(units_, a, o) {}
    SIGMA_NO_OTHER(Dense, Extent);

    static constexpr Text kind = "dense";

    constexpr Tensor forward(Context& context, Tensor x) const {
        if (units < 1) return x.refused(error_Dense_units_must_be_positive, {units_given, units});
        return Linear::forward(context, x.shape().rank > 2 ? flatten(x) : x);
    }
};

struct ElementwiseOptions {
    bool bias = true;
    detail::Initializer weights = ones;
    detail::Initializer biases = zeros;
};
/// Each element of a record with a weight and a bias of its own: activation(x∘w + b), w and b of the record's shape.
struct Elementwise : Layer {
    detail::Activation activation{};
    ElementwiseOptions options{};

    constexpr Elementwise() = default;
    constexpr explicit Elementwise(ElementwiseOptions o) : options(o) {}
    // What fits exactly: else g++ 12 does not know whether that stands for an activation or for another Elementwise.
    constexpr explicit Elementwise(detail::TensorFunction f, ElementwiseOptions o = {}) : activation(f), options(o) {}
    template <class F>
        requires(std::is_class_v<F> && std::is_constructible_v<detail::Activation, F> &&
                 !std::is_convertible_v<F, ElementwiseOptions>)
    constexpr explicit Elementwise(F f, ElementwiseOptions o = {}) : activation(f), options(o) {}
    SIGMA_NO_OTHER(Elementwise);

    static constexpr Text kind = "elementwise";

    constexpr Tensor forward(Context& context, Tensor x) const {
        const Shape record = x.shape().without(0);
        const Tensor w = parameter(context, record, "weights", options.weights);
        return activation(detail::plus_biases(context, options.bias, record, options.biases, [&] { return x * w; }));
    }
};

using FullyConnected [[deprecated("write Dense")]] = Dense;

}  // namespace sigma
