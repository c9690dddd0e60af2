// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// The function fit, which trains a network with sensible defaults. Included by `<sigma/sigma.hpp>`.
#include <sigma/core/owners.hpp>
#include <sigma/core/words.hpp>
#include <sigma/hook/early_stop.hpp>
#include <sigma/hook/parameter_actions.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/trainer/run/run.hpp>
#include <sigma/trainer/trainer.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace sigma {

/// @cond internal
// fit("iris", net, data) and fit(net, minibatches(data, 32)): `fit` makes the minibatches and names the trainer.
struct use_the_network_first;
template <class Write>
struct error_fit_takes_no_name;
struct use_a_Dataset_and_batch_size_among_the_options;
template <class Write>
struct error_fit_takes_data;
// fit(data, net) and fit(net, Adam{}, data).
struct use_network_data_optimizer_options;
template <class Write>
struct error_fit_takes_its_arguments_in_another_order;
// fit(net, data, 50).
struct use_epochs_in_braces;
template <class Write>
struct error_fit_takes_the_number_of_epochs_as_an_option;
/// @endcond

/// Options of `fit`.
///
/// @par Example
/// @code
/// fit(Digits{}, training, {.epochs = 20, .validation = testing, .quiet = true});
/// @endcode
struct FitOptions {
    std::int64_t epochs = 100;     ///< Greatest number of epochs, at least 1.
    std::int64_t batch_size = 32;  ///< Records in a step, at least 1. All records if there are fewer.
    /// Share of the records that is kept for validation, from 0 to below 1. 0: none.
    double validation_share = 0.1;
    std::optional<Dataset> validation{};  ///< Validation data instead of a share of the records.
    /// Epochs in a row without a better loss before training ends, at least 0. 0: never.
    std::int64_t patience = 10;
    /// Epochs in a row without a better loss before the rate is halved, at least 0. 0: never.
    std::int64_t plateau = 4;
    bool quiet = false;        ///< Prints nothing. Default: a line for each epoch, and progress on a terminal.
    std::string checkpoint{};  ///< File for a checkpoint of the best state so far. Empty: none.
    Device device = cpu();     ///< Device of the run. Default: all cores of the CPU.
    std::uint64_t seed = 0;    ///< Seed of parameters, dropout, the order of records and the split.
    /// Ends training after the current step on Ctrl-C (SIGINT), with the best parameters so far. A second Ctrl-C kills
    /// the process.
    bool stop_on_interrupt = false;
};

namespace detail {

/// Throws ArgumentError if an option is out of range.
void check_fit_options(const FitOptions& options);

/// The records to train on, and those to score.
struct FitData {
    Dataset training;
    std::optional<Dataset> validation;
};
/// Returns the target that holds the classes of records: that of the first loss that defines accuracy and has one whole
/// number a record as its target. Throws DataError if the data do not have the targets of the network.
[[gnu::cold]] std::optional<std::size_t> classes_in(const NetworkTable& network, const Dataset& data);
/// Splits data into records to train on and records to score, each with the same share of each class if there are
/// classes.
[[gnu::cold]] FitData fit_data(const Dataset& data, const FitOptions& options, const NetworkTable& network);

/// Returns the line of an epoch: "epoch  3/20   training loss 0.1234   validation loss 0.1312   accuracy 95.67 %   0.42
/// s   best"
[[gnu::cold]] std::string fit_line(const EpochResult& result, std::uint64_t epochs);

/// The value that `fit` watches: the validation loss, or the training loss if there are no validation data.
struct WatchedLoss : LiveValue<WatchedLoss> {
    static constexpr Text name = "watched_loss";
    static constexpr Moment moment = Moment::epoch;
    static double read(const auto& trainer) { return trainer.history().epochs.back().watched_loss(); }
};

}  // namespace detail

