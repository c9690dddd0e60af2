// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/hook/archive.hpp>
#include <sigma/hook/context.hpp>
#include <sigma/hook/hook.hpp>
#include <sigma/hook/order.hpp>
#include <sigma/hook/value.hpp>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <type_traits>
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

/// What of hooks only who knows the trainer's type can make.
struct HookBinding {
    std::vector<Sentence> sentences{};
    std::vector<std::vector<detail::SharedOwner<ActionNode>>>
        own{};  ///< of each sentence: its actions, none where they are made
    std::vector<Slots::Reader> readers{};
    CopyModel copy_model{};

    HookBinding();
    HookBinding(const HookBinding&) = delete;
    HookBinding& operator=(const HookBinding&) = delete;
    ~HookBinding();
    void add(const Sentence& sentence, std::initializer_list<detail::SharedOwner<ActionNode>> actions);
};

/// Hooks that were added together to a trainer, which must outlive them.
class HookGroup final : public ArchivedHooks {
public:
    HookGroup(TrainerView& trainer, const detail::HookTable& table, detail::HookBinding& binding);
    ~HookGroup() override;

    MomentSet moments() const;
    /// Checks and runs the hooks of a moment, in order.
    void fire(Moment moment);
    /// When all hooks of the moment are through: gives the background its work.
    void settle(Moment moment);
    /// Waits for the background, and throws what it has left behind.
    void finish();
    /// What the next step must keep for hooks that can fire after it; does it end an epoch?
    Wants wants(bool ends_epoch) const;
    void restart();
    void archive(Archive& a) override;
    std::string text() const override;
    void visit_computed(
        const detail::AnyFunction<void(std::string_view name, detail::SharedOwner<const detail::Slot>)>& f) const;
    /// Snapshots that were not taken, since the background was busy.
    std::uint64_t skipped() const { return background_.skipped(); }

private:
    TrainerView& trainer_;
    const detail::HookTable& table_;
    std::vector<detail::GroupedHook> hooks_;
    detail::Slots slots_;
    std::vector<detail::SharedOwner<detail::Derived>> derived_;
    Wants always_wants_{};
    std::vector<Wants> wants_;       ///< of each hook
    detail::Background background_;  // ends first

    static std::vector<detail::GroupedHook> grouped(detail::HookBinding& binding);
    void run(int i, const HookContext& now);
    void update_derived(HookContext& now);
    void attach(detail::ValueHandle& v, Wants& wanted);
    void check_intervals() const;
    bool may_fire_next(int i, bool ends_epoch) const;
};

/// The hooks of a trainer: who listens to which moment. They may be added and removed by hooks.
class HookList {
public:
    int add(Owned<HookGroup> group);
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
    std::vector<Owned<HookGroup>> groups_;

    void listen();
    void forget_removed();
};

detail::Owned<HookGroup> make_group(TrainerView& trainer, const HookTable& table, HookBinding& binding);

template <class... V, class T>
void bind_values(Types<V...>, T& trainer, HookBinding& to);
template <class... V, class T>
void keep_for_values(Types<V...>, T& trainer);

/// What reading V takes of a trainer of type T.
template <class V, class T>
void bind_value(T& trainer, HookBinding& to) {
    if constexpr (is_derived<V>) {
        bind_values(typename V::Parts{}, trainer, to);
    } else if constexpr (!V::computed && !is_read_of_values<V>) {
        to.readers.push_back({&value_record<V>, [&trainer] { return V{}.read(trainer); }});
    }
}
template <class... V, class T>
void bind_values(Types<V...>, T& trainer, HookBinding& to) {
    (bind_value<V>(trainer, to), ...);
}
/// What a step must keep for V.
template <class V, class T>
void keep_for_value(T& trainer) {
    if constexpr (is_derived<V>) {
        if constexpr (requires { V::wants; })
            if constexpr (V::wants.any()) HookAccess::step_record(trainer).template enable<V::wants>(trainer.model());
        keep_for_values(typename V::Parts{}, trainer);
    }
}
template <class... V, class T>
void keep_for_values(Types<V...>, T& trainer) {
    (keep_for_value<V>(trainer), ...);
}

template <bool behind, class A, class T>
detail::SharedOwner<ActionNode> make_own(const ActionPart& part, T& trainer) {
    if constexpr (is_made<A>) return nullptr;
    else return detail::SharedOwner<OwnAction<A, T, behind>>::make(*static_cast<const A*>(part.own.get()), trainer);
}

template <class V>
inline constexpr bool is_counted_in_front = is_versioned<V> && !V::computed;
template <class... V>
constexpr bool decides_behind(Types<V...>) {
    return !(is_counted_in_front<V> || ...);
}

template <bool decided_there, class T, class M, class C, class... A>
void bind_hook(const HookOf<M, C, A...>& hook, T& trainer, HookBinding& to) {
    static_assert(!decided_there || decides_behind(typename C::Reads{}),
                  "what is made of values that the background computes is new on the trainer's thread only: read it "
                  "with latest(…) "
                  "at times of its own");
    bind_values(typename C::Reads{}, trainer, to);
    (bind_values(typename A::Reads{}, trainer, to), ...);
    std::size_t i = 0;
    to.add(hook.sentence, {make_own<M::background, A>(hook.sentence.actions[i++], trainer)...});
    if constexpr (M::background && ((A::needs == Needs::parameters) || ...))
        to.copy_model = [&trainer](detail::SharedOwner<void>& copy) {
            using Model = std::remove_cvref_t<decltype(trainer.model())>;
            if (copy) *static_cast<Model*>(copy.get()) = trainer.model();
            else copy = detail::SharedOwner<Model>::make(trainer.model());
        };
}
template <class T, class M, class C, class... A>
void keep_for_hook(const HookOf<M, C, A...>&, T& trainer) {
    keep_for_values(typename C::Reads{}, trainer);
    (keep_for_values(typename A::Reads{}, trainer), ...);
}

/// What adding hooks does to a trainer, which must outlive the group.
template <class T, class... H>
detail::Owned<HookGroup> make_hook_group(T& trainer, const H&... hooks) {
    using Set = detail::Hooks<H...>;
    detail::HookBinding binding;
    [&]<std::size_t... i>(std::index_sequence<i...>) {
        (detail::bind_hook<Set::plan.decided_there[i]>(hooks, trainer, binding), ...);
    }(std::index_sequence_for<H...>{});
    auto group = detail::make_group(detail::HookAccess::view(trainer), Set::table, binding);
    (detail::keep_for_hook(hooks, trainer), ...);
    return group;
}

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/group.ipp>
#endif
