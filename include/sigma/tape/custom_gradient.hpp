// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Functions of tensors with gradients of your own: custom_gradient. Included by `<sigma/sigma.hpp>`.
#include <sigma/tape/scan.hpp>
#include <sigma/tape/traced_function.hpp>

namespace sigma {

inline constexpr Given::Label gradient_is{"gradient"}, argument_is{"argument"};
inline constexpr Fault error_custom_gradient_needs_gradients_in_the_shapes_of_the_arguments{
    "custom_gradient needs gradients in the shapes of the arguments"};

template <int gradients, int arguments>
struct error_custom_gradient_needs_a_gradient_for_each_argument;

namespace detail {

template <class F>
inline constexpr bool captures_nothing = std::is_empty_v<F> && std::is_default_constructible_v<F>;

/// Calls the backward function on variables.
template <class G, std::size_t n>
constexpr List<Variable> custom_gradients(const List<Variable>& operands, Variable y, Variable d) {
    const auto made = [&]<std::size_t... i>(std::index_sequence<i...>) {
        return as_array(G{}(Tensor{operands[static_cast<int>(i)]}..., Tensor{y}, Tensor{d}));
    }(std::make_index_sequence<n>{});
    List<Variable> gradients;
    for (std::size_t k = 0; k < n; ++k) gradients.push(expand(made[k].variable, operands[static_cast<int>(k)].shape()));
    return gradients;
}

template <std::size_t>
using OneTensor = Tensor;
struct GradientCounts {
    int gradients = 0, arguments = 0;
};
template <class F, class G, std::size_t... i>
constexpr GradientCounts count_gradients(std::index_sequence<i...>) {
    if constexpr (captures_nothing<F> && captures_nothing<G> && std::is_invocable_v<F, OneTensor<i>...> &&
                  std::is_invocable_v<G, OneTensor<i>..., Tensor, Tensor>)
        return {std::tuple_size_v<decltype(as_array(G{}(OneTensor<i>{}..., Tensor{}, Tensor{})))>, sizeof...(i)};
    else if constexpr (sizeof...(i) < GradientRule::most)
        return count_gradients<F, G>(std::make_index_sequence<sizeof...(i) + 1>{});
    else return {};
}
/// The least number of tensors that F takes, and the number of gradients that G returns for them. Both are 0 if that is
/// not known.
template <class F, class G>
inline constexpr GradientCounts gradient_counts = count_gradients<F, G>(std::index_sequence<0>{});

}  // namespace detail

/// A function of tensors with a gradient of its own, made by `custom_gradient`.
///
/// @tparam F  type of the function
/// @tparam G  type of the function that computes the gradients
/// @see custom_gradient
template <class F, class G>
struct CustomGradient {
    /// Computes the function.
    /// @param x  tensors, at most eight
    /// @return the result of `forward(x...)`
    template <std::same_as<Tensor>... X>
        requires(sizeof...(X) > 0 && sizeof...(X) <= detail::GradientRule::most && std::is_invocable_v<F, X...>)
    constexpr Tensor operator()(X... x) const {
        const Tensor y = F{}(x...);
        if (!fits(y, x...)) return y;
        detail::GradientRule rule{detail::custom_gradients<G, sizeof...(X)>};
        ((rule.operands[rule.count++] = x.variable.id), ...);
        return {{y.variable.tape, y.variable.tape->add_rule(rule, y.variable.id)}};
    }

private:
    /// Calls the backward function once on a tape of its own, and checks its results.
    template <class... X>
    static constexpr bool fits(Tensor y, X... x) {
        detail::Program p;
        detail::Tracing tracing(p.tape);
        int number = 0;
        const auto beside = [&](const Shape& s) { return Tensor{input(p, s, number++)}; };
        const std::array<Tensor, sizeof...(X)> arguments{beside(x.shape())...};
        const Tensor value = beside(y.shape()), gradient = beside(y.shape());
        const auto made =
            detail::as_array(std::apply([&](auto... a) { return G{}(a..., value, gradient); }, arguments));
        static_assert(made.size() == sizeof...(X), "custom_gradient needs a gradient for each argument");
        const auto refuse = [&](const Fault& fault, const auto&... given) { return y.refused(fault, given...), false; };
        if (const detail::Refusal& r = tracing.refusal)
            return refuse(*r.fault, r.given[0], r.given[1], r.given[2], r.given[3]);
        for (std::size_t k = 0; k < made.size(); ++k) {
            const Shape s = made[k].shape(), wanted = arguments[k].shape();
            if (!detail::broadcasts(s, wanted) || !(detail::broadcast(s, wanted) == wanted))
                return refuse(error_custom_gradient_needs_gradients_in_the_shapes_of_the_arguments,
                              Given{gradient_is, s}, Given{argument_is, wanted});
        }
        return true;
    }
};

/// Gives a function of tensors a gradient of your own.
///
/// Use it if the true gradient is 0 (rounding, signs), infinite or inaccurate, or if training should follow another
/// one. Higher derivatives differentiate `backward`. Inside `scan`, an argument from outside of the scan must not
/// depend on parameters. `check_gradients` compares with the true gradient.
///
/// @param forward   a function of tensors that captures nothing. It returns one tensor.
/// @param backward  a function of these tensors, the result of `forward`, and the gradient of the result. It captures
///                  nothing, and returns the gradient of each tensor: a Tensor, or a tuple or array of them.
/// @return a function of as many tensors as `forward` has
///
/// @par Example
/// @code
/// constexpr auto rounded = custom_gradient([](Tensor x) { return round(x); },
///                                          [](Tensor, Tensor, Tensor d) { return d; });  // as if it were x
/// struct Whole : Network<Input(4) + Dense(8, tanh) + rounded + Dense(2) + SoftmaxCE()> {};
/// @endcode
///
/// @see stop_gradient, docs/gradients.md
template <class F, class G>
    requires(detail::captures_nothing<F> && detail::captures_nothing<G> &&
             detail::gradient_counts<F, G>.gradients == detail::gradient_counts<F, G>.arguments)
constexpr CustomGradient<F, G> custom_gradient(F, G) {
    return {};
}
template <class F, class G>
    requires(detail::gradient_counts<F, G>.gradients != detail::gradient_counts<F, G>.arguments)
error_custom_gradient_needs_a_gradient_for_each_argument<detail::gradient_counts<F, G>.gradients,
                                                         detail::gradient_counts<F, G>.arguments>
    custom_gradient(F, G);
template <class F, class G>
    requires(!detail::captures_nothing<F> || !detail::captures_nothing<G>)
error_function_must_not_capture<std::conditional_t<detail::captures_nothing<F>, G, F>> custom_gradient(const F&,
                                                                                                       const G&);

}  // namespace sigma
