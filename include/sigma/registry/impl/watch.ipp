// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/registry/watch.hpp>

#include <exception>

namespace sigma::detail {

SIGMA_IMPL void collect_calls(Branch& branch, std::vector<Rung>& rungs, std::vector<Call>& calls) {
    const auto watchers = branch.watchers.load();
    for (const auto& watcher : *watchers) {
        auto at = watcher->pattern.start();
        std::string name;
        for (auto rung = rungs.rbegin(); rung != rungs.rend() && at != 0; ++rung) {
            at = watcher->pattern.step(at, rung->name, [&] { return rung->item->tags.load(); });
            name += (name.empty() ? "" : ".") + rung->name;
        }
        if (watcher->pattern.accepts(at)) calls.push_back({watcher, std::move(name)});
    }
    const auto parents = branch.parents.load();
    for (const Parent& parent : *parents)
        if (const auto above = parent.branch.lock()) {
            rungs.push_back({parent.name, &branch});
            collect_calls(*above, rungs, calls);
            rungs.pop_back();
        }
}

SIGMA_IMPL void make_calls(const std::vector<Call>& calls) {
    std::exception_ptr first;
    for (const Call& call : calls) {
        if (call.watcher->gate.calls_here() > 0) continue;  // its own change
        const Gate::Pass pass(call.watcher->gate);
        if (!pass) continue;
        try {
            call.watcher->call(call.name);
        } catch (...) {
            if (!first) first = std::current_exception();
        }
    }
    if (first) std::rethrow_exception(first);
}

SIGMA_IMPL std::vector<Call> calls_about(const std::shared_ptr<Branch>& owner, const std::string& name, Item* item) {
    std::vector<Call> calls;
    std::vector<Rung> rungs{{name, item}};
    collect_calls(*owner, rungs, calls);
    return calls;
}

SIGMA_IMPL void announce(Leaf& leaf) {
    const auto generation = watch_generation.load(std::memory_order_acquire);
    if (leaf.unwatched.load(std::memory_order_relaxed) == generation) return;
    const auto owner = leaf.owner.lock();
    if (!owner || !leaf.attached.load(std::memory_order_acquire)) return;
    const auto calls = calls_about(owner, leaf.name, &leaf);
    if (calls.empty()) leaf.unwatched.store(generation, std::memory_order_relaxed);
    make_calls(calls);
}

}  // namespace sigma::detail

namespace sigma {

SIGMA_IMPL Watch::Watch(const std::shared_ptr<detail::Branch>& branch, std::shared_ptr<detail::Watcher> watcher)
    : branch_(branch), watcher_(std::move(watcher)) {
    branch->watchers.update([&](auto& all) {
        all.push_back(watcher_);
        return true;
    });
    detail::watch_generation.fetch_add(1);
}

SIGMA_IMPL Watch& Watch::operator=(Watch&& other) noexcept {
    if (this != &other) {
        stop();
        branch_ = std::move(other.branch_);
        watcher_ = std::move(other.watcher_);
    }
    return *this;
}

SIGMA_IMPL void Watch::stop() {
    const auto watcher = std::exchange(watcher_, nullptr);
    if (!watcher) return;
    if (const auto branch = branch_.lock())
        branch->watchers.update([&](auto& all) { return std::erase(all, watcher) > 0; });
    watcher->gate.close();
}

}  // namespace sigma
