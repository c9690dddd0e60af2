// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/scored.hpp>
#include <sigma/trainer/terminal/confusion_matrix.hpp>

#include <memory>
#include <mutex>

namespace sigma {

/// Counts which classes are taken for which on a data set.
template <Text key>
class ScoreConfusion : public Action<ScoreConfusion<key>> {
    template <Text name>
    using Value = Computed<detail::score_name(key, name.view())>;
    struct Kept {
        std::mutex mutex;
        ConfusionMatrix matrix;
    };

public:
    using AccuracyValue = Value<"confusion_accuracy">;
    using Writes = Types<AccuracyValue, Value<"macro_precision">, Value<"macro_recall">, Value<"macro_f1">>;
    static constexpr Needs needs = Needs::parameters;

    explicit ScoreConfusion(Dataset data)
        : kept_(new Kept{{}, ConfusionMatrix(0, data.classes())}), data_(std::move(data)) {}
    template <class M, class>
    static constexpr auto check() {
        using N = detail::NetworkOfModel<M>;
        if constexpr (!detail::has_one_prediction<N>) return detail::NotOnePrediction<N>{};
        else if constexpr (!detail::classifies<N>) return Mistake<error_network_does_not_classify<N>>{};
        else return Mistake<>{};
    }
    void run(auto& context) {
        auto& model = context.model();
        using N = detail::NetworkOfModel<decltype(model)>;
        const auto &known = model.classes(), &own = data_.data().classes();  // data may lack the last classes
        ConfusionMatrix matrix(static_cast<std::size_t>(N::predictions[0].last()),
                               known.size() > own.size() ? known : own, detail::ignored_labels<N>());
        data_.in(context).predict(model, [&](auto predictions, auto labels) { matrix.add(predictions, labels); });
        context.template publish<AccuracyValue>(matrix.accuracy());
        context.template publish<Value<"macro_precision">>(matrix.macro_precision());
        context.template publish<Value<"macro_recall">>(matrix.macro_recall());
        context.template publish<Value<"macro_f1">>(matrix.macro_f1());
        const std::lock_guard lock(kept_->mutex);
        kept_->matrix = std::move(matrix);
    }
    std::string text() const { return detail::score_text("score_confusion", key, data_.data()); }

    /// A copy of the last one, without classes before the first; from any thread. Copies of this action share it.
    ConfusionMatrix matrix() const {
        const std::lock_guard lock(kept_->mutex);
        return kept_->matrix;
    }

private:
    std::shared_ptr<Kept> kept_;
    detail::EvaluatedData data_;
};

/// Prints the last table of a `score_confusion`.
template <Text key>
class ConfusionTable : public Action<ConfusionTable<key>> {
public:
    using Reads = Types<typename ScoreConfusion<key>::AccuracyValue>;

    explicit ConfusionTable(ScoreConfusion<key> scored) : scored_(std::move(scored)) {}
    void visit_values(auto f) { f(value_); }
    void run(auto& context) {
        std::string table = scored_.matrix().table();
        if (!table.empty()) table.pop_back();  // print ends the line
        context.print(table);
    }
    static std::string text() { return "confusion_matrix"; }

private:
    ScoreConfusion<key> scored_;
    typename ScoreConfusion<key>::AccuracyValue value_{};
};

/// `const auto confusion = score_confusion(data);` is an action that keeps the confusion matrix, `confusion.matrix()`,
/// and computes `value<"confusion_accuracy">` and the "macro_precision", "macro_recall" and "macro_f1" of
/// metric/class_counts.hpp; `score_confusion<"test">(data)` "test.macro_f1" and so on. `confusion_matrix(confusion)` is
/// an action that prints it.
template <Text key = "">
ScoreConfusion<key> score_confusion(Dataset data) {
    return ScoreConfusion<key>(std::move(data));
}
template <Text key>
ConfusionTable<key> confusion_matrix(ScoreConfusion<key> scored) {
    return ConfusionTable<key>(std::move(scored));
}

}  // namespace sigma
