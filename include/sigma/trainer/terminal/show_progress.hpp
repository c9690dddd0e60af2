// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/action.hpp>
#include <sigma/hook/values.hpp>
#include <sigma/trainer/terminal/progress.hpp>

#include <limits>
#include <type_traits>

namespace sigma {

/// Shows how far a run is: `update` of a ProgressPrinter after iterations, `end_of_epoch` after epochs.
template <class Accuracy>
class ShowProgress : public Action<ShowProgress<Accuracy>> {
    static constexpr bool reads = !std::is_void_v<Accuracy>;

public:
    using Reads = std::conditional_t<reads, Types<Accuracy>, Types<>>;
    static constexpr bool in_background = false;

    ShowProgress(std::FILE* file, bool interactive) : printer_(file, interactive), interactive_(interactive) {}

    void run(auto& context) {
        auto& trainer = context.trainer();
        const bool over = context.moment() != Moment::iteration;
        if (!over && !interactive_) return;
        progress_.epoch = trainer.epoch() + (over ? 0 : 1);
        progress_.batch = over ? trainer.batches_per_epoch() : trainer.batch() + 1;
        progress_.batches = trainer.batches_per_epoch();
        progress_.error = trainer.error();
        if constexpr (reads) progress_.accuracy = context.get(Accuracy{});
        else progress_.accuracy = context.find(Computed<"accuracy">{});
        progress_.samples_per_second = trainer.samples_per_second();

        const std::uint64_t planned = trainer.epochs_planned(), records = trainer.minibatches().dataset.size();
        const bool endless = planned >= std::numeric_limits<std::uint64_t>::max() / 4;  // run(cpu()), until somebody stops it
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
};

/// A line of progress, for a person: `add(every(1, iteration).then(show_progress()), every(1, epoch).then(score(validation),
/// show_progress(accuracy)))`. On a terminal after each iteration it rewrites itself, up to ten times a second; elsewhere
/// each epoch has its line, which goes to the trainer's `print`. Without a value it shows the accuracy that `score`
/// computed last, if there is one.
inline ShowProgress<void> show_progress(std::FILE* file = stdout) {
    return {file, terminal::is_interactive(file)};
}
template <AnyValue Accuracy>
ShowProgress<Accuracy> show_progress(Accuracy, std::FILE* file = stdout) {
    return {file, terminal::is_interactive(file)};
}

}  // namespace sigma
