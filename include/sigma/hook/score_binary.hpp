// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/scored.hpp>
#include <sigma/metric/auc.hpp>
#include <sigma/metric/binary_counts.hpp>

namespace sigma {

/// A network answers yes or no by one number for each target, or by two classes.
template <class Network>
struct error_network_does_not_answer_yes_or_no;

/// Computes how well yes and no are told apart.
template <Text key>
class ScoreBinary : public Action<ScoreBinary<key>> {
    template <Text name>
    using Value = Computed<detail::score_name(key, name.view())>;

public:
    using Writes = Types<Value<"binary_accuracy">, Value<"precision">, Value<"recall">, Value<"f1">, Value<"auc">>;
    static constexpr Needs needs = Needs::parameters;

    /// Yes is predicted where the prediction is at least the threshold.
    ScoreBinary(Dataset data, double threshold) : data_(std::move(data)), lower_(threshold), upper_(threshold) {
        if (threshold != threshold) throw ArgumentError("threshold of score_binary", "a number", "nan");
    }
    /// Yes is predicted above `upper`, no below `lower`; what is between, or is one of them, counts as wrong.
    ScoreBinary(Dataset data, double lower, double upper)
        : data_(std::move(data)), lower_(lower), upper_(upper), bounds_(true) {
        if (!(lower <= upper))
            throw ArgumentError("bounds of score_binary", "a lower bound up to the upper one",
                                sentence(lower, " and ", upper));
    }
    template <class M, class>
    static constexpr auto check() {
        using N = detail::NetworkOfModel<M>;
        if constexpr (!detail::has_one_prediction<N>) return detail::NotOnePrediction<N>{};
        else if constexpr (classes<N>() != 2 &&
                           (detail::classifies<N> || detail::numbers_predicted<N> != detail::numbers_wanted<N>))
            return Mistake<error_network_does_not_answer_yes_or_no<N>>{};
        else return Mistake<>{};
    }
    void run(auto& context) {
        auto& model = context.model();
        using N = detail::NetworkOfModel<decltype(model)>;
        BinaryCounts counts(bounds_ ? 0.5 : upper_);
        AUC area;
        data_.in(context).predict(model, [&](auto predictions, auto targets) {
            yes_.clear();
            // Of two classes, the second is yes.
            constexpr std::size_t step = classes<N>() == 2 ? 2 : 1;
            for (std::size_t i = step - 1; i < predictions.size(); i += step)
                yes_.push_back(static_cast<double>(predictions[i]));
            area.add(yes_, targets);
            if (bounds_)
                for (std::size_t i = 0; i < yes_.size(); ++i) yes_[i] = answer(yes_[i], targets[i] != 0);
            counts.add(yes_, targets);
        });
        context.template publish<Value<"binary_accuracy">>(counts.accuracy());
        context.template publish<Value<"precision">>(counts.precision());
        context.template publish<Value<"recall">>(counts.recall());
        context.template publish<Value<"f1">>(counts.f1());
        context.template publish<Value<"auc">>(area.value());
    }
    std::string text() const {
        const std::string bounds = sentence(", ", lower_, bounds_ ? sentence(", ", upper_) : "");
        return detail::score_text("score_binary", key, data_.data(), "", bounds);
    }

private:
    detail::EvaluatedData data_;
    double lower_, upper_;
    bool bounds_ = false;
    std::vector<double> yes_;

    template <class N>
    static constexpr int classes() {
        return detail::classifies<N> ? N::predictions[0].last() : 0;
    }
    /// 1 or 0 where a bound is passed, and otherwise what is wrong.
    double answer(double prediction, bool wanted) const {
        return prediction > upper_ ? 1 : prediction < lower_ ? 0 : wanted ? 0 : 1;
    }
};

/// Of data whose targets are 0 and 1: computes `value<"binary_accuracy">`, "precision", "recall", "f1" and "auc", those
/// of metric/binary_counts.hpp and metric/auc.hpp; `score_binary<"test">(…)` "test.precision" and so on. With one
/// threshold, yes is predicted from there on; with two bounds strictly above the upper one, no strictly below the lower
/// one, and whatever is between counts as wrong.
template <Text key = "">
ScoreBinary<key> score_binary(Dataset data, double threshold = 0.5) {
    return ScoreBinary<key>(std::move(data), threshold);
}
template <Text key = "">
ScoreBinary<key> score_binary(Dataset data, double lower, double upper) {
    return ScoreBinary<key>(std::move(data), lower, upper);
}

}  // namespace sigma
