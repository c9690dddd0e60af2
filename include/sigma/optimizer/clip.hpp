// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/core/list.hpp>
#include <sigma/optimizer/update.hpp>

#include <array>
#include <limits>
#include <tuple>

/// Optimizers that clip gradients. Each is the optimizer it clips for, as a base, and one more number, the limit; its
/// members, rule and states are those of that optimizer.
namespace sigma {

namespace detail {

/// The numbers of one step and a limit after them. Throws ArgumentError where the limit is negative or NaN.
template <class O>
constexpr auto scalars_and_limit(const O& optimizer, std::uint64_t step, double limit, const char* what) {
    if (!(limit >= 0)) throw ArgumentError(what, "0 or more", sentence(limit));
    return joined<scalar_count<O>, 1>(optimizer.scalars(step), std::array{limit});
}
/// √Σg² of all gradients together. Of floats beyond 1.8e19 squares are infinite: then those of 2⁻⁸⁰·g serve, which
/// stand beside them, since a second look at the gradients costs more than a second sum (Blue 1978).
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
/// limit / norm where the norm is above the limit, else 1. A NaN stays in the gradients.
constexpr Variable shrinking(Variable norm, Variable limit) {
    const Variable too_long = less(limit, norm);
    const Variable factor = limit / norm;
    return where(too_long, factor, constant(norm.tape, 1));
}

}  // namespace detail

/// Where the norm of the gradients of all trained parameters together, √Σg², is above norm_limit, all become
/// norm_limit / norm · g (Pascanu et al. 2013, algorithm 1); then O takes its step.
template <AnyOptimizer O>
struct ClipByNorm : O {
    double norm_limit = 1;

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
};

/// clip_gradient_norm(Adam{}, 1.0)
template <AnyOptimizer O>
constexpr ClipByNorm<O> clip_gradient_norm(O optimizer, double limit) {
    return {optimizer, limit};
}
template <AnyOptimizer O>
    requires requires(O o) { o.norm_limit; }
error_gradients_are_clipped_by_norm_already<optimizer_is<O>> clip_gradient_norm(O, double);
template <AnyOptimizer O>
error_optimizer_stands_before_its_number<write_the_optimizer_first> clip_gradient_norm(double, O);

/// As ClipByNorm, for each parameter by the norm of its own gradient.
template <AnyOptimizer O>
struct ClipEachNorm : O {
    double each_norm_limit = 1;

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
};

/// clip_each_gradient_norm(Adam{}, 1.0)
template <AnyOptimizer O>
constexpr ClipEachNorm<O> clip_each_gradient_norm(O optimizer, double limit) {
    return {optimizer, limit};
}
template <AnyOptimizer O>
    requires requires(O o) { o.each_norm_limit; }
error_gradients_are_clipped_by_norm_already<optimizer_is<O>> clip_each_gradient_norm(O, double);
template <AnyOptimizer O>
error_optimizer_stands_before_its_number<write_the_optimizer_first> clip_each_gradient_norm(double, O);

/// Each element of a gradient becomes the nearest number in [-value_limit, value_limit]; then O takes its step.
template <AnyOptimizer O>
struct ClipByValue : O {
    double value_limit = 1;

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
};

/// clip_gradients(Adam{}, 0.5)
template <AnyOptimizer O>
constexpr ClipByValue<O> clip_gradients(O optimizer, double limit) {
    return {optimizer, limit};
}
template <AnyOptimizer O>
    requires requires(O o) { o.value_limit; }
error_gradients_are_clipped_by_value_already<optimizer_is<O>> clip_gradients(O, double);
template <AnyOptimizer O>
error_optimizer_stands_before_its_number<write_the_optimizer_first> clip_gradients(double, O);

}  // namespace sigma
