// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Confusion matrices: ConfusionMatrix, Confusion, confusion_matrix. Include it yourself:
/// `<sigma/trainer/terminal/confusion.hpp>`, or `<sigma/trainer/terminal.hpp>`.
#include <sigma/core/error.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/core/words.hpp>
#include <sigma/hook/score_metrics.hpp>
#include <sigma/metric/metrics.hpp>
#include <sigma/tape/mistake.hpp>
#include <sigma/trainer/terminal/progress.hpp>

#include <array>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma {

/// Counts of the predicted classes for each actual class, with names, as a table.
///
/// @par Example
/// @code{.txt}
/// ConfusionMatrix matrix(2, {"cat", "dog"});
/// std::fputs(matrix.table().c_str(), stdout);
/// @endcode
/// @see Confusion, ClassCounts
class ConfusionMatrix : public ClassCounts {
public:
    /// Constructs a matrix of zeros.
    /// @param classes  number of classes
    /// @param names    names of the classes; a class without a name prints as its number, and further names are ignored
    /// @param ignore   class of records that do not count; default: none
    explicit ConfusionMatrix(std::size_t classes, std::vector<std::string> names = {}, detail::Ignored ignore = {});

    /// Returns the name of a class.
    /// @param index  number of the class, from 0
    const std::string& name(std::size_t index) const& { return names_[index]; }
    /// @copydoc name
    std::string name(std::size_t index) && { return names_[index]; }
    /// Returns a table: a row for each actual class, a column for each predicted one, and the recall of each row.
    std::string table() const;

private:
    static std::string padded(const std::string& text, std::size_t columns);
    static std::string padded_left(const std::string& text, std::size_t columns);

    std::vector<std::string> names_;
};

}  // namespace sigma

SIGMA_INCLUDED(sigma, include_sigma_trainer_terminal_confusion_hpp);

namespace sigma {

/// A metric that counts predicted classes and keeps the last confusion matrix. Copies share the matrix.
///
/// `score(data, confusion)` computes `value<"confusion_accuracy">`, `value<"macro_precision">`, `value<"macro_recall">`
/// and `value<"macro_f1">`. A network with BinaryCE has two classes.
///
/// @par Example
/// @code{.txt}
/// #include <sigma/trainer/terminal.hpp>
/// …
/// const Confusion confusion;
/// trainer.add(every(1, epoch).then(score(testing, confusion), confusion_matrix(confusion)));
/// trainer.run(cpu(), 5);
/// const double accuracy = confusion.matrix().accuracy();
/// @endcode
/// @see confusion_matrix, classification_report
class Confusion {
    struct Kept {
        std::mutex mutex{};
        ConfusionMatrix matrix{0};
    };

public:
    /// @cond internal
    static constexpr std::array<Text, 4> names{"confusion_accuracy", "macro_precision", "macro_recall", "macro_f1"};
    static constexpr std::string_view word = "score_confusion";

    /// @endcond
    /// Constructs a metric without a matrix.
    Confusion();
    /// Returns a copy of the last matrix, from any thread. It has no classes before the first score.
    ConfusionMatrix matrix() const;

    /// @cond internal
    static constexpr detail::Refusal misfit(const detail::CostRecord& cost) {
        return detail::misfit_of(!cost.classifies && !cost.yes_or_no, error_metric_needs_a_loss_that_classifies, cost);
    }
    template <class T>
    static ConfusionMatrix counts(const detail::ScoredCost& at, const detail::ModelStore<T>& model,
                                  const Dataset& data) {
        return matrix_of(at, model.network(), model.classes(), data);
    }
    /// Keeps the matrix.
    std::array<double, 4> values(const ConfusionMatrix& matrix) const;
    static std::string arguments() { return ""; }
    static std::string options() { return ""; }
    /// @endcond

private:
    detail::SharedOwner<Kept> kept_;

    static ConfusionMatrix matrix_of(const detail::ScoredCost& at, const detail::NetworkTable& network,
                                     const std::vector<std::string>& known, const Dataset& data);
};

namespace detail {

/// The action of `confusion_matrix`.
template <Text key>
class ConfusionTable : public Action<ConfusionTable<key>> {
    using Accuracy = Computed<detail::score_name(key, "confusion_accuracy")>;

public:
    using Reads = Types<Accuracy>;

    explicit ConfusionTable(Confusion confusion) : confusion_(std::move(confusion)) {}
    void visit_values(auto f) { f(value_); }
    void run(auto& context) {
        std::string table = confusion_.matrix().table();
        if (!table.empty()) table.pop_back();  // print ends the line
        context.print(table);
    }
    static std::string text() { return "confusion_matrix"; }

private:
    Confusion confusion_;
    Accuracy value_{};
};

}  // namespace detail

/// Returns an action that prints the last confusion matrix.
/// @tparam key       the key of the score, if it has one, such as `confusion_matrix<"test">(confusion)`
/// @param confusion  the metric of a `score` in the same or an earlier hook
/// @see Confusion
template <Text key = "">
detail::ConfusionTable<key> confusion_matrix(Confusion confusion) {
    return detail::ConfusionTable<key>(std::move(confusion));
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/terminal/impl/confusion.ipp>
#endif
