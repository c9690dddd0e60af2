// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/core/words.hpp>
#include <sigma/hook/early_stop.hpp>
#include <sigma/hook/parameter_actions.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/trainer/run.hpp>
#include <sigma/trainer/trainer.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace sigma {

/// fit("iris", net, data), fit(net, minibatches(data, 32)): it makes the minibatches, and a trainer called "fit"
struct write_the_network_first;
template <class Write>
struct error_fit_takes_no_name;
struct write_a_Dataset_and_batch_size_among_the_options;
template <class Write>
struct error_fit_takes_data;
/// fit(data, net), fit(net, Adam{}, data)
struct write_network_data_optimizer_options;
template <class Write>
struct error_fit_takes_its_arguments_in_another_order;
/// fit(net, data, 50)
struct write_epochs_in_braces;
template <class Write>
struct error_fit_takes_the_number_of_epochs_as_an_option;

/// How `fit` trains: what a run is told (RunOptions), what the trainer is made of, and the recipe.
struct FitOptions {
    std::int64_t epochs = 100;      ///< at most
    std::int64_t batch_size = 32;   ///< records in a step; all of them where there are fewer
    double validation_share = 0.1;  ///< of the records, on which the network is not trained but scored; 0 for none
    std::optional<Dataset> validation{};  ///< instead of such a share
    std::int64_t patience = 10;  ///< epochs in a row without a better loss after which it ends; 0: it never does
    std::int64_t plateau = 4;    ///< the same, after which the learning rate is halved
    bool quiet = false;          ///< otherwise it prints a line an epoch, and on a terminal shows how far it is
    std::string checkpoint{};    ///< a file that holds the best state so far; none where empty
    Device device = cpu();
    std::uint64_t seed = 0;  ///< of parameters, dropout, the order of records and the split
    /// Ctrl-C (SIGINT) ends it after the step, with the best parameters so far; a second one kills the process.
    bool stop_on_interrupt = false;
};

namespace detail {

void check_fit_options(const FitOptions& o);

struct FitData {
    Dataset training;
    std::optional<Dataset> validation;
};
/// The target that has the classes of records: of the first loss that knows right from wrong and whose targets are one
/// whole number a record. Throws DataError where data have not the targets of the network.
[[gnu::cold]] std::optional<std::size_t> classes_in(const NetworkTable& network, const Dataset& data);
/// What is trained on and what is scored on; each with the same share of each class where there are classes.
[[gnu::cold]] FitData fit_data(const Dataset& data, const FitOptions& o, const NetworkTable& network);

/// "epoch  3/20   training loss 0.1234   validation loss 0.1312   accuracy 95.67 %   0.42 s   best"
[[gnu::cold]] std::string fit_line(const EpochResult& e, std::uint64_t epochs);

/// What a fit looks at after each epoch: the loss of the validation data, or of training where there are none.
struct WatchedLoss : LiveValue<WatchedLoss> {
    static constexpr Text name = "watched_loss";
    static constexpr Moment moment = Moment::epoch;
    static double read(const auto& trainer) { return trainer.history().epochs.back().watched_loss(); }
};

}  // namespace detail

/// A network that `fit` has trained, with the parameters of its best epoch. Predicts and evaluates as a trainer does.
template <AnyNetwork N, AnyOptimizer O>
class SIGMA_BY_INSTRUCTIONS Fitted : public detail::Inference<Fitted<N, O>, N, float> {
public:
    /// Each epoch, and the best of them.
    const History& history() const& { return history_; }
    History history() && { return std::move(history_); }
    const EpochResult& best() const& { return history_.best(); }
    EpochResult best() && { return history_.best(); }
    /// Did it end before all epochs were over?
    bool stopped_early() const { return stopped_early_; }
    /// What the network was scored on after each epoch; none where there were no validation data.
    const std::optional<Dataset>& validation() const& { return validation_; }
    std::optional<Dataset> validation() && { return std::move(validation_); }
    /// Throws ArgumentError where data did not go through what the training data went through; of arrays only the user
    /// knows.
    void require_like_training(const Dataset& data) const { trainer_->require_like_training(data); }

    Model<N>& model() & { return trainer_->model(); }
    const Model<N>& model() const& { return trainer_->model(); }
    Model<N> model() && { return trainer_->model(); }
    /// For whatever else; a further run goes on from the best epoch's parameters.
    Trainer<N, O>& trainer() & { return *trainer_; }

