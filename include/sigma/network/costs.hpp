// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Networks with several outputs: Costs, loss_weight. Included by `<sigma/sigma.hpp>`.
#include <sigma/network/wrappers.hpp>

namespace sigma {

namespace detail {

/// The type of `loss_weight`.
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

/// The type of `Costs`.
/// @see Costs
template <class... L>
struct CostsOf : detail::PartsOf<L...> {
    /// @cond internal
    using detail::PartsOf<L...>::PartsOf;

    constexpr void trace(Context& context, detail::Flow& x) const {
        if (sizeof...(L) == 0) return detail::refuse_between(context, error_Costs_needs_at_least_one_cost);
        this->each_branch(context, x, [&](const detail::Flow& y) {
            if (y.size() > 0) context.refuse(error_cost_branch_has_no_loss);
        });
        x.clear();
    }
    /// @endcond
};

/// Ends a network with several outputs. Training minimizes Σ weight · loss over all branches.
///
/// @param branches  at least one expression that ends with a loss. All branches get the same value.
/// @return the end of an expression
///
/// @par Example
/// @code
/// struct Two : Network<Input(8) + Dense(16, relu) +
///                      Costs(named("kind", Dense(10) + SoftmaxCE()),
///                            named("price", loss_weight(0.3, Dense(1) + SquaredDiff())))> {};
/// @endcode
///
/// @see loss_weight, Model
template <AnyLayer... L>
constexpr auto Costs(const L&... branches) {
    return CostsOf<L...>(detail::Parts<L...>{{branches}...});
}

/// Sets the weight of a loss in the sum that training minimizes. Without it the weight is 1.
///
/// @param weight  at least 0, and less than 1e30
/// @param cost    an expression that ends with a loss
/// @return the expression with this weight
///
/// @par Example
/// @code
/// auto price = loss_weight(0.3, Dense(1) + SquaredDiff());
/// @endcode
///
/// @see Costs
template <AnyLayer L>
constexpr auto loss_weight(double weight, const L& cost) {
    return detail::LossWeight<L>(weight, cost);
}

}  // namespace sigma
