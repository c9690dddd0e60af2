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
#include <cstdio>
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

template <class W>
struct sigma::detail::Included<sigma::include_sigma_trainer_terminal_confusion_hpp, W> {};

namespace sigma {

namespace detail {

/// Whose targets the classes of a data set name.
template <class N>
consteval int first_classifying() {
    int i = 0;
    while (i < N::cost_count && !network_table<N>.costs[i].classifies) ++i;
    return i;
}

}  // namespace detail

/// Counts which classes are taken for which: `const Confusion confusion;` is a metric, `score(data, confusion)`, that
/// computes `value<"confusion_accuracy">` and the "macro_precision", "macro_recall" and "macro_f1" of
/// metric/class_counts.hpp, and keeps the last matrix. Copies share it.
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

    template <class C>
    static constexpr auto check() {
        if constexpr (!detail::cost_classifies<C>) return Mistake<error_network_does_not_classify<C>>{};
        else return Mistake<>{};
    }
    template <class C, class N, class T>
    static ConfusionMatrix counts(const Model<N, T>& model, const Dataset& data) {
        const auto &known = model.classes(), &own = data.classes();  // data may lack the last classes
        // Data have names for one column of targets: that of the first cost that classifies.
        constexpr bool is_named = C::number == detail::first_classifying<N>();
        const auto& named = !is_named ? detail::no_class_names() : known.size() > own.size() ? known : own;
        return ConfusionMatrix(static_cast<std::size_t>(C::predictions[0].last()), named, detail::ignored_labels<C>());
    }
    /// Keeps the matrix.
    std::array<double, 4> values(const ConfusionMatrix& matrix) const;
    static std::string arguments() { return ""; }
    static std::string options() { return ""; }

private:
    detail::SharedOwner<Kept> kept_;
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
