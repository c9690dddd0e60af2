// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/trainer/cross_validate.hpp>

#include <cmath>

namespace sigma {

SIGMA_IMPL FoldMean CrossValidation::mean_of(double Fold::* what) const {
    const auto n = static_cast<double>(folds.size());
    FoldMean m;
    for (const Fold& f : folds) m.mean += f.*what / n;
    double squares = 0;
    for (const Fold& f : folds) squares += (f.*what - m.mean) * (f.*what - m.mean);
    m.deviation = std::sqrt(squares / (n - 1));
    return m;
}

SIGMA_IMPL std::string CrossValidation::text() const {
    const FoldMean e = error(), a = accuracy();
    std::string all = sentence(folds.size(), " folds: loss ", detail::fixed_text(e.mean, 4), " ± ",
                               detail::fixed_text(e.deviation, 4));
    if (!std::isnan(a.mean))
        all += sentence(", accuracy ", detail::fixed_text(100 * a.mean, 2), " ± ",
                        detail::fixed_text(100 * a.deviation, 2), " %");
    return all;
}

namespace detail {

SIGMA_IMPL void check_cross_validation(const CrossValidationOptions& o) {
    if (o.folds < 2) throw ArgumentError("cross_validate with folds", "2 or more", sentence(o.folds));
    if (o.fit.validation)
        throw ArgumentError("cross_validate with validation", "no data set, since each fold is tested",
                            sentence("dataset '", o.fit.validation->name(), "'"));
    if (!o.fit.checkpoint.empty())
        throw ArgumentError("cross_validate with checkpoint", "no file, since all folds would write it",
                            sentence("'", o.fit.checkpoint, "'"));
    if (o.fit.stop_on_interrupt)
        throw ArgumentError("cross_validate with stop_on_interrupt", "false, since an interrupted fold would count",
                            "true");
    check_fit_options(o.fit);
}

SIGMA_IMPL std::vector<Dataset> round_of(const Dataset& mixed, const CrossValidationOptions& o, std::int64_t fold,
                                         std::optional<std::size_t> classes) {
    return classes ? stratified_k_fold_of(mixed, o.folds, fold, *classes) : k_fold_of(mixed, o.folds, fold);
}

SIGMA_IMPL std::string fold_line(const CrossValidation& found, std::int64_t folds) {
    const CrossValidation::Fold& f = found.folds.back();
    std::string line = sentence("fold ", found.folds.size(), "/", folds, "   loss ", fixed_text(f.error, 4));
    if (!std::isnan(f.accuracy)) line += sentence("   accuracy ", fixed_text(100 * f.accuracy, 2), " %");
    return sentence(line, "   best of ", f.epochs, " epochs: ", f.best_epoch);
}

}  // namespace detail
}  // namespace sigma
