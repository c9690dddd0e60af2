// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/scope.hpp>
#include <sigma/network/access.hpp>
#include <sigma/trainer/hook_list.hpp>

#include <algorithm>
#include <utility>

namespace sigma::detail {

SIGMA_IMPL int HookList::add(detail::Owned<HookGroup> group) {
    groups_.push_back(std::move(group));
    numbers_.push_back(++last_);
    listen();
    return last_;
}

SIGMA_IMPL bool HookList::remove(int number) {
    if (std::ranges::find(numbers_, number) == numbers_.end()) return false;
    removed_.push_back(number);
    if (firing_ == 0) forget_removed();
    return true;
}

SIGMA_IMPL std::vector<ArchivedHooks*> HookList::archived() const {
    std::vector<ArchivedHooks*> all;
    for (const auto& group : groups_) all.push_back(group.get());
    return all;
}

SIGMA_IMPL void HookList::visit_computed(
    const AnyFunction<void(std::string_view name, SharedOwner<const Slot>)>& f) const {
    for (const auto& group : groups_) group->visit_computed(f);
}

SIGMA_IMPL void HookList::fire(Moment moment, const AnyFunction<void()>& f) {
    auto& listeners = listeners_[static_cast<std::size_t>(moment)];
    {
        ++firing_;
        const AtExit done([&] { --firing_; });
        const std::size_t count = listeners.size();  // hooks that these add begin with the next moment
        for (std::size_t i = 0; i < count; ++i) listeners[i]->fire(moment);
        f();
        for (std::size_t i = 0; i < count; ++i) listeners[i]->settle(moment);
    }
    if (!removed_.empty() && firing_ == 0) forget_removed();
}

SIGMA_IMPL void HookList::finish() {
    for (const auto& group : groups_) group->finish();
}

SIGMA_IMPL Wants HookList::wants(bool ends_epoch) const {
    Wants all;
    for (const auto& group : groups_) all = all | group->wants(ends_epoch);
    return all;
}

SIGMA_IMPL void HookList::restart() {
    for (const auto& group : groups_) group->restart();
}

SIGMA_IMPL void HookList::clear() {
    groups_.clear();
    numbers_.clear();
    listen();
}

SIGMA_IMPL void HookList::listen() {
    for (int m = 0; m < moment_count; ++m) {
        auto& listeners = listeners_[static_cast<std::size_t>(m)];
        listeners.clear();
        for (const auto& group : groups_)
            if (group->moments().has(static_cast<Moment>(m))) listeners.push_back(group.get());
    }
    if (changed) changed();
}

SIGMA_IMPL void HookList::forget_removed() {
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

}  // namespace sigma::detail
