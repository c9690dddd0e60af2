// SPDX-License-Identifier: BSL-1.0
#pragma once
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

/// Precision, recall and F1 of each class, and how many records it has, from a confusion matrix; see
/// metric/metrics.hpp.
class ClassificationReport {
public:
    struct Class {
        std::string name;
        double precision, recall, f1;  ///< NaN where they are 0/0
        std::size_t support;           ///< records of the class
    };

    explicit ClassificationReport(ConfusionMatrix matrix);

    const std::vector<Class>& classes() const& { return classes_; }
    std::vector<Class> classes() && { return std::move(classes_); }
    const ConfusionMatrix& matrix() const& { return matrix_; }
    ConfusionMatrix matrix() && { return std::move(matrix_); }
    double accuracy() const { return matrix_.accuracy(); }
    /// The mean over the classes that occur, and the mean weighted by their records, where 0/0 counts 0; the name is
    /// "macro" or "weighted".
    Class macro() const;
    Class weighted() const;
    /// A table: a row for each class, then both means and the accuracy.
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
/// `Confusion` with the name of a cost, if it needs one.
template <Text cost>
struct NamedConfusion : Confusion {
    static constexpr Text cost_name = cost;
};
template <class N, class Metric>
inline constexpr bool reports_classes = is_fine<decltype(check_metric<N, Metric>())>;

}  // namespace detail

/// What a network makes of the records of each class: `std::fputs(classification_report(model, data).text().c_str(),
/// stdout)`. Classes are called as the model or the data call them. Of several costs `classification_report<"kind">`.
/// Throws DataError where the data do not fit the network, ArgumentError where they number their classes otherwise.
template <AnyNetwork N, class T>
    requires detail::reports_classes<N, Confusion>
ClassificationReport classification_report(const Model<N, T>& model, const Dataset& data) {
    return detail::reported_classes<Confusion>(model, data);
}
template <Text cost, AnyNetwork N, class T>
    requires detail::reports_classes<N, detail::NamedConfusion<cost>>
ClassificationReport classification_report(const Model<N, T>& model, const Dataset& data) {
    return detail::reported_classes<detail::NamedConfusion<cost>>(model, data);
}
template <AnyNetwork N, class T>
    requires(!detail::reports_classes<N, Confusion>)
detail::MistakeOf<decltype(detail::check_metric<N, Confusion>())> classification_report(const Model<N, T>&,
                                                                                        const Dataset&);
template <Text cost, AnyNetwork N, class T>
    requires(!detail::reports_classes<N, detail::NamedConfusion<cost>>)
detail::MistakeOf<decltype(detail::check_metric<N, detail::NamedConfusion<cost>>())> classification_report(
    const Model<N, T>&, const Dataset&);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/terminal/impl/classification_report.ipp>
#endif
