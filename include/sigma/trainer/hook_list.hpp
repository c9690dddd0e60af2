// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/scope.hpp>
#include <sigma/hook/group.hpp>
#include <sigma/network/access.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <vector>

namespace sigma::detail {

/// The hooks of a trainer as its loop calls them.
class HookCalls {
public:
    /// Hooks, then `f`, then what waits for both.
    virtual void fire(Moment moment, const AnyFunction<void()>& f) = 0;
    virtual bool firing() const = 0;
    /// What they may ask of the next step.
    virtual Wants wants(bool ends_epoch) const = 0;
    virtual void restart() = 0;
    /// Waits for what they do in the background.
    virtual void finish() = 0;
    /// Takes away hooks, when those of the present moment are through, if there is one.
    virtual bool remove(int number) = 0;
    virtual void clear() = 0;
    /// Those whose state goes into checkpoints.
    virtual std::vector<ArchivedHooks*> archived() const = 0;
    /// What they compute.
    virtual void visit_computed(
        const AnyFunction<void(std::string_view name, std::shared_ptr<const Slot>)>& f) const = 0;
    /// Called when hooks have come or are about to be gone, for who links what they compute.
    AnyFunction<void()> changed;

protected:
    ~HookCalls() = default;
};

/// The hooks of a trainer of type T: who listens to which moment. They may be added and removed by hooks.
template <class T>
class HookList final : public HookCalls {
public:
    explicit HookList(T& trainer) : trainer_(trainer) {}

    int add(std::unique_ptr<AnyHookGroup<T>> group) {
        groups_.push_back(std::move(group));
        numbers_.push_back(++last_);
        listen();
        return last_;
    }
    bool remove(int number) override {
        if (std::ranges::find(numbers_, number) == numbers_.end()) return false;
        removed_.push_back(number);
        if (firing_ == 0) forget_removed();
        return true;
    }
    std::vector<ArchivedHooks*> archived() const override {
        std::vector<ArchivedHooks*> all;
        for (const auto& group : groups_) all.push_back(group.get());
        return all;
    }
    void visit_computed(const AnyFunction<void(std::string_view, std::shared_ptr<const Slot>)>& f) const override {
        for (const auto& group : groups_) group->visit_computed(f);
    }
    void fire(Moment moment, const AnyFunction<void()>& f) override {
        auto& listeners = listeners_[static_cast<std::size_t>(moment)];
        {
            ++firing_;
            const AtExit done([&] { --firing_; });
            const std::size_t count = listeners.size();  // hooks that these add begin with the next moment
            for (std::size_t i = 0; i < count; ++i) listeners[i]->fire(moment, trainer_);
            f();
            for (std::size_t i = 0; i < count; ++i) listeners[i]->settle(moment, trainer_);
        }
        if (!removed_.empty() && firing_ == 0) forget_removed();
    }
    Wants wants(bool ends_epoch) const override {
        Wants all;
        for (const auto& group : groups_) all = all | group->wants(trainer_, ends_epoch);
        return all;
    }
    void restart() override {
        for (const auto& group : groups_) group->restart(trainer_);
    }
    void finish() override {
        for (const auto& group : groups_) group->finish(trainer_);
    }
    bool firing() const override { return firing_ > 0; }
    void clear() override {
        groups_.clear();
        numbers_.clear();
        listen();
    }

private:
    T& trainer_;
    std::vector<int> numbers_, removed_;
    int last_ = 0, firing_ = 0;
    std::array<std::vector<AnyHookGroup<T>*>, moment_count> listeners_;
    std::vector<std::unique_ptr<AnyHookGroup<T>>> groups_;

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