/// A network that `fit` has trained, with the parameters of its best epoch. Predicts and evaluates as a trainer does.
///
/// @tparam N  the network
/// @tparam O  the optimizer
///
/// @see fit
template <AnyNetwork N, AnyOptimizer O>
class SIGMA_BY_INSTRUCTIONS Fitted : public detail::Inference<Fitted<N, O>, N, float> {
public:
    /// Returns the results of each epoch.
    const History& history() const& { return history_; }
    /// @copydoc history
    History history() && { return std::move(history_); }
    /// Returns the results of the best epoch. The model has the parameters of this epoch.
    /// @throws StateError  if no epoch was finished
    const EpochResult& best() const& { return history_.best(); }
    /// @copydoc best
    EpochResult best() && { return history_.best(); }
    /// Returns whether training ended before the greatest number of epochs.
    bool stopped_early() const { return stopped_early_; }
    /// Returns the data that were scored after each epoch, or nothing if there were none.
    const std::optional<Dataset>& validation() const& { return validation_; }
    /// @copydoc validation
    std::optional<Dataset> validation() && { return std::move(validation_); }
    /// Checks that data have the preprocessing and the classes of the training data. Checks nothing if `fit` was called
    /// with arrays.
    /// @param data  data to compare with the training data
    /// @throws ArgumentError  if the data have other preprocessing or other classes
    void require_like_training(const Dataset& data) const { trainer_->require_like_training(data); }

    /// Returns the model with the parameters of the best epoch.
    Model<N>& model() & { return trainer_->model(); }
    /// @copydoc model
    const Model<N>& model() const& { return trainer_->model(); }
    /// @copydoc model
    Model<N> model() && { return trainer_->model(); }
    /// Returns the trainer, for everything else. A further run continues from the parameters of the best epoch.
    Trainer<N, O>& trainer() & { return *trainer_; }

    /// Trains a network. Call `fit` instead.
    /// @param network    the network
    /// @param data       records to train on
    /// @param optimizer  the optimizer with its hyperparameters
    /// @param options    options of `fit`
    /// @param of_arrays  whether the data come from arrays, so that their preprocessing is unknown
    /// @throws ArgumentError  if an option is out of range
    /// @throws Error          as `fit` does
    Fitted(const N& network, const Dataset& data, O optimizer, const FitOptions& options, bool of_arrays = false) {
        detail::check_fit_options(options);
        auto parts = detail::fit_data(data, options, detail::table_of(network));
        validation_ = std::move(parts.validation);
        const auto wanted = static_cast<std::size_t>(options.batch_size);
        const std::size_t size = wanted < parts.training.size() ? wanted : parts.training.size();
        trainer_ = detail::make_owned<Trainer<N, O>>("fit", network, optimizer,
                                                     minibatches(std::move(parts.training), size, options.seed),
                                                     element<float>, options.seed);
        trainer_->compare_data(!of_arrays);
        trainer_->show_runs(!options.quiet);
        const auto never = std::numeric_limits<std::int64_t>::max();
        // A generic lambda, so that only calls of `fit` instantiate the hooks.
        const auto add_hooks = [&](auto watched) {
            const auto end =
                early_stop(watched, {.patience = options.patience ? options.patience : never, .restore_best = false});
            if constexpr (detail::HasLearningRate<O>)
                trainer_->add(end, reduce_on_plateau(watched, {.patience = options.plateau ? options.plateau : never}));
            else trainer_->add(end);
        };
        add_hooks(detail::WatchedLoss{});
        const auto best = ParameterSlot().copy;
        const auto fitting =
            detail::SharedOwner<bool>::make(true);  // false for later runs: they keep no best parameters
        trainer_->on_epoch([best, fitting, quiet = options.quiet, file = options.checkpoint](Trainer<N, O>& trainer) {
            const EpochResult& now = trainer.history().epochs.back();
            if (now.best && *fitting) {
                best->take(trainer.model());
                if (!file.empty()) trainer.save(file);
            }
            if (!quiet) trainer.print(detail::fit_line(now, trainer.epochs_planned()));
        });
        history_ = trainer_->run({.epochs = options.epochs,
                                  .validation = validation_,
                                  .device = options.device,
                                  .stop_on_interrupt = options.stop_on_interrupt});
        stopped_early_ = trainer_->epoch() < static_cast<std::uint64_t>(options.epochs);
        if (!history_.epochs.empty()) best->put(model());  // empty if interrupted in the first epoch
        *fitting = false;
    }

private:
    std::optional<Dataset> validation_;
    detail::Owned<Trainer<N, O>> trainer_;
    History history_;
    bool stopped_early_ = false;
};

