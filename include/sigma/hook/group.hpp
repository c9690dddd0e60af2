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
#include <string_view>
#include <type_traits>
#include <vector>

namespace sigma::detail {

/// A copy of the trainer's model, in the memory of an earlier one if that is given.
using CopyModel = AnyFunction<void(SharedOwner<void>&)>;

/// What of hooks only who knows the trainer's type can make.
struct HookBinding {
    CopyModel copy_model{};
    struct Parts;
    Owned<Parts> parts;

    HookBinding();
    HookBinding(const HookBinding&) = delete;
    HookBinding& operator=(const HookBinding&) = delete;
    void add(const Sentence& sentence, std::initializer_list<detail::SharedOwner<ActionNode>> actions);
    void add_reader(const void* value, AnyFunction<double()> read);
};

/// Hooks that were added together to a trainer, which must outlive them. What they keep is in the body alone: each
/// std::vector of one's own type that a header has costs every program half a megabyte of the compiler's memory.
class HookGroup : public ArchivedHooks {
public:
    virtual MomentSet moments() const = 0;
    /// Checks and runs the hooks of a moment, in order.
    virtual void fire(Moment moment) = 0;
    /// When all hooks of the moment are through: gives the background its work.
    virtual void settle(Moment moment) = 0;
    /// Waits for the background, and throws what it has left behind.
    virtual void finish() = 0;
    /// What the next step must keep for hooks that can fire after it; does it end an epoch?
    virtual Wants wants(bool ends_epoch) const = 0;
    virtual void restart() = 0;
    virtual void visit_computed(const AnyFunction<void(std::string_view name, SharedOwner<const Slot>)>& f) const = 0;
    /// That value, as these hooks compute it.
    virtual ComputedValue find_computed(const ValueRecord&) const { return {}; }
    /// Snapshots that were not taken, since the background was busy.
    virtual std::uint64_t skipped() const = 0;
};

/// The hooks of a trainer: who listens to which moment. They may be added and removed by hooks.
class HookList {
public:
    HookList();
    int add(Owned<HookGroup> group);
    /// When the hooks of the present moment are through, if there is one. False where no hooks have that number.
    bool remove(int number);
    /// Those whose state goes into checkpoints.
    std::vector<ArchivedHooks*> archived() const;
    /// What they compute.
    void visit_computed(const AnyFunction<void(std::string_view name, SharedOwner<const Slot>)>& f) const;
    /// That value, as the last that were added and compute it do.
    ComputedValue find_computed(const ValueRecord& value) const;
    /// Called when hooks have come or are about to be gone, for who links what they compute.
    AnyFunction<void()> changed;

    /// Hooks, then `f`, then what waits for both.
    void fire(Moment moment, const AnyFunction<void()>& f);
    void finish();
    /// What they may ask of the next step; does it end an epoch?
    Wants wants(bool ends_epoch) const;
    void restart();
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

/// What reading V takes of a trainer of type T.
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
