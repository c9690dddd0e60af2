// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/hook/tensor_values.hpp>

namespace sigma {

namespace detail {
detail::SharedOwner<Derived> make_update_rate(SelectedTensors tensors);
}  // namespace detail

/// ‖w − w₀‖ / ‖w₀‖ of all elements of the tensors, where the last step led from w₀ to w; 0 where both are 0. New each
/// iteration; NaN when no step has just been taken for which w₀ was kept.
template <Text name>
struct UpdateRate : DerivedValue<UpdateRate<name>> {
    using Sources = Types<>;
    using Updates = detail::Selection<TensorKind::updates, name>;
    static constexpr Moment moment = Moment::iteration;
    static constexpr detail::Wants wants = Updates::wants;

    explicit UpdateRate(std::string pattern)
        : DerivedValue<UpdateRate>(detail::make_update_rate(Updates{std::move(pattern)}.tensors())) {}
    template <class Trainer>
    static constexpr auto check() {
        return Updates::template check<Trainer>();
    }
};

/// `update_rate("*.weights")`
inline auto update_rate(std::string pattern) { return UpdateRate<Text{}>(std::move(pattern)); }
/// `update_rate<"1-dense.weights">()`
template <Text name>
auto update_rate() {
    return UpdateRate<name>("");
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/update_rate.ipp>
#endif
