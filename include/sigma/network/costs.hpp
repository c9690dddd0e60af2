// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/words.hpp>
#include <sigma/network/wrappers.hpp>

/// Several outputs, each with a loss of its own.
namespace sigma {

namespace detail {

/// See `loss_weight`.
template <class L>
struct LossWeight : Wrapper {
    double weight;
    L layer;
    constexpr LossWeight(double w, L l) : weight(w), layer(l) {}

    static constexpr auto check(auto self) {
        constexpr double weight = self().weight;
        if constexpr (weight >= 0 && weight < 1e30) return Mistake<>{};
        else
            return Mistake<error_loss_weight_must_be_finite_and_not_negative<
                loss_weight_in_thousandths<detail::thousandths(weight)>>>{};
    }
    constexpr void enter(Scope& scope, bool) const { scope.loss_weight *= weight; }
};

}  // namespace detail

/// See `Costs`.
template <class... L>
struct CostsOf : Loss, detail::Several {
    detail::Parts<L...> parts;
    constexpr explicit CostsOf(const L&... l) : parts{{l}...} {}

    static constexpr auto trace(auto self, Context& context, const auto& x) {
        return detail::trace_each<self()>(context, x);
    }
};

namespace detail {

template <class L>
consteval auto cost_mistake() {
    if constexpr (is_source<First<L>>) return Mistake<error_Input_is_only_allowed_first<inside_a_branch>>{};
    else if constexpr (!LossLayer<Last<L>>) return Mistake<error_cost_branch_has_no_loss<last_layer_is<Last<L>>>>{};
    else return Mistake<>{};
}
template <class... L>
consteval auto costs_mistake() {
    if constexpr (sizeof...(L) == 0) return Mistake<error_Costs_needs_at_least_one_cost<branches_given<0>>>{};
    else return FirstMistake<decltype(cost_mistake<L>())...>{};
}
template <class... L>
using CostsMistake = MistakeOf<decltype(costs_mistake<L...>())>;
template <class... L>
inline constexpr bool good_costs = std::is_void_v<CostsMistake<L...>>;

}  // namespace detail

/// The end of a network with several outputs: each branch starts from the same value and ends with a loss, and what is
/// minimized is Σ weight · loss:
/// `Costs(Dense(10) + SoftmaxCE(), loss_weight(0.3, Dense(1) + SquaredDiff()))`.
template <AnyLayer... L>
    requires detail::good_costs<L...>
constexpr auto Costs(L... branches) {
    return CostsOf<L...>{branches...};
}
template <AnyLayer... L>
    requires(!detail::good_costs<L...>)
constexpr auto Costs(L...) -> decltype(detail::plainly(std::type_identity<detail::CostsMistake<L...>>{}));

/// How much a cost counts; 1 where nothing is said.
template <AnyLayer L>
    requires LossLayer<detail::Last<L>>
constexpr auto loss_weight(double weight, L cost) {
    return detail::LossWeight<L>{weight, cost};
}
template <AnyLayer L>
    requires(!LossLayer<detail::Last<L>>)
constexpr error_loss_weight_belongs_to_a_cost<last_layer_is<detail::Last<L>>> loss_weight(double, L);

}  // namespace sigma
