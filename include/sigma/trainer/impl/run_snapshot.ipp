// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/trainer/run_snapshot.hpp>

#include <algorithm>
#include <utility>

namespace sigma::detail {

template <class T>
RunSnapshot<T>::~RunSnapshot() = default;

template <class T>
void RunSnapshot<T>::take(const ModelStore<T>& model, const DualBuffer<T>& states, Hooks hooks, const RunRecord& record,
                          std::string frozen_names) {
    const auto copy = [](std::span<const T> from, std::vector<T>& to) { to.assign(from.begin(), from.end()); };
    copy(model.parameter_memory(), parameters_);
    copy(states.read_all(), states_);
    run = record;
    frozen = std::move(frozen_names);
    hooks_.assign(hooks.size(), {});
    sentences_.clear();
    for (std::size_t g = 0; g < hooks.size(); ++g) {
        hooks[g]->archive(hooks_[g]);
        sentences_ += hooks[g]->text();
    }
    taken = true;
}

template <class T>
bool RunSnapshot<T>::restore(ModelStore<T>& model, DualBuffer<T>& states, Hooks hooks) const {
    std::ranges::copy(parameters_, model.parameter_memory().begin());
    std::ranges::copy(states_, states.write_all().begin());
    std::string now;
    for (const ArchivedHooks* each : hooks) now += each->text();
    if (hooks.size() != hooks_.size() || now != sentences_) return false;
    for (std::size_t g = 0; g < hooks.size(); ++g) {
        Archive state(hooks_[g].words(), hooks_[g].blobs());
        hooks[g]->archive(state);
    }
    return true;
}

}  // namespace sigma::detail

#ifdef SIGMA_COMPILED
template struct sigma::detail::RunSnapshot<float>;
template struct sigma::detail::RunSnapshot<double>;
#endif