    /// Trains; what users call is `fit`.
    Fitted(const N& network, const Dataset& data, O optimizer, const FitOptions& o, bool of_arrays = false) {
        detail::check_fit_options(o);
        auto parts = detail::fit_data(data, o, detail::table_of(network));
        validation_ = std::move(parts.validation);
        const auto wanted = static_cast<std::size_t>(o.batch_size);
        const std::size_t size = wanted < parts.training.size() ? wanted : parts.training.size();
        trainer_ = detail::make_owned<Trainer<N, O>>(
            "fit", network, optimizer, minibatches(std::move(parts.training), size, o.seed), element<float>, o.seed);
        trainer_->compare_data(!of_arrays);
        trainer_->show_runs(!o.quiet);
        const auto never = std::numeric_limits<std::int64_t>::max();
        // Takes the loss's type, so that only who calls `fit` instantiates the sentences.
        const auto add_sentences = [&](auto watched) {
            const auto end = early_stop(watched, {.patience = o.patience ? o.patience : never, .restore_best = false});
            if constexpr (detail::HasLearningRate<O>)
                trainer_->add(end, reduce_on_plateau(watched, {.patience = o.plateau ? o.plateau : never}));
            else trainer_->add(end);
        };
        add_sentences(detail::WatchedLoss{});
        const auto best = ParameterSlot().copy;
        const auto fitting = detail::SharedOwner<bool>::make(true);  // further runs have bests of their own
        trainer_->on_epoch([best, fitting, quiet = o.quiet, file = o.checkpoint](Trainer<N, O>& trainer) {
            const EpochResult& now = trainer.history().epochs.back();
            if (now.best && *fitting) {
                best->take(trainer.model());
                if (!file.empty()) trainer.save(file);
            }
            if (!quiet) trainer.print(detail::fit_line(now, trainer.epochs_planned()));
        });
        history_ = trainer_->run({.epochs = o.epochs,
                                  .validation = validation_,
                                  .device = o.device,
                                  .stop_on_interrupt = o.stop_on_interrupt});
        stopped_early_ = trainer_->epoch() < static_cast<std::uint64_t>(o.epochs);
        if (!history_.epochs.empty()) best->put(model());  // interrupted in the first
        *fitting = false;
    }

private:
    std::optional<Dataset> validation_;
    detail::Owned<Trainer<N, O>> trainer_;
    History history_;
    bool stopped_early_ = false;
};

/// Trains a network with what has proved good: a tenth of the records, with each class in its proportion where a loss
/// knows right from wrong and its targets are one whole number a record, is kept for validation; Adam; a learning rate
/// that is halved on plateaus; an end when the validation loss does not get smaller any more; the best parameters at
/// the end.
///
///     auto iris = fit(Iris{}, data::iris(), {.epochs = 50});
///     const auto p = iris.predict(flowers);
///
/// Throws ArgumentError where an option makes no sense or validation data went through other preprocessing, and what
/// Trainer throws.
template <AnyNetwork N>
Fitted<N, Adam> fit(const N& network, const Dataset& data, const FitOptions& options = {}) {
    return {network, data, Adam{}, options};
}
template <AnyNetwork N>
error_fit_takes_data<write_a_Dataset_and_batch_size_among_the_options> fit(const N&, const Minibatches&,
                                                                           const FitOptions& = {});
template <AnyNetwork N>
error_fit_takes_no_name<write_the_network_first> fit(std::string_view, const N&, const Dataset&,
                                                     const FitOptions& = {});
template <std::derived_from<Dataset> D, AnyNetwork N, class... More>
error_fit_takes_its_arguments_in_another_order<write_network_data_optimizer_options> fit(const D&, const N&,
                                                                                         const More&...);
template <AnyNetwork N, AnyOptimizer O, class... More>
error_fit_takes_its_arguments_in_another_order<write_network_data_optimizer_options> fit(const N&, O, const Dataset&,
                                                                                         const More&...);
template <AnyNetwork N, class... More>
error_fit_takes_the_number_of_epochs_as_an_option<write_epochs_in_braces> fit(const N&, const Dataset&,
                                                                              std::integral auto, const More&...);
/// With another optimizer: fit(Iris{}, data, Adam{.learning_rate = 0.01}).
template <AnyNetwork N, AnyOptimizer O>
Fitted<N, O> fit(const N& network, const Dataset& data, O optimizer, const FitOptions& options = {}) {
    return {network, data, optimizer, options};
}
/// On arrays: what is given (records, …), and targets (records, …) or class numbers (records), these also in a vector.
template <AnyNetwork N, AnyArray X, AnyTargets Y>
Fitted<N, Adam> fit(const N& network, const X& given, const Y& targets, const FitOptions& options = {}) {
    return {network, make_dataset(given, targets), Adam{}, options, true};
}
template <AnyNetwork N, AnyArray X, AnyTargets Y, AnyOptimizer O>
Fitted<N, O> fit(const N& network, const X& given, const Y& targets, O optimizer, const FitOptions& options = {}) {
    return {network, make_dataset(given, targets), optimizer, options, true};
}

/// How `cross_validate` cuts and trains.
struct CrossValidationOptions {
    std::int64_t folds = 5;
    /// How each fold is trained, by `fit`. Its seed also mixes the records before they are cut; it prints a line a
    /// fold, unless it is quiet. A validation data set and a checkpoint file are refused: each fold would have the
    /// same.
    FitOptions fit{};
};

// cross_validate itself is in another header.
struct include_sigma_trainer_cross_validate_hpp;
template <class N, class... X>
    requires detail::NotIncluded<N, include_sigma_trainer_cross_validate_hpp>
error_word_is_not_included<include_sigma_trainer_cross_validate_hpp> cross_validate(const N&, const X&...);
template <class N, class D, class O>
    requires detail::NotIncluded<N, include_sigma_trainer_cross_validate_hpp>
error_word_is_not_included<include_sigma_trainer_cross_validate_hpp> cross_validate(const N&, const D&, O,
                                                                                    const CrossValidationOptions&);
template <class N, class D, class O, class X>
    requires detail::NotIncluded<N, include_sigma_trainer_cross_validate_hpp>
error_word_is_not_included<include_sigma_trainer_cross_validate_hpp> cross_validate(const N&, const D&, O, const X&,
                                                                                    const CrossValidationOptions&);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/fit.ipp>
#endif
