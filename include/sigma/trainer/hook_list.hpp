// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/hook/group.hpp>

#include <array>
#include <string_view>
#include <vector>

namespace sigma::detail {

/// The hooks of a trainer: who listens to which moment. They may be added and removed by hooks.
class HookList {
public:
    int add(detail::Owned<HookGroup> group);
    /// When the hooks of the present moment are through, if there is one. False where no hooks have that number.
    bool remove(int number);
    /// Those whose state goes into checkpoints.
    std::vector<ArchivedHooks*> archived() const;
    /// What they compute.
    void visit_computed(const AnyFunction<void(std::string_view name, SharedOwner<const Slot>)>& f) const;
    /// Called when hooks have come or are about to be gone, for who links what they compute.
    AnyFunction<void()> changed;

    /// Hooks, then `f`, then what waits for both.
    void fire(Moment moment, const AnyFunction<void()>& f);
    void finish();
    /// What they may ask of the next step; does it end an epoch?
    Wants wants(bool ends_epoch) const;
    void restart();
    bool empty() const { return groups_.empty(); }
    bool firing() const { return firing_ > 0; }
    void clear();

private:
    std::vector<int> numbers_, removed_;
    int last_ = 0, firing_ = 0;
    std::array<std::vector<HookGroup*>, moment_count> listeners_;
    std::vector<detail::Owned<HookGroup>> groups_;

    void listen();
    void forget_removed();
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/hook_list.ipp>
#endif
