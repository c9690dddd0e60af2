// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/compose.hpp>

/// Activations are the tensor functions themselves, by name: `Dense(10, relu)`. A name of a function template is no
/// value, so each has an overload here that a layer can pick from the overload set and ask for its number; that also
/// tells our tanh from the one of <cmath>. Any function object over tensors serves as well.
namespace sigma {

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
        else return x;
    }
};

}  // namespace sigma
