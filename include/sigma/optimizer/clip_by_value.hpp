// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/optimizer/clip.hpp>

namespace sigma {

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
