// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/optimizer/clip.hpp>

namespace sigma {

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

}  // namespace sigma