/// Trains a network with sensible defaults, and returns it with the parameters of its best epoch.
///
/// `fit` trains with Adam and keeps a tenth of the records for validation. It halves the learning rate on a plateau and
/// stops when the validation loss no longer improves. If a loss defines accuracy and has one whole number a record as
/// its target, the validation data have each class in its proportion. Otherwise they are chosen at random.
///
/// @param network  the network, such as `Digits{}`, or one made at run time
/// @param data     records to train on. `fit` shuffles them and makes the minibatches.
/// @param options  number of epochs, batch size, validation and others
/// @return the trained network, which predicts and evaluates
/// @throws ArgumentError          if an option is out of range, or if the validation data have other preprocessing
/// @throws ShapeError     if the shapes of the records do not match the network
/// @throws DataError      if the records do not match the network
/// @throws NumericError   if the loss or a parameter is not finite
///
/// @par Example
/// @code
/// auto digits = fit(Digits{}, training, {.epochs = 5});
/// const Array<float> probabilities = digits.predict(images);
/// const double accuracy = digits.evaluate(testing).accuracy;
/// @endcode
/// @see FitOptions, Fitted, cross_validate, search, docs/fit.md
template <AnyNetwork N>
Fitted<N, Adam> fit(const N& network, const Dataset& data, const FitOptions& options = {}) {
    return {network, data, Adam{}, options};
}
/// @cond internal
template <AnyNetwork N>
error_fit_takes_data<use_a_Dataset_and_batch_size_among_the_options> fit(const N&, const Minibatches&,
                                                                         const FitOptions& = {});
template <AnyNetwork N>
error_fit_takes_no_name<use_the_network_first> fit(std::string_view, const N&, const Dataset&, const FitOptions& = {});
template <std::derived_from<Dataset> D, AnyNetwork N, class... More>
error_fit_takes_its_arguments_in_another_order<use_network_data_optimizer_options> fit(const D&, const N&,
                                                                                       const More&...);
template <AnyNetwork N, AnyOptimizer O, class... More>
error_fit_takes_its_arguments_in_another_order<use_network_data_optimizer_options> fit(const N&, O, const Dataset&,
                                                                                       const More&...);
template <AnyNetwork N, class... More>
error_fit_takes_the_number_of_epochs_as_an_option<use_epochs_in_braces> fit(const N&, const Dataset&,
                                                                            std::integral auto, const More&...);
/// @endcond
/// Trains a network with another optimizer than Adam, or with other hyperparameters.
/// @param network    the network
/// @param data       records to train on
/// @param optimizer  the optimizer, such as `Adam{.learning_rate = 0.01}`
/// @param options    number of epochs, batch size, validation and others
/// @return the trained network
///
/// @par Example
/// @code
/// fit(Digits{}, training, Adam{.learning_rate = 0.01}, {.epochs = 5});
/// @endcode
template <AnyNetwork N, AnyOptimizer O>
Fitted<N, O> fit(const N& network, const Dataset& data, O optimizer, const FitOptions& options = {}) {
    return {network, data, optimizer, options};
}
/// Trains a network on arrays.
/// @param network  the network
/// @param x        inputs of shape (records, …)
/// @param y        regression targets of shape (records, …), or class numbers: an array (records) or a vector
/// @param options  number of epochs, batch size, validation and others
/// @return the trained network
///
/// @par Example
/// @code
/// const std::vector<int> classes(100, 3);
/// fit(Digits{}, images, classes, {.epochs = 2});
/// @endcode
template <AnyNetwork N, AnyArray X, AnyTargets Y>
Fitted<N, Adam> fit(const N& network, const X& x, const Y& y, const FitOptions& options = {}) {
    return {network, make_dataset(x, y), Adam{}, options, true};
}
/// Trains a network on arrays with an optimizer.
/// @param network    the network
/// @param x          inputs of shape (records, …)
/// @param y          regression targets of shape (records, …), or class numbers: an array (records) or a vector
/// @param optimizer  the optimizer, such as `Adam{.learning_rate = 0.01}`
/// @param options    number of epochs, batch size, validation and others
/// @return the trained network
template <AnyNetwork N, AnyArray X, AnyTargets Y, AnyOptimizer O>
Fitted<N, O> fit(const N& network, const X& x, const Y& y, O optimizer, const FitOptions& options = {}) {
    return {network, make_dataset(x, y), optimizer, options, true};
}

/// Options of `cross_validate`.
///
/// @see cross_validate
struct CrossValidationOptions {
    std::int64_t folds = 5;  ///< Number of parts, at least 2.
    /// Options of `fit` for each fold. Its `seed` also shuffles the records before they are split. Unless `quiet` is
    /// set, one line a fold is printed. `validation` and `checkpoint` must be empty, since all folds would share them,
    /// and `stop_on_interrupt` must be false.
    FitOptions fit{};
};

/// @cond internal
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
/// @endcond

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/fit.ipp>
#endif
