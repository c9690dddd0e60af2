// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/reduction.hpp>

#include <type_traits>

namespace sigma {

namespace detail {

template <class L>
struct SaysProbabilities {};
template <class L>
    requires requires { L::predicts_probabilities; }
struct SaysProbabilities<L> {
    static constexpr bool predicts_probabilities = L::predicts_probabilities;
};
template <class L>
struct SaysYesOrNo {};
template <class L>
    requires requires { L::answers_yes_or_no; }
struct SaysYesOrNo<L> {
    static constexpr bool answers_yes_or_no = L::answers_yes_or_no;
};

/// The same loss up to the losses of records.
template <class L>
constexpr L up_to_records(L l) {
    l.options.reduction = of_records(l.options.reduction);
    return l;
}
/// How the loss within reduces, where it says so.
template <class L>
constexpr Reduction reduction_of(const L& l) {
    if constexpr (requires { l.options.reduction; }) return l.options.reduction;
    else return Reduction::over_batch;
}
/// Targets of the loss within, flat, and the weight behind them.
constexpr Shape with_weight(const Shape& target) { return Shape{target[0], target.count() + 1}; }

}  // namespace detail

/// See `weighted_records`.
template <class L>
struct WeightedRecords : Loss, detail::SaysProbabilities<L>, detail::SaysYesOrNo<L> {
    /// As other losses have it: devices ask whether a cost is a sum.
    struct Options {
        Reduction reduction;
    };

    L loss_within;
    Options options;

    constexpr explicit WeightedRecords(L l) : loss_within(l), options{detail::reduction_of(l)} {}

    static constexpr Text kind = L::kind;
    static constexpr bool classifies = L::classifies;
    static constexpr bool weighs_records = true;

    /// The loss within, as it was given.
    template <class S>
    using Within = detail::Self<S{}().loss_within>;

    template <class S>
    static constexpr auto check(S) {
        if constexpr (!requires(L l) { L::reduces_records, l.options.reduction; })
            return Mistake<error_weighted_records_needs_a_loss_that_reduces_by_its_options<loss_is<L>>>{};
        else if constexpr (requires { L::check(Within<S>{}); }) return L::check(Within<S>{});
        else return Mistake<>{};
    }
    template <Shape S>
    static constexpr auto check_output() {
        return L::template check_output<S>();
    }
    template <class S>
    static constexpr Shape compared(S, const Shape& output) {
        return L::target(Within<S>{}, output);
    }
    static constexpr Shape target(auto self, const Shape& output) {
        return detail::with_weight(compared(self, output));
    }
    template <class S, class Of = L>
    static constexpr auto labels(S, const Shape& output) -> decltype(Of::labels(Within<S>{}, output)) {
        return L::labels(Within<S>{}, output);
    }
    template <class S, class Of = L>
    static constexpr auto targets(S, const Shape& output) -> decltype(Of::targets(Within<S>{}, output)) {
        return L::targets(Within<S>{}, output);
    }
    template <class S>
    static constexpr auto loss(S self, auto z, auto y) {
        using Records = detail::Self<detail::up_to_records(S{}().loss_within)>;
        constexpr Shape flat = y.shape;
        const auto weights =
            detail::tensor<Shape{flat[0]}>(sigma::reshape(slice<1, flat[1] - 1, flat[1]>(y).variable, Shape{flat[0]}));
        // A record of weight 0 contributes nothing, though it be infinite or NaN.
        const auto weight_beside =
            detail::tensor<first_of(z.shape)>(sigma::reshape(weights.variable, first_of(z.shape)));
        const auto weighed = where(weight_beside, z, 0.0);
        const auto all = L::loss(Records{}, weighed, without_weights(self, z, y));
        static_assert(detail::is_record_losses<std::remove_const_t<decltype(all)>>,
                      "this loss does not reduce by detail::reduced, where records would be weighed");
        return all.finish(weights * detail::chosen(weights, all.sums));
    }
    /// Of records, each of which counts once.
    template <class S, Shape Z>
    static constexpr auto accuracy(S self, Tensor<Z> z, auto y)
        requires(L::classifies ||
                 requires(Tensor<L::target(Within<S>{}, Z)> alone) { L::accuracy(Within<S>{}, z, alone); })
    {
        const auto alone = without_weights(self, z, y);
        if constexpr (requires { L::accuracy(Within<S>{}, z, alone); }) return L::accuracy(Within<S>{}, z, alone);
        else return mean(equal(argmax<-1>(z), alone));
    }
    template <class S>
    static constexpr auto predict(S, auto z) {
        return L::predict(Within<S>{}, z);
    }

private:
    /// (batch, 1, …)
    static constexpr Shape first_of(Shape s) {
        for (int i = 1; i < s.rank; ++i) s.extent[i] = 1;
        return s;
    }
    template <class S>
    static constexpr auto without_weights(S, auto z, auto y) {
        constexpr Shape wanted = L::target(Within<S>{}, z.shape);
        return detail::tensor<wanted>(sigma::reshape(slice<1, 0, y.shape[1] - 1>(y).variable, wanted));
    }
};

/// `weighted_records(SoftmaxCE())`: the last number of each record's targets is its weight, as `with_weights(data, w)`
/// makes them; before it stand the targets that the loss has alone, in a row. What a record adds to the sum of losses
/// is multiplied with its weight; what sums are divided by is as without weights, so that weights of 1 change nothing.
template <class L>
    requires std::is_base_of_v<Loss, L>
constexpr auto weighted_records(L of) {
    return WeightedRecords<L>(of);
}

}  // namespace sigma
