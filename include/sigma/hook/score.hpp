// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/scored.hpp>

#include <limits>

namespace sigma {

/// Computes the mean loss of a data set and the share of its records that are classified right.
template <Text key>
class ScoreData : public Action<ScoreData<key>> {
public:
    using AccuracyValue = Computed<detail::score_name(key, "accuracy")>;
    using ErrorValue = Computed<key.size == 0 ? Text("validation_error") : detail::score_name(key, "error")>;
    using Writes = Types<AccuracyValue, ErrorValue>;
    static constexpr Needs needs = Needs::parameters;

    explicit ScoreData(Dataset data) : data_(std::move(data)) {}
    template <class M, class ReadByHooks>
    static constexpr auto check() {
        return MistakeIf<(ReadByHooks::template has<AccuracyValue> && !detail::classifies<detail::NetworkOfModel<M>>),
                         error_network_does_not_classify<detail::NetworkOfModel<M>>>{};
    }
    void run(auto& context) {
        auto& model = context.model();
        const auto score = data_.in(context)(model);
        constexpr bool known = detail::classifies<detail::NetworkOfModel<decltype(model)>>;
        context.template publish<AccuracyValue>(known ? score.accuracy : std::numeric_limits<double>::quiet_NaN());
        context.template publish<ErrorValue>(score.error);
    }
    std::string text() const { return detail::score_text("score", key, data_.data()); }

private:
    detail::EvaluatedData data_;
};

/// Takes the network over a data set: `score(validation)` computes `accuracy` and `validation_error`, and
/// `score<"test">(data)` what `accuracy_of<"test">` and `error_of<"test">` read. Throws DataError where the data do not
/// fit the network.
template <Text key = "">
ScoreData<key> score(Dataset data) {
    return ScoreData<key>(std::move(data));
}
template <Text key>
inline constexpr typename ScoreData<key>::AccuracyValue accuracy_of{};
template <Text key>
inline constexpr typename ScoreData<key>::ErrorValue error_of{};

}  // namespace sigma
