// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/scope.hpp>
#include <sigma/hook/group.hpp>
#include <sigma/network/access.hpp>

#include <algorithm>
#include <array>

namespace sigma::detail {

/// The hooks of a trainer of type T: who listens to which moment. They may be added and removed by hooks.
template <class T>
class HookList {
public:
    using Groups = std::vector<std::unique_ptr<AnyHookGroup<T>>>;

    int add(std::unique_ptr<AnyHookGroup<T>> group) {
        groups_.push_back(std::move(group));
        numbers_.push_back(++last_);
        listen();
        return last_;
    }
    /// When the hooks of the present moment are through, if there is one.
    bool remove(int number) {
        if (std::ranges::find(numbers_, number) == numbers_.end()) return false;
        removed_.push_back(number);
        if (firing_ == 0) forget_removed();
        return true;
    }
    Groups& groups() { return groups_; }
    /// Those whose state goes into checkpoints.
    std::vector<ArchivedHooks*> archived() const {
        std::vector<ArchivedHooks*> all;
        for (const auto& group : groups_) all.push_back(group.get());
        return all;
    }
    /// Called when hooks have come or are about to be gone, for who links what they compute.
    AnyFunction<void()> changed;

    /// Hooks, then `f`, then what waits for both.
    template <class F>
    void fire(Moment moment, T& trainer, F f) {
        auto& listeners = listeners_[static_cast<std::size_t>(moment)];
        {
            ++firing_;
            const AtExit done([&] { --firing_; });
            const std::size_t count = listeners.size();  // hooks that these add begin with the next moment
            for (std::size_t i = 0; i < count; ++i) listeners[i]->fire(moment, trainer);
            f();
            for (std::size_t i = 0; i < count; ++i) listeners[i]->settle(moment, trainer);
        }
        if (!removed_.empty() && firing_ == 0) forget_removed();
    }
    void finish(T& trainer) {
        for (const auto& group : groups_) group->finish(trainer);
    }
    bool firing() const { return firing_ > 0; }
    void clear() {
        groups_.clear();
        numbers_.clear();
        listen();
    }

private:
    std::vector<int> numbers_, removed_;
    int last_ = 0, firing_ = 0;
    std::array<std::vector<AnyHookGroup<T>*>, moment_count> listeners_;
    Groups groups_;

    void listen() {
        for (int m = 0; m < moment_count; ++m) {
            auto& listeners = listeners_[static_cast<std::size_t>(m)];
            listeners.clear();
            for (const auto& group : groups_)
                if (group->moments().has(static_cast<Moment>(m))) listeners.push_back(group.get());
        }
        if (changed) changed();
    }
    void forget_removed() {
        const Access::Open meanwhile;  // their jobs in the background may predict before they end
        for (const int number : removed_) {
            const auto at = std::ranges::find(numbers_, number) - numbers_.begin();
            if (static_cast<std::size_t>(at) == numbers_.size()) continue;  // removed twice
            groups_.erase(groups_.begin() + at);
            numbers_.erase(numbers_.begin() + at);
        }
        removed_.clear();
        listen();
    }
};

}  // namespace sigma::detail
