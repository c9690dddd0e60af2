// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// The function cross_validate. Include it yourself: `<sigma/trainer/cross_validate.hpp>`.
#include <sigma/core/words.hpp>
#include <sigma/data/split.hpp>
#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/trainer/fit.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

SIGMA_INCLUDED(sigma, include_sigma_trainer_cross_validate_hpp);

namespace sigma {

/// A mean over the folds of a cross-validation, with the standard deviation of a sample (division by folds - 1).
///
/// @see CrossValidation
struct FoldMean {
    double mean = 0;       ///< Mean over the folds.
    double deviation = 0;  ///< Standard deviation over the folds.
};

/// Results of `cross_validate`: for each fold, the scores of the network that was trained on the other folds.
///
/// @see cross_validate
struct CrossValidation {
    /// Results of one fold.
    struct Fold {
        double error = 0;              ///< Mean loss on the fold.
        double accuracy = 0;           ///< Share of correct predictions, 0 to 1. NaN if no loss defines accuracy.
        std::uint64_t epochs = 0;      ///< Number of epochs that `fit` trained.
        std::uint64_t best_epoch = 0;  ///< Number of the best epoch, from 1.
        std::size_t records = 0;       ///< Number of records in the fold.
    };
    std::vector<Fold> folds;  ///< Results of each fold.

