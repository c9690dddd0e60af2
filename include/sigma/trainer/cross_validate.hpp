// SPDX-License-Identifier: BSL-1.0
#pragma once
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

/// The mean of a number over the folds, and its standard deviation, that of a sample (n - 1).
struct FoldMean {
    double mean = 0, deviation = 0;
};

/// What cross_validate found: of each fold what the network that was trained on the others makes of it.
struct CrossValidation {
    struct Fold {
        double error = 0;     ///< mean loss on the fold
        double accuracy = 0;  ///< share of what is right; NaN where no loss knows right and wrong
        std::uint64_t epochs = 0, best_epoch = 0;
        std::size_t records = 0;  ///< in the fold
    };
    std::vector<Fold> folds;

    FoldMean error() const { return mean_of(&Fold::error); }
    FoldMean accuracy() const { return mean_of(&Fold::accuracy); }
    /// "5 folds: loss 0.1234 ± 0.0123, accuracy 95.33 ± 2.98 %"
    std::string text() const;

private:
    FoldMean mean_of(double Fold::* what) const;
};

namespace detail {

void check_cross_validation(const CrossValidationOptions& o);
/// Training and test part of a round, of records in random order; each with the same share of each class where there
/// are classes.
[[gnu::cold]] std::vector<Dataset> round_of(const Dataset& mixed, const CrossValidationOptions& o, std::int64_t fold,
                                            std::optional<std::size_t> classes);
/// "fold 2/5   loss 0.1234   accuracy 95.67 %   best of 34 epochs: 24"
[[gnu::cold]] std::string fold_line(const CrossValidation& found, std::int64_t folds);

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

/// Trains a network as `fit` does on all folds but one and tests it on that one, for each of `.folds` (5) in turn:
///
///     const CrossValidation found = cross_validate(Iris{}, data::iris(), Adam{}, {.folds = 5, .fit = {.epochs = 50}});
///     std::puts(found.text().c_str());  // 5 folds: loss 0.11 ± 0.05, accuracy 96.00 ± 2.79 %
///
/// Records are cut in random order, with each class in its proportion where `fit` does so. A fold is never seen by the
/// network that is tested on it: what `fit` keeps for validation is of the other folds. `each(fitted, fold)` is called
/// with each trained network and the data set of its fold, for further scores. Throws ArgumentError where an option
/// makes no sense, and what `fit` throws.
template <AnyNetwork N, AnyDataset D, AnyOptimizer O, class = on_cpu::Instructions>
CrossValidation cross_validate(const N& network, const D& data, O optimizer,
                               const CrossValidationOptions& options = {}) {
    return detail::cross_validated(network, data, optimizer, detail::NoTransforms{}, options, [](auto&, auto&) {});
}
template <AnyNetwork N, AnyDataset D, AnyOptimizer O, class F, class = on_cpu::Instructions>
    requires std::invocable<F&, Fitted<N, O>&, const Dataset&>
CrossValidation cross_validate(const N& network, const D& data, O optimizer, const CrossValidationOptions& options,
                               F each) {
    return detail::cross_validated(network, data, optimizer, detail::NoTransforms{}, options, std::move(each));
}
/// With transforms that are learned anew from the training part of each round:
/// `cross_validate(Net{}, data, Adam{}, standardize(inputs), {.folds = 10})`.
template <AnyNetwork N, AnyDataset D, AnyOptimizer O, data::AnyTransforms X, class = on_cpu::Instructions>
CrossValidation cross_validate(const N& network, const D& data, O optimizer, const X& transforms,
                               const CrossValidationOptions& options = {}) {
    return detail::cross_validated(network, data, optimizer, transforms, options, [](auto&, auto&) {});
}
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
