// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Losses with a weight for each record: weighted_records. Include it yourself.
#include <sigma/layer/reduction.hpp>

#include <type_traits>

namespace sigma {

inline constexpr Given::Label loss_is{"loss"};
// For losses of your own that do not support weights, and losses with weights already: detail::reduced applies weights.
inline constexpr Fault error_weighted_records_needs_a_loss_that_reduces_by_its_options{
    "weighted_records needs a loss that ends in detail::reduced(options.reduction, ...) and has reduces_records"};

namespace detail {

template <class L>
struct KeepsProbabilities {};
template <class L>
    requires requires { L::predicts_probabilities; }
struct KeepsProbabilities<L> {
    static constexpr bool predicts_probabilities = L::predicts_probabilities;
};
template <class L>
struct KeepsYesOrNo {};
template <class L>
    requires requires { L::answers_yes_or_no; }
struct KeepsYesOrNo<L> {
    static constexpr bool answers_yes_or_no = L::answers_yes_or_no;
};

/// Returns the reduction of the inner loss, `over_batch` if it has no option for it.
template <class L>
constexpr Reduction reduction_of(const L& l) {
    if constexpr (requires { l.options.reduction; }) return l.options.reduction;
    else return Reduction::over_batch;
}
/// Returns the shape of flat targets of the inner loss, followed by the weight.
constexpr Shape with_weight(const Shape& target) { return Shape{target[0], target.count() + 1}; }
constexpr Tensor without_weight(Tensor y, const Shape& target) {
    return reshape(slice(y, axis(1), 0, y.shape()[1] - 1), target);
}

/// Returns whether the tape multiplies anything by x.
constexpr bool is_factor(Tensor x) {
    for (const Node& n : *x.variable.tape)
        if (n.operation == Operation::multiply && (n.a == x.variable.id || n.b == x.variable.id)) return true;
    return false;
}

}  // namespace detail

/// A loss with a weight for each record. `weighted_records` makes it.
/// @tparam L  type of the loss without weights
///
/// @see weighted_records
template <class L>
struct WeightedRecords : Loss, detail::KeepsProbabilities<L>, detail::KeepsYesOrNo<L> {
    /// Reduction of the loss, as other losses have it.
    struct Options {
        Reduction reduction;  ///< Reduction of the loss without weights.
    };

    L loss_within;    ///< Loss without weights.
    Options options;  ///< Reduction of the loss.

    /// Constructs the loss.
    /// @param loss_  loss without weights
    constexpr explicit WeightedRecords(L loss_) : loss_within(loss_), options{detail::reduction_of(loss_)} {}

    /// @cond internal
    static constexpr Text kind = L::kind;
    static constexpr bool classifies = L::classifies;
    static constexpr bool weighs_records = true;

    constexpr void check_output(Tensor z) const {
        if constexpr (requires { loss_within.check_output(z); }) loss_within.check_output(z);
        if (!z.trace().failed() && !weighs(z.shape()))
            z.refused(error_weighted_records_needs_a_loss_that_reduces_by_its_options, {loss_is, kind});
    }
    constexpr Shape compared(const Shape& output) const { return loss_within.target(output); }
    constexpr Shape target(const Shape& output) const { return detail::with_weight(compared(output)); }
    constexpr auto labels(const Shape& output) const
        requires requires(const L& l) { l.labels(output); }
    {
        return loss_within.labels(output);
    }
    constexpr auto targets(const Shape& output) const
        requires requires(const L& l) { l.targets(output); }
    {
        return loss_within.targets(output);
    }
    constexpr Tensor predict(Tensor z) const { return loss_within.predict(z); }
    constexpr Tensor loss(Tensor z, Tensor y) const {
        const Tensor weights = weights_of(y);
        // A record of weight 0 contributes 0, even if it is infinite or NaN.
        const Tensor weighed = where(reshape(weights, first_of(z.shape())), z, 0.0);
        L within = loss_within;
        if constexpr (takes_weights) within.options.reduction = detail::weighing(options.reduction, weights);
        return within.loss(weighed, targets_of(z, y));
    }
    /// Returns the accuracy without weights: each record counts once.
    constexpr Tensor accuracy(Tensor z, Tensor y) const
        requires(L::classifies || requires(const L& l) { l.accuracy(z, y); })
    {
        const Tensor alone = targets_of(z, y);
        if constexpr (requires { loss_within.accuracy(z, alone); }) return loss_within.accuracy(z, alone);
        else return mean(equal(argmax(z), alone));
    }

    constexpr auto ignored() const
        requires requires(const L& l) { l.options.ignore; }
    {
        return loss_within.options.ignore;
    }
    constexpr Tensor targets_of(Tensor z, Tensor y) const { return detail::without_weight(y, compared(z.shape())); }
    /// @endcond

private:
    static constexpr bool takes_weights = requires(L l) { L::reduces_records, l.options.reduction; };

    /// Returns whether the inner loss applies weights of records.
    constexpr bool weighs(const Shape& output) const {
        if (!takes_weights) return false;
        detail::Tape tape;
        detail::Trace trace;
        tape.tracer = &trace;
        const Tensor z{{&tape, tape.leaf(detail::Operation::input, output, 0)}};
        const Tensor y{{&tape, tape.leaf(detail::Operation::input, target(output), 1)}};
        (void)loss(z, y);
        return trace.failed() || detail::is_factor(weights_of(y));
    }
    static constexpr Tensor weights_of(Tensor y) {
        const Shape flat = y.shape();
        return reshape(slice(y, axis(1), flat[1] - 1, flat[1]), Shape{flat[0]});
    }
    /// (batch, 1, …)
    static constexpr Shape first_of(Shape s) {
        for (int i = 1; i < s.rank; ++i) s.extent[i] = 1;
        return s;
    }
};

/// Makes a loss with a weight for each record.
///
/// The last number of a record's targets is its weight; the targets of the loss stand before it in a row.
/// `with_weights` makes such targets. The weight multiplies the record's part of the sum of losses. The divisor is the
/// same as without weights, so weights of 1 change nothing. Accuracy and metrics ignore the weights.
/// @tparam L  type of the loss
/// @param loss_  a loss of the library, or a loss of your own that derives from ElementLoss or RowLoss
/// @return the loss with weights
///
/// @par Errors
/// `error_weighted_records_needs_a_loss_that_reduces_by_its_options` if the loss does not support weights.
/// A compile-time network does not compile; a run-time network throws MistakeError.
/// @par Example
/// @code
/// #include <sigma/layer/weighted_records.hpp>
/// struct Weighed : Network<Input(28, 28) + Dense(10) + weighted_records(SoftmaxCE())> {};
/// const std::vector<float> weights(60000, 1);  // a number for each record
/// const Dataset weighed = with_weights(training, weights);
/// @endcode
///
/// @see with_weights, SoftmaxCE::weighted (weights of classes)
template <class L>
    requires std::is_base_of_v<Loss, L>
constexpr auto weighted_records(L loss_) {
    return WeightedRecords<L>(loss_);
}

}  // namespace sigma
