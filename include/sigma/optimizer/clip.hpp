// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/core/list.hpp>
#include <sigma/optimizer/update.hpp>

#include <array>
#include <limits>
#include <tuple>

/// @file
/// Optimizers that clip gradients: clip_gradient_norm, clip_each_gradient_norm, clip_gradients. Included by
/// `<sigma/sigma.hpp>`.
// Each is a class with the clipped optimizer as its base, and one more number, the limit.
namespace sigma {

namespace detail {

/// Returns the numbers of one step, followed by the limit. Throws ArgumentError if the limit is negative or NaN.
template <class O>
constexpr auto scalars_and_limit(const O& optimizer, std::uint64_t step, double limit, const char* what) {
    if (!(limit >= 0)) throw ArgumentError(what, "0 or more", sentence(limit));
    return joined<scalar_count<O>, 1>(optimizer.scalars(step), std::array{limit});
}
/// Returns √Σg² of all gradients together. Squares of floats beyond 1.8e19 are infinite; then the sum of squares of
/// 2⁻⁸⁰·g is used (Blue 1978). Both sums are always computed: to read the gradients again would cost more.
constexpr Variable norm_of(ListView<Variable> gradients) {
    constexpr double part = 0x1p-80;
    Tape* const tape = gradients[0].tape;
    Variable nearby = constant(tape, 0), distant = nearby;
    for (const Variable& g : gradients) {
        const Variable little = part * g;
        nearby = nearby + sum_to(g * g, Shape{});
        distant = distant + sum_to(little * little, Shape{});
    }
    const Variable serves = sigma::less(nearby, constant(tape, std::numeric_limits<double>::infinity()));
    const Variable usual = sqrt(nearby), large = (1 / part) * sqrt(distant);
    return where(serves, usual, large);
}
/// Returns limit / norm if the norm is above the limit, else 1. A NaN stays in the gradients.
constexpr Variable shrinking(Variable norm, Variable limit) {
    const Variable too_long = less(limit, norm);
    const Variable factor = limit / norm;
    return where(too_long, factor, constant(norm.tape, 1));
}

}  // namespace detail

/// An optimizer that scales all gradients g together if their norm √Σg² is above norm_limit: g ← norm_limit / norm · g.
///
/// The norm is over all trained parameters (Pascanu et al. 2013, algorithm 1). `clip_gradient_norm` makes it.
/// @tparam O  type of the inner optimizer
///
/// @see clip_gradient_norm
template <AnyOptimizer O>
struct ClipByNorm : O {
    double norm_limit = 1;  ///< Largest norm, at least 0.

    /// @cond internal
    static constexpr auto fields() {
        return std::tuple_cat(
            detail::fields_of<O>(),
            std::tuple{Field<ClipByNorm>{"norm_limit", &ClipByNorm::norm_limit, NumberRange::from_0()}});
    }
    constexpr auto scalars(std::uint64_t step) const {
        return detail::scalars_and_limit<O>(*this, step, norm_limit, "norm_limit of clip_gradient_norm");
    }
    static constexpr detail::List<Variable> prepare(Update& u, const detail::List<Variable>& gradients) {
        if (gradients.empty()) return prepared<O>(u, gradients);
        const Variable norm = detail::norm_of({gradients.begin(), gradients.size()});
        const Variable by = detail::shrinking(norm, u.scalar(detail::scalar_count<O>));
        detail::List<Variable> clipped;
        for (const Variable& g : gradients) clipped.push(by * g);
        return prepared<O>(u, clipped);
    }
    /// @endcond
};

/// Makes an optimizer clip the norm of all gradients together.
/// @tparam O  type of the optimizer
/// @param optimizer  the optimizer that takes the steps
/// @param limit  largest norm √Σg² over all trained parameters, at least 0
/// @return the clipping optimizer. The limit is its member `norm_limit`.
/// @throws ArgumentError  in a run, if `limit` is negative or NaN
///
/// @par Example
/// @code
/// Trainer clipped("digits", Digits{}, clip_gradient_norm(Adam{}, 1.0), minibatches(training, 100));
/// @endcode
///
/// @see clip_each_gradient_norm, clip_gradients
template <AnyOptimizer O>
constexpr ClipByNorm<O> clip_gradient_norm(O optimizer, double limit) {
    return {optimizer, limit};
}
template <AnyOptimizer O>
    requires requires(O o) { o.norm_limit; }
error_gradients_are_clipped_by_norm_already<optimizer_is<O>> clip_gradient_norm(O, double);
template <AnyOptimizer O>
error_optimizer_stands_before_its_number<use_the_optimizer_first> clip_gradient_norm(double, O);

/// An optimizer that scales the gradient g of each parameter if its norm is above the limit, see `ClipByNorm`.
/// @tparam O  type of the inner optimizer
///
/// @see clip_each_gradient_norm
template <AnyOptimizer O>
struct ClipEachNorm : O {
    double each_norm_limit = 1;  ///< Largest norm of the gradient of a parameter, at least 0.

