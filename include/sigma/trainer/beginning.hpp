// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/group.hpp>
#include <sigma/trainer/run_record.hpp>
#include <sigma/worker/step.hpp>

#include <algorithm>
#include <utility>

namespace sigma::detail {

/// Where a run began, for going back to it.
template <class O, class T>
struct Beginning {
    bool taken = false;
    RunRecord run{};
    std::string frozen{};

    void take(const O& optimizer, auto& model, auto& step, auto& groups, const RunRecord& record) {
        const auto copy = [](std::span<const T> from, std::vector<T>& to) { to.assign(from.begin(), from.end()); };
        copy(std::as_const(model).parameter_memory(), parameters_);
        copy(std::as_const(step).state_memory(), states_);
        optimizer_ = optimizer;
        run = record;
        hooks_.assign(groups.size(), {});
        sentences_.clear();
        for (std::size_t g = 0; g < groups.size(); ++g) {
            groups[g]->archive(hooks_[g]);
            sentences_ += groups[g]->text();
        }
        taken = true;
    }
    /// Whether the hooks are those of then and have their state again.
    bool restore(O& optimizer, auto& model, auto& step, auto& groups) const {
        std::ranges::copy(parameters_, model.parameter_memory().begin());
        std::ranges::copy(states_, step.state_memory().begin());
        optimizer = optimizer_;
        std::string now;
        for (const auto& group : groups) now += group->text();
        if (groups.size() != hooks_.size() || now != sentences_) return false;
        for (std::size_t g = 0; g < groups.size(); ++g) {
            Archive state(hooks_[g].words(), hooks_[g].blobs());
            groups[g]->archive(state);
        }
        return true;
    }

private:
    std::vector<T> parameters_, states_;
    O optimizer_{};
    std::vector<Archive> hooks_;
    std::string sentences_;
};

}  // namespace sigma::detail
