// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/activation.hpp>
#include <sigma/layer/context.hpp>

namespace sigma {

struct ElementwiseOptions {
    bool bias = true;
    detail::Initializer weights = ones;
    detail::Initializer biases = zeros;
};
namespace detail {
namespace option {
struct bias;
struct weights;
struct biases;
}  // namespace option
using ElementwiseOptionNames = options_are<option::bias, option::weights, option::biases>;
}  // namespace detail

/// Each element of a record with a weight and a bias of its own: activation(x∘w + b), w and b of the record's shape.
template <class Function = void>
struct Elementwise : Layer {
    detail::Activation<Function> activation{};
    ElementwiseOptions options{};

    constexpr Elementwise() = default;
    constexpr explicit Elementwise(ElementwiseOptions o) : options(o) {}
    constexpr explicit Elementwise(detail::Activation<Function> a, ElementwiseOptions o = {})
        : activation(a), options(o) {}

    static constexpr Text kind = "elementwise";

    static constexpr auto forward(auto self, Context& context, auto x) {
        const auto w = parameter<x.shape.without(0)>(context, "weights", self().options.weights);
        if constexpr (self().options.bias) {
            const auto b = parameter<x.shape.without(0)>(context, "biases", self().options.biases);
            return activated<self().activation>(x * w + b);
        } else {
            return activated<self().activation>(x * w);
        }
    }
};
template <ActivationArgument<ElementwiseOptions> F>
Elementwise(F, ElementwiseOptions = {}) -> Elementwise<FunctionOf<F>>;
Elementwise() -> Elementwise<>;
Elementwise(ElementwiseOptions) -> Elementwise<>;

/// What no other guide takes: an option in braces that there is not.
template <class>
struct error_Elementwise_has_no_such_option;
template <class Options>
struct Elementwise<error_Elementwise_has_no_such_option<Options>>;
template <class Never = void>
Elementwise(...) -> Elementwise<error_Elementwise_has_no_such_option<detail::ElementwiseOptionNames>>;

}  // namespace sigma
