// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Loss for sequences of labels without positions: CTC. Included by `<sigma/sigma.hpp>`.
#include <sigma/layer/reduction.hpp>
#include <sigma/tape/scan.hpp>

#include <limits>

namespace sigma {

inline constexpr Given::Label labels_given{"labels"};
inline constexpr Fault error_CTC_labels_must_be_positive{"CTC: labels must be positive"},
    error_CTC_needs_scores_over_time_of_at_least_two_classes{
        "CTC needs scores over time, (batch, time, classes), of at least two classes"};

/// Options of `CTC`.
///
/// @see CTC
struct CTCOptions {
    /// Turns the losses of the records into one number. `over_elements` divides a record's loss by its number of
    /// labels.
    Reduction reduction = Reduction::over_batch;
    bool skip_impossible = false;  ///< Counts records that no path spells as 0 if true; else their loss is infinite.
};
SIGMA_OPTIONS(CTC, options_are<struct reduction, struct skip_impossible>)

/// Connectionist temporal classification (Graves et al. 2006): a loss for labels with unknown positions in time.
///
/// It is -log of the probability that the scores spell the labels, summed over all paths. A path names a class at each
/// time. It spells the labels that remain when repetitions of a class become one, and then blanks (class 0) are
/// removed. By default the loss is the mean over the batch. Predictions are softmax(z) at each time.
///
/// @par Shape
/// Outputs z (batch, time, classes). Targets y (batch, labels): classes from 1, with 0 or -1 after the end of shorter
/// sequences.
///
/// @par Errors
/// `error_CTC_labels_must_be_positive`, `error_CTC_needs_scores_over_time_of_at_least_two_classes`.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Speech : Network<Input(50, 8) + LSTM(32) + Linear(11) + CTC(6)> {};
/// @endcode
///
/// @see ctc_greedy, ctc_beam, docs/losses.md
struct CTC : Loss {
    using Options = CTCOptions;  ///< Type of the options.
    int labels_in_record;        ///< Longest sequence of labels: extent of the targets.
    Options options;             ///< Reduction, and treatment of impossible records.

    /// Constructs the loss.
    /// @param labels  longest sequence of labels of a record, at least 1: the last extent of the targets
    /// @param options_  reduction, and treatment of impossible records
    constexpr explicit CTC(int labels, Options options_ = {}) : labels_in_record(labels), options(options_) {}

    /// @cond internal
    SIGMA_NO_OTHER(CTC, int);

    static constexpr Text kind = "ctc";
    static constexpr bool classifies = false;
    static constexpr bool reduces_records = true;

    constexpr void check_output(Tensor z) const {
        const Shape s = z.shape();
        if (labels_in_record < 1) z.refused(error_CTC_labels_must_be_positive, {labels_given, labels_in_record});
        else if (s.rank != 3 || s.last() < 2)
            z.refused(error_CTC_needs_scores_over_time_of_at_least_two_classes, {output_is, s});
    }
    constexpr Shape target(const Shape& output) const { return Shape{output[0], labels_in_record}; }
    constexpr detail::LabelRange labels(const Shape& output) const { return {-1, output.last(), {}}; }
    constexpr detail::TargetRule targets(const Shape& output) const {
        return {detail::TargetRule::Kind::spelling, {}, options.skip_impossible ? 0 : output[1]};
    }

    /// Stand-in for log 0: small enough that adding to it and its exponential do no harm, and finite, so that no
    /// gradient is 0 times infinity.
    static constexpr double log_zero = -1e30;

    /// Returns log α(t) from log α(t-1), (batch, states), and the log probability of each state's symbol at t: equation
    /// 6 of the paper. `jump` is 0 if a state may be entered from the one before the previous (a label that differs
    /// from the label before it), else `log_zero`.
    static constexpr Tensor step(Tensor alpha, Tensor log_probability, Tensor jump) {
        const Tensor one = delayed(alpha, 1), two = delayed(alpha, 2) + jump;
        const Tensor greatest = stop_gradient(max(max(alpha, one), two));
        const Tensor stayed = exp(alpha - greatest);
        const Tensor moved = exp(one - greatest);
        const Tensor here = stayed + moved;
        const Tensor jumped = exp(two - greatest);
        return log(here + jumped) + greatest + log_probability;
    }

    constexpr Tensor loss(detail::TensorOf auto z, Tensor y) const {
        const Shape scores = z.shape();
        const int states = 2 * y.shape().last() + 1, n = scores[0];
        // States are blank, first label, blank, second label, …, blank.
        const Tensor symbol = interleaved(max(y, 0.0));
        const Tensor number = iota_beside(z, states);
        const Tensor is_label = symbol > 0.0;
        const Tensor jump = where(is_label, where(equal(symbol, delayed(symbol, 2)), log_zero, 0.0), log_zero);
        const Tensor length = sum(y > 0.0, axis(-1), keep);
        const Tensor log_probabilities = max(log_softmax(z), log_zero);  // 0 times -inf of an impossible class is NaN
        const Tensor emitted = dot(log_probabilities, permute(one_hot(symbol, scores.last()), {0, 2, 1}));

        // Before the first time the path is in the first state.
        const Tensor initial = broadcast_to(where(number < 1.0, 0.0, log_zero), {n, states});
        const Tensor alpha =
            last(scan(emitted, initial, [&](Tensor now, Tensor before) { return step(before, now, jump); }));

        // Paths end in the last label or in the blank after it.
        const Tensor ends = where(less_equal(abs(2.0 * length - 0.5 - number), 0.5), alpha, 2 * log_zero);
        const Tensor l = -logsumexp(ends);
        const Tensor impossible = l > -0.5 * log_zero;
        const double instead = options.skip_impossible ? 0 : std::numeric_limits<double>::infinity();
        const Tensor finite = where(impossible, instead, l);
        if (detail::plain(options.reduction) != Reduction::over_elements)
            return detail::reduced(options.reduction, finite);
        return detail::reduced(options.reduction, finite / max(reshape(length, Shape{n}), 1.0));
    }
    constexpr Tensor predict(Tensor z) const { return softmax(z); }
    /// @endcond

private:
    /// Returns x with the states moved by k: state s holds what state s - k held, and the first k hold log 0.
    static constexpr Tensor delayed(Tensor x, int k) {
        const int states = x.shape().last();
        const Tensor kept = slice(x, axis(1), 0, states - k);
        const Tensor number = iota_beside(x, states);
        const Tensor first = number < static_cast<double>(k);
        return where(first, log_zero, pad(kept, axis(1), k, 0));
    }
    /// Returns the labels with 0 before, between and after them: (batch, labels) -> (batch, 2·labels + 1).
    static constexpr Tensor interleaved(Tensor y) {
        const Tensor pairs = pad(detail::as_column(y), axis(2), 1, 0);
        return pad(reshape(pairs, {y.shape()[0], 2 * y.shape()[1]}), axis(1), 0, 1);
    }
};

}  // namespace sigma
