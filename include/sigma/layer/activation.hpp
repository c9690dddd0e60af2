// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/compose.hpp>

/// Activations are the tensor functions themselves, by name: `Dense(10, relu)`. A name of a function template is no
/// value, so each has an overload here that a layer can pick from the overload set and ask for its number; that also
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
    return where(above, x, 0.0) + alpha * expm1(where(above, 0.0, x));
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

struct ActivationName {
    int number = 0;
    constexpr ActivationName() = default;
    constexpr explicit ActivationName(int n) : number(n) {}
};
/// A reference, so that lambdas do not convert to it.
using NamedActivation = ActivationName (&)(ActivationName);

template <Shape S>
constexpr Tensor<S> identity(Tensor<S> x) {
    return x;
}
constexpr ActivationName identity(ActivationName) { return ActivationName{0}; }
constexpr ActivationName relu(ActivationName) { return ActivationName{1}; }
constexpr ActivationName sigmoid(ActivationName) { return ActivationName{2}; }
constexpr ActivationName tanh(ActivationName) { return ActivationName{3}; }
constexpr ActivationName softplus(ActivationName) { return ActivationName{4}; }
constexpr ActivationName softmax(ActivationName) { return ActivationName{5}; }
constexpr ActivationName gelu(ActivationName) { return ActivationName{6}; }
constexpr ActivationName leaky_relu(ActivationName) { return ActivationName{7}; }
constexpr ActivationName elu(ActivationName) { return ActivationName{8}; }
constexpr ActivationName selu(ActivationName) { return ActivationName{9}; }
constexpr ActivationName silu(ActivationName) { return ActivationName{10}; }
constexpr ActivationName swish(ActivationName) { return ActivationName{10}; }
constexpr ActivationName mish(ActivationName) { return ActivationName{11}; }
constexpr ActivationName softsign(ActivationName) { return ActivationName{12}; }
constexpr ActivationName relu6(ActivationName) { return ActivationName{13}; }
constexpr ActivationName hard_tanh(ActivationName) { return ActivationName{14}; }
constexpr ActivationName hard_sigmoid(ActivationName) { return ActivationName{15}; }
constexpr ActivationName hard_swish(ActivationName) { return ActivationName{16}; }

/// The activation of a layer: one of the named ones by its number, or a function object by its type.
template <class Function = void>
struct Activation {
    int number = 0;

    static constexpr auto apply(auto self, auto x) {
        if constexpr (!std::is_void_v<Function>) return Function{}(x);
        else if constexpr (self().number == 1) return relu(x);
        else if constexpr (self().number == 2) return sigmoid(x);
        else if constexpr (self().number == 3) return tanh(x);
        else if constexpr (self().number == 4) return softplus(x);
        else if constexpr (self().number == 5) return softmax(x);
        else if constexpr (self().number == 6) return gelu(x);
        else if constexpr (self().number == 7) return leaky_relu(x);
        else if constexpr (self().number == 8) return elu(x);
        else if constexpr (self().number == 9) return selu(x);
        else if constexpr (self().number == 10) return silu(x);
        else if constexpr (self().number == 11) return mish(x);
        else if constexpr (self().number == 12) return softsign(x);
        else if constexpr (self().number == 13) return relu6(x);
        else if constexpr (self().number == 14) return hard_tanh(x);
        else if constexpr (self().number == 15) return hard_sigmoid(x);
        else if constexpr (self().number == 16) return hard_swish(x);
        else return x;
    }
};

}  // namespace sigma
