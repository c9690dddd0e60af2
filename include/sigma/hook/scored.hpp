// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/action.hpp>
#include <sigma/hook/values.hpp>
#include <sigma/layer/errors.hpp>
#include <sigma/worker/evaluator.hpp>

namespace sigma {

/// A network has no loss that classifies: nothing is right or wrong.
template <class Network>
struct error_network_does_not_classify;
/// A score that compares predictions with targets knows networks of one input and one cost.
template <int inputs, int costs>
struct error_scored_network_has_one_input_and_one_cost;

namespace detail {

template <class M>
struct NetworkIn;
template <class N, class T>
struct NetworkIn<Model<N, T>> {
    using type = N;
};
template <class M>
using NetworkOfModel = typename NetworkIn<std::remove_cvref_t<M>>::type;

/// "accuracy", or "test.accuracy" with a key
constexpr Text score_name(Text key, std::string_view what) {
    if (key.size > 0) key.append(".");
    return key.append(what);
}
/// "score(iris)", "score<"test">(iris)"; `more` are further template arguments, `options` what follows the data.
std::string score_text(const char* what, const Text& key, const Dataset& data, const std::string& more = "",
                       const std::string& options = "");

/// Is it one that scores of predictions know?
template <class N>
inline constexpr bool has_one_prediction = N::input_count == 1 && N::cost_count == 1;
template <class N>
using NotOnePrediction = Mistake<error_scored_network_has_one_input_and_one_cost<N::input_count, N::cost_count>>;

/// The numbers in a prediction and in a target of one record.
template <class N>
inline constexpr int numbers_predicted = static_cast<int>(N::predictions[0].count());
template <class N>
inline constexpr int numbers_wanted = static_cast<int>(N::targets[0].count());

/// The targets that do not count, as the network's loss has it.
template <class N>
constexpr Ignored ignored_labels() {
    using Cost = typename N::template Cost<0>;
    if constexpr (requires { Cost::Loss::labels(typename Cost::Self{}, Cost::output); })
        return Cost::Loss::labels(typename Cost::Self{}, Cost::output).ignore;
    else return {};
}

}  // namespace detail
}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/scored.ipp>
#endif
