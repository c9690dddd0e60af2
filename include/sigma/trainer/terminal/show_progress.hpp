// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/action.hpp>
#include <sigma/hook/latest.hpp>
#include <sigma/hook/values.hpp>
#include <sigma/trainer/terminal/progress.hpp>

#include <cmath>
#include <cstdio>
#include <limits>
#include <tuple>
#include <utility>

namespace sigma {

/// Shows how far a run is: `update` of a ProgressPrinter after iterations, `end_of_epoch` after epochs. With a value,
/// as the accuracy.
template <AnyValue... Accuracy>
class ShowProgress : public Action<ShowProgress<Accuracy...>> {
    static_assert(sizeof...(Accuracy) <= 1);

public:
    using Reads = Types<Accuracy...>;
    static constexpr bool in_background = false;

    ShowProgress(std::FILE* file, bool interactive, Accuracy... accuracies)
        : printer_(file, interactive), interactive_(interactive), accuracy_(std::move(accuracies)...) {}

    void visit_values(auto f) {
        std::apply([&](auto&... v) { (f(v), ...); }, accuracy_);
    }
    void run(auto& context) {
        auto& trainer = context.trainer();
        const bool over = context.moment() != Moment::iteration;
        if (!over && !interactive_) return;
        progress_.epoch = trainer.epoch() + (over ? 0 : 1);
        progress_.batch = over ? trainer.batches_per_epoch() : trainer.batch() + 1;
        progress_.batches = trainer.batches_per_epoch();
        progress_.error = trainer.training_loss();
        if constexpr (sizeof...(Accuracy) > 0) progress_.accuracy = context.get(std::get<0>(accuracy_));
        progress_.samples_per_second = trainer.samples_per_second();

        const std::uint64_t planned = trainer.epochs_planned(), records = trainer.minibatches().dataset.size();
        const bool endless =
            planned >= std::numeric_limits<std::uint64_t>::max() / 4;  // run(cpu()), until somebody stops it
        progress_.epochs = endless ? 0 : planned;
        // In numbers of records; of the last batch a few may lack.
        const double left = static_cast<double>((planned - progress_.epoch) * records) +
                            (1 - progress_.share_of_epoch()) * static_cast<double>(records);
        progress_.seconds_left = endless ? NAN : left / progress_.samples_per_second;

        if (!over) printer_.update(progress_);
        else if (interactive_) printer_.end_of_epoch(progress_);
        else context.print(terminal::progress_line(progress_));
    }
    static std::string text() { return "show_progress"; }

private:
    ProgressPrinter printer_;
    bool interactive_;
    Progress progress_;
    std::tuple<Accuracy...> accuracy_;
};

/// A line of progress, for a person: `add(every(1, iteration).then(show_progress()), every(1,
/// epoch).then(score(validation), show_progress(accuracy)))`. On a terminal it rewrites itself after each iteration, up
/// to ten times a second; elsewhere each epoch has its line, which goes to the trainer's `print`.
ShowProgress<> show_progress(std::FILE* file = stdout);
template <AnyValue Accuracy>
ShowProgress<Accuracy> show_progress(Accuracy value, std::FILE* file = stdout) {
    return {file, terminal::is_interactive(file), std::move(value)};
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/terminal/impl/show_progress.ipp>
#endif
