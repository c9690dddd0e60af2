// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/reduction.hpp>
#include <sigma/tape/scan.hpp>

#include <limits>

namespace sigma {

inline constexpr Given::Label labels_given{"labels"};
inline constexpr Fault error_CTC_labels_must_be_positive{"CTC: a record has at least one label"},
    error_CTC_needs_scores_over_time_of_at_least_two_classes{
        "CTC needs scores over time, (batch, time, classes), of at least two classes"};

struct CTCOptions {
    Reduction reduction = Reduction::over_batch;  ///< over_elements divides each record's loss by its number of labels
    bool skip_impossible = false;                 ///< records that no path spells count 0, not infinity
};
SIGMA_OPTIONS(CTC, options_are<struct reduction, struct skip_impossible>)

/// Loss for sequences of labels whose places in time are unknown, connectionist temporal classification (Graves et al.
/// 2006): -log of the probability that the scores z, (batch, time, classes), spell the labels y, (batch, labels),
/// summed over all paths. A path names a class at each time; it spells what remains when runs of one class become one
/// and then blanks, class 0, vanish. Labels are classes from 1; shorter sequences are filled with 0 or -1 at their end.
/// The recursion runs over the logarithms of the forward variables. By default the mean over the batch. Predictions are
/// the softmax of the scores.
struct CTC : Loss {
    using Options = CTCOptions;
    int labels_in_record;
    Options options;

    constexpr explicit CTC(int labels, Options o = {}) : labels_in_record(labels), options(o) {}
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

    /// Stands for log 0: so small that adding to it and taking its exponential does no harm, and finite, so that no
    /// gradient is 0 times infinity.
    static constexpr double log_zero = -1e30;

    /// One step in time: from log α(t-1), (batch, states), and the log probability of each state's symbol at t, to
    /// log α(t). Equation 6 of the paper; `jump` is 0 where a state may be entered from the one before the previous
    /// (a label that differs from the label before it), `log_zero` elsewhere.
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
        const Tensor log_probabilities = max(log_softmax(z), log_zero);  // of what cannot be, 0 times -inf is NaN
        const Tensor emitted = dot(log_probabilities, permute(one_hot(symbol, scores.last()), {0, 2, 1}));

        // Before the first time the path stands in the first state.
        const Tensor initial = broadcast_to(where(number < 1.0, 0.0, log_zero), {n, states});
        const Tensor alpha =
            last(scan(emitted, initial, [&](Tensor now, Tensor before) { return step(before, now, jump); }));

        // The last label, or the blank behind it.
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

private:
    /// State s holds what state s - k held; the first k hold log 0.
    static constexpr Tensor delayed(Tensor x, int k) {
        const int states = x.shape().last();
        const Tensor kept = slice(x, axis(1), 0, states - k);
        const Tensor number = iota_beside(x, states);
        const Tensor first = number < static_cast<double>(k);
        return where(first, log_zero, pad(kept, axis(1), k, 0));
    }
    /// (batch, labels) -> (batch, 2·labels + 1): 0 before, between and behind them.
    static constexpr Tensor interleaved(Tensor y) {
        const Tensor pairs = pad(detail::as_column(y), axis(2), 1, 0);
        return pad(reshape(pairs, {y.shape()[0], 2 * y.shape()[1]}), axis(1), 0, 1);
    }
};

}  // namespace sigma
