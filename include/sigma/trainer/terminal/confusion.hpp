// SPDX-License-Identifier: BSL-1.0
#pragma once
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

/// How often records of each class were taken for each class, with names, as a table.
class ConfusionMatrix : public ClassCounts {
public:
    /// Classes with names; one without a name prints as its index, and names of more do not count.
    explicit ConfusionMatrix(std::size_t classes, std::vector<std::string> names = {}, detail::Ignored ignore = {});

    const std::string& name(std::size_t c) const& { return names_[c]; }
    std::string name(std::size_t c) && { return names_[c]; }
    /// A table: a row for each actual class, a column for each predicted one, and the recall of each row.
    std::string table() const;

private:
    static std::string padded(const std::string& text, std::size_t columns);
    static std::string padded_left(const std::string& text, std::size_t columns);

    std::vector<std::string> names_;
};

}  // namespace sigma

SIGMA_INCLUDED(sigma, include_sigma_trainer_terminal_confusion_hpp);

namespace sigma {

/// Counts which classes are taken for which: `const Confusion confusion;` is a metric, `score(data, confusion)`, that
/// computes `value<"confusion_accuracy">` and the "macro_precision", "macro_recall" and "macro_f1" of
/// metric/metrics.hpp, and keeps the last matrix. Copies share it. A network that answers yes or no has two classes.
class Confusion {
    struct Kept {
        std::mutex mutex{};
        ConfusionMatrix matrix{0};
    };

public:
    static constexpr std::array<Text, 4> names{"confusion_accuracy", "macro_precision", "macro_recall", "macro_f1"};
    static constexpr std::string_view word = "score_confusion";

    Confusion();
    /// A copy of the last matrix, without classes before the first; from any thread.
    ConfusionMatrix matrix() const;

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

private:
    detail::SharedOwner<Kept> kept_;

    static ConfusionMatrix matrix_of(const detail::ScoredCost& at, const detail::NetworkTable& network,
                                     const std::vector<std::string>& known, const Dataset& data);
};

namespace detail {

/// Prints the last matrix of a score.
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

/// `every(1, epoch).then(score(data, confusion), confusion_matrix(confusion))` prints the matrix; with the score's key
/// where it has one.
template <Text key = "">
detail::ConfusionTable<key> confusion_matrix(Confusion confusion) {
    return detail::ConfusionTable<key>(std::move(confusion));
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/terminal/impl/confusion.ipp>
#endif
