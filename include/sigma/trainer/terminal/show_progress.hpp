// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// The hook show_progress. Include it yourself: `<sigma/trainer/terminal/show_progress.hpp>`, or
/// `<sigma/trainer/terminal.hpp>`.
#include <sigma/core/words.hpp>
#include <sigma/hook/action.hpp>
#include <sigma/hook/criterion.hpp>
#include <sigma/hook/over_time.hpp>
#include <sigma/hook/score.hpp>
#include <sigma/hook/time_step.hpp>
#include <sigma/hook/words.hpp>
#include <sigma/trainer/terminal/progress.hpp>

#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

SIGMA_INCLUDED(sigma, include_sigma_trainer_terminal_show_progress_hpp);

namespace sigma {

namespace detail {

/// Returns the progress of a trainer within an epoch, or after it if `over`.
Progress progress_of(const auto& trainer, bool over) {
    return progress_of_run(over, trainer.epoch(), trainer.epochs_planned(), trainer.batch(),
                           trainer.batches_per_epoch(), trainer.minibatches().dataset.size(),
                           trainer.samples_per_second(), trainer.training_loss());
}
/// Shows progress by the printer on a terminal, elsewhere by the trainer's `print`.
void show(ProgressPrinter& printer, const Progress& now, bool over, const HookContext& context);
/// Appends a metric, as in "  r2 0.912".
void append_metric(std::string& to, std::string_view name, double value);

}  // namespace detail

/// The action of `show_progress()`, with the value of an accuracy or none.
///
/// @see show_progress
template <AnyValue... Accuracy>
class ShowProgress : public Action<ShowProgress<Accuracy...>> {
    static_assert(sizeof...(Accuracy) <= 1);

public:
    /// @cond internal
    using Reads = Types<Accuracy...>;
    static constexpr bool in_background = false;

    ShowProgress(std::FILE* file, bool interactive, Accuracy... accuracies)
        : printer_(file, interactive), accuracy_(std::move(accuracies)...) {}

    void visit_values(auto f) {
        std::apply([&](auto&... v) { (f(v), ...); }, accuracy_);
    }
    void run(auto& context) {
        const bool over = context.moment() != Moment::iteration;
        if (!over && !printer_.interactive()) return;
        detail::Progress now = detail::progress_of(context.trainer(), over);
        if constexpr (sizeof...(Accuracy) > 0) now.accuracy = context.get(std::get<0>(accuracy_));
        detail::show(printer_, now, over, context);
    }
    static std::string text() { return "show_progress"; }
    /// @endcond

private:
    detail::ProgressPrinter printer_;
    std::tuple<Accuracy...> accuracy_;
};

/// The action of `show_progress(data, metrics…)`, which scores a data set after each epoch.
///
/// @see show_progress
template <AnyMetric... Metrics>
class ShowScored : public ScoreData<"", Metrics...> {
    using Scored = ScoreData<"", Metrics...>;

public:
    /// @cond internal
    static constexpr bool in_background = false;

    ShowScored(std::FILE* file, bool interactive, Dataset data, Metrics... metrics)
        : Scored(std::move(data), std::move(metrics)...), printer_(file, interactive) {}

    void run(auto& context) {
        const bool over = context.moment() == Moment::epoch;
        if (over) Scored::run(context);
        else if (!printer_.interactive()) return;
        detail::Progress now = detail::progress_of(context.trainer(), over);
        if constexpr (sizeof...(Metrics) == 0) {
            now.accuracy = context.get(typename Scored::AccuracyValue{});
            now.validation_loss = context.get(typename Scored::ErrorValue{});
        } else {
            if (over) keep_each(context, typename Scored::Writes{});
            now.accuracy = accuracy_;
            now.more = latest_;
        }
        detail::show(printer_, now, over, context);
    }
    std::string text() const { return sentence("show_progress of ", Scored::text()); }
    /// @endcond

private:
    detail::ProgressPrinter printer_;
    double accuracy_ = NAN;  ///< the first accuracy among the metrics
    std::string latest_;     ///< all metrics as text, if none is an accuracy

    template <class... V>
    void keep_each(auto& context, Types<V...>) {
        latest_.clear();
        accuracy_ = NAN;
        constexpr bool any = (detail::contains(V::name, "accuracy") || ...);
        const auto take = [&]<class W>(W value_of_metric) {
            const double x = context.get(value_of_metric);
            if constexpr (!any) detail::append_metric(latest_, W::name.view(), x);
            else if (detail::contains(W::name, "accuracy") && accuracy_ != accuracy_) accuracy_ = x;
        };
        (take(V{}), ...);
    }
};

/// Returns an action that shows a line of progress.
///
/// On a terminal the line is rewritten after each iteration, up to ten times a second. Elsewhere one line an epoch goes
/// to the trainer's `print`.
///
/// @param file  the terminal, `stdout` (default) or `stderr`
///
/// @par Example
/// @code{.txt}
/// trainer.add(every(1, iteration).then(show_progress()),
///             every(1, epoch).then(score(testing), show_progress(accuracy)));
/// @endcode
ShowProgress<> show_progress(std::FILE* file = stdout);
/// Returns an action that shows a line of progress with an accuracy.
/// @param value  the accuracy, such as `accuracy` or `value<"name">`
/// @param file   the terminal, `stdout` (default) or `stderr`
template <AnyValue Accuracy>
ShowProgress<Accuracy> show_progress(Accuracy value, std::FILE* file = stdout) {
    return {file, terminal::is_interactive(file), std::move(value)};
}
/// Returns a complete hook that shows progress after each iteration and scores a data set after each epoch.
///
/// Other hooks may read the values of the score: `accuracy` and `validation_error`, or those of the metrics.
///
/// @param data     records to score
/// @param metrics  metrics to compute instead of the accuracy, such as a Confusion; default: none
///
/// @par Example
/// @code{.txt}
/// #include <sigma/trainer/terminal.hpp>
/// …
/// trainer.add(show_progress(testing));
/// @endcode
template <AnyMetric... Metrics>
auto show_progress(Dataset data, Metrics... metrics) {
    return (every(1, iteration) || every(1, epoch))
        .then(ShowScored<Metrics...>(stdout, terminal::is_interactive(stdout), std::move(data), std::move(metrics)...));
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/terminal/impl/show_progress.ipp>
#endif