    /// @cond internal
    static constexpr auto fields() {
        return std::tuple_cat(
            detail::fields_of<O>(),
            std::tuple{Field<ClipEachNorm>{"each_norm_limit", &ClipEachNorm::each_norm_limit, NumberRange::from_0()}});
    }
    constexpr auto scalars(std::uint64_t step) const {
        return detail::scalars_and_limit<O>(*this, step, each_norm_limit, "each_norm_limit of clip_each_gradient_norm");
    }
    static constexpr detail::List<Variable> prepare(Update& u, const detail::List<Variable>& gradients) {
        const Variable limit = u.scalar(detail::scalar_count<O>);
        detail::List<Variable> clipped;
        for (const Variable& g : gradients) clipped.push(detail::shrinking(detail::norm_of({&g, 1}), limit) * g);
        return prepared<O>(u, clipped);
    }
    /// @endcond
};

/// Makes an optimizer clip the norm of each parameter's gradient.
/// @tparam O  type of the optimizer
/// @param optimizer  the optimizer that takes the steps
/// @param limit  largest norm √Σg² of the gradient of a parameter, at least 0
/// @return the clipping optimizer. The limit is its member `each_norm_limit`.
/// @throws ArgumentError  in a run, if `limit` is negative or NaN
///
/// @par Example
/// @code
/// Trainer clipped("digits", Digits{}, clip_each_gradient_norm(Adam{}, 1.0), minibatches(training, 100));
/// @endcode
///
/// @see clip_gradient_norm, clip_gradients
template <AnyOptimizer O>
constexpr ClipEachNorm<O> clip_each_gradient_norm(O optimizer, double limit) {
    return {optimizer, limit};
}
template <AnyOptimizer O>
    requires requires(O o) { o.each_norm_limit; }
error_gradients_are_clipped_by_norm_already<optimizer_is<O>> clip_each_gradient_norm(O, double);
template <AnyOptimizer O>
error_optimizer_stands_before_its_number<use_the_optimizer_first> clip_each_gradient_norm(double, O);

/// An optimizer that cuts each element of a gradient to [-value_limit, value_limit].
/// @tparam O  type of the inner optimizer
///
/// @see clip_gradients
template <AnyOptimizer O>
struct ClipByValue : O {
    double value_limit = 1;  ///< Largest magnitude, at least 0.

    /// @cond internal
    static constexpr auto fields() {
        return std::tuple_cat(
            detail::fields_of<O>(),
            std::tuple{Field<ClipByValue>{"value_limit", &ClipByValue::value_limit, NumberRange::from_0()}});
    }
    constexpr auto scalars(std::uint64_t step) const {
        return detail::scalars_and_limit<O>(*this, step, value_limit, "value_limit of clip_gradients");
    }
    static constexpr detail::List<Variable> prepare(Update& u, const detail::List<Variable>& gradients) {
        const Variable limit = u.scalar(detail::scalar_count<O>), least = -limit;
        detail::List<Variable> clipped;
        for (const Variable& g : gradients) clipped.push(max(min(g, limit), least));
        return prepared<O>(u, clipped);
    }
    /// @endcond
};

/// Makes an optimizer cut each element of the gradients to [-limit, limit].
/// @tparam O  type of the optimizer
/// @param optimizer  the optimizer that takes the steps
/// @param limit  largest magnitude of an element, at least 0
/// @return the clipping optimizer. The limit is its member `value_limit`.
/// @throws ArgumentError  in a run, if `limit` is negative or NaN
///
/// @par Example
/// @code
/// Trainer clipped("digits", Digits{}, clip_gradients(Adam{}, 0.5), minibatches(training, 100));
/// @endcode
///
/// @see clip_gradient_norm, clip_each_gradient_norm
template <AnyOptimizer O>
constexpr ClipByValue<O> clip_gradients(O optimizer, double limit) {
    return {optimizer, limit};
}
template <AnyOptimizer O>
    requires requires(O o) { o.value_limit; }
error_gradients_are_clipped_by_value_already<optimizer_is<O>> clip_gradients(O, double);
template <AnyOptimizer O>
error_optimizer_stands_before_its_number<use_the_optimizer_first> clip_gradients(double, O);

}  // namespace sigma
