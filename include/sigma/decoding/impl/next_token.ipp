// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/decoding/generate.hpp>

#include <algorithm>
#include <cmath>

namespace sigma::detail {

SIGMA_IMPL NextTokenForm::NextTokenForm(const NetworkTable& network, std::size_t given)
    : remembers(!network.states.empty()) {
    if (!has_next_token(network, given > 0))
        throw ArgumentError("text",
                            given > 0 ? "a network whose first input is ids, with one cost of classes"
                                      : "a network of one input of ids and one cost of classes",
                            sentence("one of ", network.inputs.size(), " inputs and ", network.costs.size(),
                                     " costs, the first '", network.costs[0].name.view(), "'"));
    const Shape& predicted = network.costs[0].prediction;
    window = static_cast<std::size_t>(network.inputs[0].last());
    classes = static_cast<std::size_t>(predicted.last());
    each_position = predicted.rank == 3;
    for (const CarriedState& s : network.states)
        if (s.positions > 0)
            positions = std::min(positions == 0 ? static_cast<std::size_t>(-1) : positions,
                                 static_cast<std::size_t>(s.positions));
}

template <class T>
void check_given(const NetworkTable& network, const std::vector<std::vector<T>>& given) {
    const auto others = static_cast<std::size_t>(network.inputs.size()) - 1;
    if (given.size() != others)
        throw ArgumentError("conditioned", sentence("a record for each of ", others, " inputs after the first"),
                            sentence(given.size(), " records"));
    for (std::size_t i = 0; i < given.size(); ++i) {
        const auto wanted = static_cast<std::size_t>(network.inputs[static_cast<int>(i) + 1].without(0).count());
        if (given[i].size() != wanted)
            throw ArgumentError(sentence("conditioned, input ", i + 1), sentence(wanted, " numbers"),
                                sentence(given[i].size()));
    }
}

template <class T>
NextTokenCore<T>::NextTokenCore(const NextTokenForm& form, Predict predict, AnyFunction<void()> forget)
    : form_(form), predict_(std::move(predict)), forget_(std::move(forget)), window_(form.window, T(0)),
      predicted_(form.classes * (form.each_position ? form.window : 1)) {
    if (form.remembers && form.window != 1)
        throw ArgumentError("network with remembered state", "a window of one token, Input(1)",
                            sentence("a window of ", form.window));
}

template <class T>
std::span<const T> NextTokenCore<T>::after(std::span<const std::size_t> ids) {
    if (ids.empty()) throw ArgumentError("prompt", "at least one token", "none");
    for (const std::size_t id : ids)
        if (id >= form_.classes)
            throw ArgumentError("tokens of the prompt", sentence("numbers below ", form_.classes), sentence(id));

    if (form_.remembers) {
        // Continues from its state, unless other tokens have been read.
        const std::size_t first = form_.first_seen(ids.size());
        const auto seen = ids.subspan(first);
        const bool further =
            first == first_ && read_.size() < seen.size() && std::equal(read_.begin(), read_.end(), seen.begin());
        if (!further || read_.empty()) {
            forget_();
            read_.clear();
        }
        for (const std::size_t id : seen.subspan(read_.size())) {
            window_[0] = static_cast<T>(id);
            predict_(window_.data(), predicted_.data());
        }
        read_.assign(seen.begin(), seen.end());
        first_ = first;
        return predicted_;
    }

    const std::size_t seen = std::min(form_.window, ids.size());
    if (!form_.each_position && seen < form_.window)
        throw ArgumentError("prompt of a network that predicts after a whole window",
                            sentence("at least ", form_.window, " tokens"), sentence(seen));
    // Values after the last token do not matter: a network that predicts at each position reads none after it.
    const auto last = ids.last(seen);
    for (std::size_t i = 0; i < seen; ++i) window_[i] = static_cast<T>(last[i]);
    predict_(window_.data(), predicted_.data());
    return std::span<const T>(predicted_).subspan(form_.each_position ? (seen - 1) * form_.classes : 0, form_.classes);
}

template <class T>
std::vector<double> logarithms(std::span<const T> probabilities) {
    std::vector<double> logs;
    logs.reserve(probabilities.size());
    for (const T p : probabilities) logs.push_back(std::log(static_cast<double>(p)));
    return logs;
}

#ifdef SIGMA_COMPILED
SIGMA_INSTANTIATE(class NextTokenCore);
template void check_given(const NetworkTable&, const std::vector<std::vector<float>>&);
template void check_given(const NetworkTable&, const std::vector<std::vector<double>>&);
template std::vector<double> logarithms(std::span<const float>);
template std::vector<double> logarithms(std::span<const double>);
#endif

}  // namespace sigma::detail
