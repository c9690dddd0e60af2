// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/hook/context.hpp>
#include <sigma/hook/hook.hpp>
#include <sigma/hook/order.hpp>

#include <cstdint>
#include <vector>

namespace sigma::detail {

/// A hook of a group.
struct GroupedHook {
    detail::Owned<CriterionNode> criterion;
    std::vector<detail::SharedOwner<ActionNode>> actions;
    HookSettings settings;
    std::string text;

    const std::string& name() const { return settings.name.empty() ? text : settings.name; }
    void visit_values(const ValueVisitor& f) {
        criterion->visit_values(f);
        for (const auto& a : actions) a->visit_values(f);
    }
    void run(HookContext& context) {
        for (const auto& a : actions) a->run(context);
    }
};

/// Runs f for a hook. What f throws goes on as a HookError, or is printed.
void guarded(const GroupedHook& hook, TrainerView& trainer, std::uint64_t iteration, const AnyFunction<void()>& f);

/// A copy of the trainer's model, in the memory of an earlier one if that is given.
using CopyModel = AnyFunction<void(SharedOwner<void>&)>;

/// The hooks of a group that run in the background. Those that depend on each other are one bucket: they share a
/// snapshot and run in order on one thread. Whatever their actions keep belongs to that thread while it has work.
class Background {
public:
    Background(TrainerView& trainer, const HookTable& table, std::vector<GroupedHook>& hooks, Slots& slots,
               CopyModel copy_model);
    ~Background();

    bool empty() const { return !any_; }
    /// While no job is under way: the hooks have new state.
    void restarted();
    void fired(int hook);
    /// Hands each bucket whose hooks have fired a snapshot of now, unless it is busy.
    void submit(HookContext& now);
    /// Throws what a hook has thrown, and looks at time limits.
    void look();
    /// Waits for what is under way and what waits, but not for what has run longer than it may.
    void finish();
    void drain();
    std::uint64_t skipped() const;
    /// The state of a hook. That of actions in the background is what their last job left, so that nobody waits.
    void archive(int hook, Archive& a);

private:
    struct Bucket;
    TrainerView& trainer_;
    const HookTable& table_;
    std::vector<GroupedHook>& hooks_;
    Slots& slots_;
    CopyModel copy_model_;
    bool any_ = false;
    std::vector<detail::Owned<Bucket>> buckets_;

    GroupedHook& hook(int i) { return hooks_[static_cast<std::size_t>(i)]; }
    Bucket& bucket(int i) { return *buckets_[static_cast<std::size_t>(table_.bucket[i])]; }
    static void archive_parts(GroupedHook& h, Archive& a, bool criterion, bool actions);
    void keep(int i, Bucket& b);
    SharedOwner<Snapshot> take(int leader, HookContext& now, std::uint64_t due);
    bool computed_in_front(const ValueRecord& value) const;
    void run_bucket(int leader, const Snapshot& snapshot);
    void run_hook(int i, Bucket& b, const Snapshot& snapshot);
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/background.ipp>
#endif
