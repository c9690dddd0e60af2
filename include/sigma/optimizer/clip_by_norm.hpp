// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/optimizer/clip.hpp>

namespace sigma {

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
        const Variable norm = detail::norm_of({gradients.begin(), gradients.end()});
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

}  // namespace sigma
