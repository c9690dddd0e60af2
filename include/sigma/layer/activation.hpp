// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/compose.hpp>

#include <type_traits>

/// Activations are the tensor functions themselves, by name: `Dense(10, relu)`. A name of a function template is no
/// value, so each has an overload here that a layer can pick from the overload set and ask for its kind; that also
/// tells our tanh from the one of <cmath>. Any function object over tensors serves as well.
namespace sigma {

// ---- further functions; all element by element ----

// What has two branches takes the slope of the lower one at 0, as libtorch does.

/// x, or slope·x below 0 (Maas et al. 2013).
template <Shape S>
constexpr auto leaky_relu(Tensor<S> x, double slope = 0.01) {
    return where(x > 0.0, x, slope * x);
}
/// x, or α(e^x - 1) below 0 (Clevert et al. 2016, equation 15).
template <Shape S>
constexpr auto elu(Tensor<S> x, double alpha = 1) {
    const auto above = x > 0.0;
    const auto straight = where(above, x, 0.0);
    return straight + alpha * expm1(where(above, 0.0, x));
}
/// λ·elu(x, α), with which activations of normally initialized layers keep mean 0 and variance 1 (Klambauer et al.
/// 2017, equation 2).
template <Shape S>
constexpr auto selu(Tensor<S> x) {
    return 1.0507009873554805 * elu(x, 1.6732632423543772);
}
/// x·sigmoid(x) (Ramachandran et al. 2017; Elfwing et al. 2018 call it SiLU).
template <Shape S>
constexpr auto silu(Tensor<S> x) {
    return x * sigmoid(x);
}
template <Shape S>
constexpr auto swish(Tensor<S> x) {
    return silu(x);
}
/// x·tanh(softplus(x)) (Misra 2019).
template <Shape S>
constexpr auto mish(Tensor<S> x) {
    return x * tanh(softplus(x));
}
/// x / (1 + |x|)
template <Shape S>
constexpr auto softsign(Tensor<S> x) {
    return x / (1.0 + abs(x));
}
/// relu cut at 6.
template <Shape S>
constexpr auto relu6(Tensor<S> x) {
    return min(max(x, 0.0), 6.0);
}
/// x cut to [-1, 1].
template <Shape S>
constexpr auto hard_tanh(Tensor<S> x) {
    return min(max(x, -1.0), 1.0);
}
/// (x + 3) / 6 cut to [0, 1] (Howard et al. 2019).
template <Shape S>
constexpr auto hard_sigmoid(Tensor<S> x) {
    return (1.0 / 6) * relu6(x + 3.0);
}
/// x·hard_sigmoid(x) (Howard et al. 2019).
template <Shape S>
constexpr auto hard_swish(Tensor<S> x) {
    return x * hard_sigmoid(x);
}

// ---- names ----

template <Shape S>
constexpr Tensor<S> identity(Tensor<S> x) {
    return x;
}

// clang-format off: a table
#define SIGMA_ACTIVATIONS(ROW)                                                                                         \
    ROW(identity) ROW(relu) ROW(sigmoid) ROW(tanh) ROW(softplus) ROW(softmax) ROW(gelu) ROW(leaky_relu) ROW(elu)       \
    ROW(selu) ROW(silu) ROW(mish) ROW(softsign) ROW(relu6) ROW(hard_tanh) ROW(hard_sigmoid) ROW(hard_swish)
#define SIGMA_ACTIVATION(name) name,
enum class ActivationKind { SIGMA_ACTIVATIONS(SIGMA_ACTIVATION) };
#undef SIGMA_ACTIVATION

struct ActivationName {
    ActivationKind kind = ActivationKind::identity;
};
/// A reference, so that lambdas do not convert to it.
using NamedActivation = ActivationName (&)(ActivationName);

#define SIGMA_ACTIVATION(name) constexpr ActivationName name(ActivationName) { return {ActivationKind::name}; }
SIGMA_ACTIVATIONS(SIGMA_ACTIVATION)
#undef SIGMA_ACTIVATION
constexpr ActivationName swish(ActivationName) { return {ActivationKind::silu}; }

namespace detail {


/// The activation of a layer: one of the named ones, or a function object by its type.
template <class Function = void>
struct Activation {
    ActivationKind kind = ActivationKind::identity;

    constexpr Activation() = default;
    constexpr Activation(ActivationKind k) : kind(k) {}
    constexpr Activation(NamedActivation name) : kind(name({}).kind) {}
    template <class F>
        requires std::is_same_v<F, Function>
    constexpr Activation(F) {}

    static constexpr bool named = std::is_void_v<Function>;
    static constexpr auto function(auto x) { return Function{}(x); }
};

}  // namespace detail


/// What deduction guides make of an argument that is no options: a function object, or a name that a compiler has
/// resolved already, as clang does in generic lambdas.
template <class F, class Options>
concept ActivationArgument = !std::is_same_v<F, Options> &&
                             (std::is_class_v<F> || std::is_convertible_v<F, ActivationName (*)(ActivationName)>);
template <class F>
using FunctionOf = std::conditional_t<std::is_class_v<F>, F, void>;

/// What a layer has computed, through its activation: `activated<self().activation>(x)`.
template <detail::Activation activation>
constexpr auto activated(auto x) {
    if constexpr (!activation.named) return activation.function(x);
#define SIGMA_ACTIVATION(name) else if constexpr (activation.kind == ActivationKind::name) return sigma::name(x);
    SIGMA_ACTIVATIONS(SIGMA_ACTIVATION)
#undef SIGMA_ACTIVATION
}
#undef SIGMA_ACTIVATIONS
// clang-format on

}  // namespace sigma
