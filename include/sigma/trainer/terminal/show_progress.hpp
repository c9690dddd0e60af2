// SPDX-License-Identifier: BSL-1.0
#pragma once
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

/// In an epoch, or when it is over.
Progress progress_of(const auto& trainer, bool over) {
    return progress_of_run(over, trainer.epoch(), trainer.epochs_planned(), trainer.batch(),
                           trainer.batches_per_epoch(), trainer.minibatches().dataset.size(),
                           trainer.samples_per_second(), trainer.training_loss());
}
/// On a terminal by the printer, elsewhere by what the trainer prints with.
void show(ProgressPrinter& printer, const Progress& now, bool over, const HookContext& context);
/// "  r2 0.912"
void append_metric(std::string& to, std::string_view name, double x);

}  // namespace detail

/// Shows how far a run is: `update` of a ProgressPrinter after iterations, `end_of_epoch` after epochs. With a value,
/// as the accuracy.
template <AnyValue... Accuracy>
class ShowProgress : public Action<ShowProgress<Accuracy...>> {
    static_assert(sizeof...(Accuracy) <= 1);

public:
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

private:
    detail::ProgressPrinter printer_;
    std::tuple<Accuracy...> accuracy_;
};

/// Scores a data set after each epoch, as `score(data, metrics…)` does, and shows how far a run is and what was found.
template <AnyMetric... Metrics>
class ShowScored : public ScoreData<"", Metrics...> {
    using Scored = ScoreData<"", Metrics...>;

public:
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

private:
    detail::ProgressPrinter printer_;
    double accuracy_ = NAN;  ///< the first one that metrics have found
    std::string latest_;     ///< what they have found where none is an accuracy

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

/// A line of progress, for a person: `add(every(iteration).then(show_progress()), every(epoch).then(score(validation),
/// show_progress(accuracy)))`. On a terminal it rewrites itself after each iteration, up to ten times a second;
/// elsewhere each epoch has its line, which goes to the trainer's `print`.
ShowProgress<> show_progress(std::FILE* file = stdout);
template <AnyValue Accuracy>
ShowProgress<Accuracy> show_progress(Accuracy value, std::FILE* file = stdout) {
    return {file, terminal::is_interactive(file), std::move(value)};
}
/// A whole sentence, `add(show_progress(testing))`: progress after each iteration, and after each epoch what
/// `score(testing)` finds, which other hooks may read: `accuracy`, `validation_error`. With metrics what these compute:
/// `add(show_progress(testing, confusion))`.
template <AnyMetric... Metrics>
auto show_progress(Dataset data, Metrics... metrics) {
    return (every(1, iteration) || every(1, epoch))
        .then(ShowScored<Metrics...>(stdout, terminal::is_interactive(stdout), std::move(data), std::move(metrics)...));
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/terminal/impl/show_progress.ipp>
#endif
