// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/reduction.hpp>
#include <sigma/tape/scan.hpp>

#include <limits>

namespace sigma {

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

    static constexpr auto check(auto self) {
        return MistakeIf<(self().labels_in_record < 1),
                         error_CTC_labels_must_be_positive<labels_given<self().labels_in_record>>>{};
    }
    template <Shape S>
    static constexpr auto check_output() {
        return MistakeIf<(S.rank != 3 || S.last() < 2), error_CTC_needs_scores_over_time_of_at_least_two_classes<
                                                            typename detail::Spelled<S, S.rank>::type>>{};
    }
    static constexpr Shape target(auto self, const Shape& output) { return Shape{output[0], self().labels_in_record}; }
    static constexpr detail::LabelRange labels(auto, const Shape& output) { return {-1, output.last(), {}}; }
    static constexpr detail::TargetRule targets(auto self, const Shape& output) {
        return {detail::TargetRule::Kind::spelling, {}, self().options.skip_impossible ? 0 : output[1]};
    }

    /// Stands for log 0: so small that adding to it and taking its exponential does no harm, and finite, so that no
    /// gradient is 0 times infinity.
    static constexpr double log_zero = -1e30;

    /// One step in time: from log α(t-1), (batch, states), and the log probability of each state's symbol at t, to
    /// log α(t). Equation 6 of the paper; `jump` is 0 where a state may be entered from the one before the previous
    /// (a label that differs from the label before it), `log_zero` elsewhere.
    template <Shape S>
    static constexpr Tensor<S> step(Tensor<S> alpha, Tensor<S> log_probability, Tensor<S> jump) {
        const auto one = delayed<1>(alpha), two = delayed<2>(alpha) + jump;
        const auto greatest = stop_gradient(max(max(alpha, one), two));
        const auto stayed = exp(alpha - greatest);
        const auto moved = exp(one - greatest);
        const auto here = stayed + moved;
        const auto jumped = exp(two - greatest);
        return log(here + jumped) + greatest + log_probability;
    }

    static constexpr auto loss(auto self, auto z, auto y) {
        constexpr Options options = self().options;
        constexpr Shape scores = z.shape;
        constexpr int labels = y.shape.last(), states = 2 * labels + 1, n = scores[0];
        // States are blank, first label, blank, second label, …, blank.
        const auto symbol = interleaved(max(y, 0.0));
        const auto number = iota_beside<states>(z);
        const auto is_label = symbol > 0.0;
        const auto jump = where(is_label, where(equal(symbol, delayed<2>(symbol)), log_zero, 0.0), log_zero);
        const auto length = sum(y > 0.0, axis<-1>, keep);
        const auto log_probabilities = max(log_softmax(z), log_zero);  // of what cannot be, 0 times -inf is NaN
        const auto emitted = dot(log_probabilities, permute<0, 2, 1>(one_hot<scores.last()>(symbol)));

        // Before the first time the path stands in the first state.
        const auto initial = broadcast_to<n, states>(where(number < 1.0, 0.0, log_zero));
        const auto alpha = last(scan(emitted, initial, [&](auto now, auto before) { return step(before, now, jump); }));

        // The last label, or the blank behind it.
        const auto ends = where(less_equal(abs(2.0 * length - 0.5 - number), 0.5), alpha, 2 * log_zero);
        const auto l = -logsumexp(ends);
        const auto impossible = l > -0.5 * log_zero;
        constexpr double instead = options.skip_impossible ? 0 : std::numeric_limits<double>::infinity();
        const auto finite = where(impossible, instead, l);
        if constexpr (detail::plain(options.reduction) == Reduction::over_elements)
            return detail::reduced<options.reduction>(finite / max(reshape<n>(length), 1.0));
        else return detail::reduced<options.reduction>(finite);
    }
    static constexpr auto predict(auto, auto z) { return softmax(z); }

private:
    /// State s holds what state s - k held; the first k hold log 0.
    template <int k, Shape S>
    static constexpr Tensor<S> delayed(Tensor<S> x) {
        const auto kept = slice<1, 0, S.last() - k>(x);
        const auto number = iota_beside<S.last()>(x);
        const auto first = number < static_cast<double>(k);
        return where(first, log_zero, detail::tensor<S>(pad(kept.variable, 1, k, S.last())));
    }
    /// (batch, labels) -> (batch, 2·labels + 1): 0 before, between and behind them.
    template <Shape S>
    static constexpr auto interleaved(Tensor<S> y) {
        const auto column = detail::tensor<Shape{S[0], S[1], 1}>(reshape(y.variable, Shape{S[0], S[1], 1}));
        const auto pairs = detail::tensor<Shape{S[0], S[1], 2}>(pad(column.variable, 2, 1, 2));
        const auto flat = reshape<S[0], 2 * S[1]>(pairs);
        return detail::tensor<Shape{S[0], 2 * S[1] + 1}>(pad(flat.variable, 1, 0, 2 * S[1] + 1));
    }
};

}  // namespace sigma
