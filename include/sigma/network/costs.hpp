// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/wrappers.hpp>

/// Several outputs, each with a loss of its own.
namespace sigma {

namespace detail {

/// See `loss_weight`.
template <class L>
struct LossWeight : Wrapper<LossWeight<L>, L> {
    double weight;
    constexpr LossWeight(double w, const L& l) : LossWeight::Wrapper(l), weight(w) {}

    constexpr void examine(Context& context) const {
        if (!(weight >= 0 && weight < 1e30))
            refuse_between(context, error_loss_weight_must_be_finite_and_not_negative,
                           {loss_weight_in_thousandths, weight});
    }
    constexpr void enter(Scope& scope, bool) const { scope.loss_weight *= weight, scope.weighed = true; }
    constexpr void inside(Context& context, Flow& x) const {
        detail::trace(this->layer, context, x);
        if (!context.failed() && x.size() > 0) context.refuse(error_loss_weight_belongs_to_a_cost);
    }
};

}  // namespace detail

/// See `Costs`.
template <class... L>
struct CostsOf : detail::PartsOf<L...> {
    using detail::PartsOf<L...>::PartsOf;

    constexpr void trace(Context& context, detail::Flow& x) const {
        if (sizeof...(L) == 0) return detail::refuse_between(context, error_Costs_needs_at_least_one_cost);
        this->each_branch(context, x, [&](const detail::Flow& y) {
            if (y.size() > 0) context.refuse(error_cost_branch_has_no_loss);
        });
        x.clear();
    }
};

/// The end of a network with several outputs: each branch starts from the same value and ends with a loss, and what is
/// minimized is Σ weight · loss:
/// `Costs(Dense(10) + SoftmaxCE(), loss_weight(0.3, Dense(1) + SquaredDiff()))`.
template <AnyLayer... L>
constexpr auto Costs(const L&... branches) {
    return CostsOf<L...>(detail::Parts<L...>{{branches}...});
}

/// How much a cost counts; 1 where nothing is said.
template <AnyLayer L>
constexpr auto loss_weight(double weight, const L& cost) {
    return detail::LossWeight<L>(weight, cost);
}

}  // namespace sigma