    /// Returns the mean loss over the folds.
    FoldMean error() const { return mean_of(&Fold::error); }
    /// Returns the mean accuracy over the folds; NaN if no loss defines accuracy.
    FoldMean accuracy() const { return mean_of(&Fold::accuracy); }
    /// Returns a line such as "5 folds: loss 0.1234 ± 0.0123, accuracy 95.33 ± 2.98 %".
    std::string text() const;

private:
    FoldMean mean_of(double Fold::* what) const;
};

namespace detail {

/// Throws ArgumentError if an option is out of range.
void check_cross_validation(const CrossValidationOptions& options);
/// Returns the training part and the test part of a round, each with the same share of each class if there are classes.
[[gnu::cold]] std::vector<Dataset> round_of(const Dataset& shuffled, const CrossValidationOptions& options,
                                            std::int64_t fold, std::optional<std::size_t> classes);
/// Returns the line of a fold: "fold 2/5   loss 0.1234   accuracy 95.67 %   best of 34 epochs: 24"
[[gnu::cold]] std::string fold_line(const CrossValidation& found, std::int64_t folds);

/// Stands for transforms if there are none.
struct NoTransforms {};

template <AnyNetwork N, AnyDataset D, AnyOptimizer O, class X, class F, class = on_cpu::Instructions>
CrossValidation cross_validated(const N& network, const D& data, O optimizer, const X& transforms,
                                const CrossValidationOptions& o, F each) {
    check_cross_validation(o);
    const auto classes = classes_in(table_of(network), data);
    const Dataset mixed = shuffled(static_cast<const Dataset&>(data), o.fit.seed);
    CrossValidation found;
    for (std::int64_t fold = 0; fold < o.folds; ++fold) {
        const std::vector<Dataset> parts = round_of(mixed, o, fold, classes);
        FitOptions options = o.fit;
        options.seed += static_cast<std::uint64_t>(fold);
        options.quiet = true;
        const auto train_and_test = [&](const Dataset& training, const Dataset& held) {
            Fitted<N, O> fitted(network, training, optimizer, options);
            const auto score = fitted.evaluate(held);
            found.folds.push_back({score.error, score.accuracy, fitted.history().epochs.size(),
                                   fitted.history().epochs.empty() ? 0 : fitted.best().epoch, held.size()});
            each(fitted, held);
            if (!o.fit.quiet) fitted.trainer().print(fold_line(found, o.folds));
        };
        if constexpr (std::is_same_v<X, NoTransforms>) {
            train_and_test(parts[0], parts[1]);
        } else {
            const data::Preprocessing p = data::fitted(transforms, part_of(data, parts[0]));
            train_and_test(parts[0] >> p, parts[1] >> p);
        }
    }
    return found;
}

}  // namespace detail

/// Scores a network by cross-validation: trains it by `fit` on all folds but one, tests it on that fold, and repeats
/// this for each fold.
///
/// Records are shuffled before they are split. Each fold has each class in its proportion if `fit` splits its
/// validation data so. The validation data of `fit` are part of the other folds, so a network is never tested on
/// records it has seen.
///
/// @param network    the network
/// @param data       records to train and test on
/// @param optimizer  the optimizer with its hyperparameters
/// @param options    number of folds, and options of `fit`
/// @return the results of each fold
/// @throws ArgumentError  if an option is out of range
/// @throws Error          as `fit` does
///
/// @par Example
/// @code{.txt}
/// #include <sigma/trainer/cross_validate.hpp>
/// …
/// const CrossValidation found = cross_validate(Digits{}, training, Adam{}, {.folds = 5, .fit = {.epochs = 5}});
/// std::puts(found.text().c_str());  // 5 folds: loss 0.1234 ± 0.0123, accuracy 95.33 ± 2.98 %
/// @endcode
/// @see fit, docs/fit.md
template <AnyNetwork N, AnyDataset D, AnyOptimizer O, class = on_cpu::Instructions>
CrossValidation cross_validate(const N& network, const D& data, O optimizer,
                               const CrossValidationOptions& options = {}) {
    return detail::cross_validated(network, data, optimizer, detail::NoTransforms{}, options, [](auto&, auto&) {});
}
/// Scores a network by cross-validation, and calls a function with each trained network.
/// @param network    the network
/// @param data       records to train and test on
/// @param optimizer  the optimizer with its hyperparameters
/// @param options    number of folds, and options of `fit`
/// @param each       called as `each(fitted, fold)` with the trained network and the Dataset of its fold
/// @return the results of each fold
/// @throws ArgumentError  if an option is out of range, or if the options of `fit` contain validation data, a
///                        checkpoint or `stop_on_interrupt`
/// @throws Error          as `fit` does
template <AnyNetwork N, AnyDataset D, AnyOptimizer O, class F, class = on_cpu::Instructions>
    requires std::invocable<F&, Fitted<N, O>&, const Dataset&>
CrossValidation cross_validate(const N& network, const D& data, O optimizer, const CrossValidationOptions& options,
                               F each) {
    return detail::cross_validated(network, data, optimizer, detail::NoTransforms{}, options, std::move(each));
}
/// Scores a network by cross-validation, with transforms that are learned again from the training part of each round.
/// @param network     the network
/// @param data        records to train and test on
/// @param optimizer   the optimizer with its hyperparameters
/// @param transforms  one or several, such as `data::standardize(data::inputs)`
/// @param options     number of folds, and options of `fit`
/// @return the results of each fold
/// @throws ArgumentError  if an option is out of range, or if the options of `fit` contain validation data, a
///                        checkpoint or `stop_on_interrupt`
/// @throws Error          as `fit` does
///
/// @par Example
/// @code{.txt}
/// cross_validate(Digits{}, training, Adam{}, data::standardize(data::inputs), {.folds = 10});
/// @endcode
template <AnyNetwork N, AnyDataset D, AnyOptimizer O, data::AnyTransforms X, class = on_cpu::Instructions>
CrossValidation cross_validate(const N& network, const D& data, O optimizer, const X& transforms,
                               const CrossValidationOptions& options = {}) {
    return detail::cross_validated(network, data, optimizer, transforms, options, [](auto&, auto&) {});
}
/// Scores a network by cross-validation with transforms, and calls a function with each trained network.
/// @param network     the network
/// @param data        records to train and test on
/// @param optimizer   the optimizer with its hyperparameters
/// @param transforms  learned again from the training part of each round
/// @param options     number of folds, and options of `fit`
/// @param each        called as `each(fitted, fold)` with the trained network and the Dataset of its fold
/// @return the results of each fold
/// @throws ArgumentError  if an option is out of range, or if the options of `fit` contain validation data, a
///                        checkpoint or `stop_on_interrupt`
/// @throws Error          as `fit` does
template <AnyNetwork N, AnyDataset D, AnyOptimizer O, data::AnyTransforms X, class F, class = on_cpu::Instructions>
    requires std::invocable<F&, Fitted<N, O>&, const Dataset&>
CrossValidation cross_validate(const N& network, const D& data, O optimizer, const X& transforms,
                               const CrossValidationOptions& options, F each) {
    return detail::cross_validated(network, data, optimizer, transforms, options, std::move(each));
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/cross_validate.ipp>
#endif
