// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/hook/archive.hpp>
#include <sigma/hook/context.hpp>
#include <sigma/hook/hook.hpp>
#include <sigma/hook/order.hpp>
#include <sigma/hook/value.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace sigma::detail {

/// A function that copies the trainer's model, into the memory of an earlier copy if there is one.
using CopyModel = AnyFunction<void(SharedOwner<void>&)>;

/// The parts of hooks that need the trainer's type.
struct HookBinding {
    CopyModel copy_model{};
    struct Parts;
    Owned<Parts> parts;

    HookBinding();
    HookBinding(const HookBinding&) = delete;
    HookBinding& operator=(const HookBinding&) = delete;
    void add(const UntypedHook& hook, std::initializer_list<detail::SharedOwner<ActionNode>> actions);
    void add_reader(const void* value, AnyFunction<double()> read);
};

/// Hooks that were added together to a trainer, which must outlive them. The body alone has their data: each
/// std::vector of an own type in a header costs every program half a megabyte of the compiler's memory.
class HookGroup : public ArchivedHooks {
public:
    virtual MomentSet moments() const = 0;
    /// Checks and runs the hooks of a moment, in order.
    virtual void fire(Moment moment) = 0;
    /// Gives jobs to the background. Called after all hooks of the moment.
    virtual void dispatch(Moment moment) = 0;
    /// Waits for the background, and throws its exceptions.
    virtual void finish() = 0;
    /// Returns what the next step must keep for hooks that can fire after it.
    virtual Wants wants(bool ends_epoch) const = 0;
    virtual void restart() = 0;
    /// Tells the actions on the trainer's thread that a checkpoint was saved or loaded.
    virtual void checkpoint_done(CheckpointEvent, const std::string& /*file*/) {}
    virtual void visit_computed(const AnyFunction<void(std::string_view name, SharedOwner<const Slot>)>& f) const = 0;
    /// Returns a value, if these hooks compute it.
    virtual ComputedValue find_computed(const ValueRecord&) const { return {}; }
    /// Returns the number of snapshots that were skipped because the background was busy.
    virtual std::uint64_t skipped() const = 0;
};

/// The hooks of a trainer, and the moments at which each group is checked. Hooks may add and remove hooks.
class HookList {
public:
    HookList();
    int add(Owned<HookGroup> group);
    /// Removes hooks, after those of the present moment if there is one. Returns false if no hooks have that number.
    bool remove(int number);
    /// Returns the hooks with state for checkpoints.
    std::vector<ArchivedHooks*> archived() const;
    /// Calls f for each value that hooks compute.
    void visit_computed(const AnyFunction<void(std::string_view name, SharedOwner<const Slot>)>& f) const;
    /// Returns a value of the hooks that were added last and compute it.
    ComputedValue find_computed(const ValueRecord& value) const;
    /// Called after hooks were added and before hooks are removed, for owners of links to computed values.
    AnyFunction<void()> changed;

    /// Runs the hooks of a moment, then `f`, then what waits for both.
    void fire(Moment moment, const AnyFunction<void()>& f);
    void finish();
    /// Returns what the next step must keep.
    Wants wants(bool ends_epoch) const;
    void restart();
    void checkpoint_done(CheckpointEvent event, const std::string& file);
    bool empty() const;
    bool firing() const;
    void clear();

private:
    struct Members;
    Owned<Members> its_;

    void listen();
    void forget_removed();
};

detail::Owned<HookGroup> make_group(TrainerView& trainer, const HookTable& table, HookBinding& binding);

template <class... V, class T>
void bind_values(Types<V...>, T& trainer, HookBinding& to);
template <class... V, class T>
void keep_for_values(Types<V...>, T& trainer);

/// Binds a value V to a trainer of type T, for reading.
template <class V, class T>
void bind_value(T& trainer, HookBinding& to) {
    if constexpr (is_derived<V>) {
        bind_values(typename V::Parts{}, trainer, to);
    } else if constexpr (!V::computed && !is_read_of_values<V>) {
        to.add_reader(&value_record<V>, [&trainer] { return V{}.read(trainer); });
    }
}
template <class... V, class T>
void bind_values(Types<V...>, T& trainer, HookBinding& to) {
    (bind_value<V>(trainer, to), ...);
}
/// Makes the steps of a trainer keep what V needs.
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
                  "a criterion in the background cannot read a value over time of the trainer's thread: read it with "
                  "latest(…) "
                  "at times of its own");
    bind_values(typename C::Reads{}, trainer, to);
    (bind_values(typename A::Reads{}, trainer, to), ...);
    std::size_t i = 0;
    to.add(hook.untyped, {make_own<M::background, A>(hook.untyped.actions[i++], trainer)...});
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

/// Makes the group of hooks for a trainer, which must outlive the group.
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
