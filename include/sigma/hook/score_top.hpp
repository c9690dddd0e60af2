// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/scored.hpp>
#include <sigma/metric/accuracy.hpp>

#include <array>

namespace sigma {

/// There are not so many classes.
template <int top, int classes>
struct error_top_is_more_than_the_classes;

/// Computes the share of records whose class is among the `tops` greatest predictions, for each of these.
template <Text key, int... tops>
class ScoreTop : public Action<ScoreTop<key, tops...>> {
    template <int top>
    using Value = Computed<detail::score_name(key, Text("top").append(top).view())>;

public:
    using Writes = Types<Value<tops>...>;
    static constexpr Needs needs = Needs::parameters;

    explicit ScoreTop(Dataset data) : data_(std::move(data)) {}
    template <class M, class>
    static constexpr auto check() {
        using N = detail::NetworkOfModel<M>;
        constexpr int greatest = [] {
            int most = 0;
            ((most = tops > most ? tops : most), ...);
            return most;
        }();
        if constexpr (!detail::has_one_prediction<N>) return detail::NotOnePrediction<N>{};
        else if constexpr (!detail::classifies<N>) return Mistake<error_network_does_not_classify<N>>{};
        else if constexpr (greatest > N::predictions[0].last())
            return Mistake<error_top_is_more_than_the_classes<greatest, N::predictions[0].last()>>{};
        else return Mistake<>{};
    }
    void run(auto& context) {
        auto& model = context.model();
        using N = detail::NetworkOfModel<decltype(model)>;
        std::array<Accuracy, sizeof...(tops)> metrics{
            Accuracy(static_cast<std::size_t>(N::predictions[0].last()), {tops, detail::ignored_labels<N>()})...};
        data_.in(context).predict(model, [&](auto predictions, auto labels) {
            for (Accuracy& a : metrics) a.add(predictions, labels);
        });
        std::size_t i = 0;
        (context.template publish<Value<tops>>(metrics[i++].value()), ...);
    }
    std::string text() const {
        const std::string all = sentence(sentence(tops, ", ")...);
        return detail::score_text("score_top", key, data_.data(), all.substr(0, all.size() - 2));
    }

private:
    detail::EvaluatedData data_;
};

/// `score_top<1, 3>(data)` computes `value<"top1">` and `value<"top3">`, top-k accuracies as metric/accuracy.hpp has
/// them; `score_top<"test", 1>(data)` "test.top1".
template <int... tops>
    requires(sizeof...(tops) > 0)
ScoreTop<"", tops...> score_top(Dataset data) {
    static_assert(((tops > 0) && ...), "top-k accuracy is of one class or more");
    return ScoreTop<"", tops...>(std::move(data));
}
template <Text key, int... tops>
    requires(sizeof...(tops) > 0)
ScoreTop<key, tops...> score_top(Dataset data) {
    static_assert(((tops > 0) && ...), "top-k accuracy is of one class or more");
    return ScoreTop<key, tops...>(std::move(data));
}

}  // namespace sigma
