// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Precision, recall and F1 of each class: classification_report. Include it yourself:
/// `<sigma/trainer/terminal/classification_report.hpp>`, or `<sigma/trainer/terminal.hpp>`.
#include <sigma/core/words.hpp>
#include <sigma/execution/evaluator.hpp>
#include <sigma/tape/mistake.hpp>
#include <sigma/trainer/terminal/confusion.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

SIGMA_INCLUDED(sigma, include_sigma_trainer_terminal_classification_report_hpp);

namespace sigma {

/// Precision, recall, F1 and number of records of each class, from a confusion matrix.
///
/// @see classification_report, docs/metrics.md
class ClassificationReport {
public:
    /// Scores of one class, or a mean over classes.
    struct Class {
        std::string name;     ///< Name of the class, or its number; "macro" or "weighted" for a mean.
        double precision;     ///< Precision from 0 to 1; NaN for 0/0.
        double recall;        ///< Recall from 0 to 1; NaN for 0/0.
        double f1;            ///< F1 from 0 to 1; NaN for 0/0.
        std::size_t support;  ///< Number of records of the class.
    };

    /// Constructs a report.
    /// @param matrix  counts of predicted classes
    explicit ClassificationReport(ConfusionMatrix matrix);

    /// Returns the scores of each class.
    const std::vector<Class>& classes() const& { return classes_; }
    /// @copydoc classes
    std::vector<Class> classes() && { return std::move(classes_); }
    /// Returns the confusion matrix.
    const ConfusionMatrix& matrix() const& { return matrix_; }
    /// @copydoc matrix
    ConfusionMatrix matrix() && { return std::move(matrix_); }
    /// Returns the share of correct predictions, 0 to 1.
    double accuracy() const { return matrix_.accuracy(); }
    /// Returns the mean over the classes that occur. A score of 0/0 counts as 0.
    Class macro() const;
    /// Returns the mean over the classes, weighted by their numbers of records. A score of 0/0 counts as 0.
    Class weighted() const;
    /// Returns a table: a row for each class, then both means and the accuracy.
    std::string text() const;

private:
    ConfusionMatrix matrix_;
    std::vector<Class> classes_;
};

namespace detail {

template <class Metric, AnyNetwork N, class T>
ClassificationReport reported_classes(const Model<N, T>& model, const Dataset& data) {
    const ScoredCost cost = cost_of<Metric>(model.network());
    ConfusionMatrix matrix = Confusion::counts(cost, model, data);
    Evaluator<N, T> evaluator(model.network(), data);
    model.at_rest([&](const Model<N, T>& now) {
        evaluator.predict(now, [&](int of, auto predictions, auto labels) {
            if (of == cost.number) matrix.add(predictions, labels);
        });
    });
    return ClassificationReport(std::move(matrix));
}
/// A `Confusion` of a named cost.
template <Text cost>
struct NamedConfusion : Confusion {
    static constexpr Text cost_name = cost;
};
template <class N, class Metric>
inline constexpr bool reports_classes = is_fine<decltype(check_metric<N, Metric>())>;

}  // namespace detail

/// Scores each class of a data set: precision, recall, F1 and number of records.
///
/// Names of classes come from the model or the data.
///
/// @param model  a model with a loss that classifies
/// @param data   records to score
/// @throws DataError      if the records do not match the network
/// @throws ArgumentError  if the data have other classes than the model
/// @return the report
///
/// @par Example
/// @code{.txt}
/// #include <sigma/trainer/terminal/classification_report.hpp>
/// …
/// std::fputs(classification_report(model, testing).text().c_str(), stdout);
/// @endcode
template <AnyNetwork N, class T>
    requires detail::reports_classes<N, Confusion>
ClassificationReport classification_report(const Model<N, T>& model, const Dataset& data) {
    return detail::reported_classes<Confusion>(model, data);
}
/// Scores each class by one of several costs.
/// @tparam cost  name of the cost, such as `classification_report<"kind">(model, data)`
/// @param model  a model with several costs
/// @param data   records to score
/// @return the report
template <Text cost, AnyNetwork N, class T>
    requires detail::reports_classes<N, detail::NamedConfusion<cost>>
ClassificationReport classification_report(const Model<N, T>& model, const Dataset& data) {
    return detail::reported_classes<detail::NamedConfusion<cost>>(model, data);
}
/// @cond internal
template <AnyNetwork N, class T>
    requires(!detail::reports_classes<N, Confusion>)
detail::MistakeOf<decltype(detail::check_metric<N, Confusion>())> classification_report(const Model<N, T>&,
                                                                                        const Dataset&);
template <Text cost, AnyNetwork N, class T>
    requires(!detail::reports_classes<N, detail::NamedConfusion<cost>>)
detail::MistakeOf<decltype(detail::check_metric<N, detail::NamedConfusion<cost>>())> classification_report(
    const Model<N, T>&, const Dataset&);
/// @endcond

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/terminal/impl/classification_report.ipp>
#endif
