// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// The order of hooks that are added together, and the mistakes that their types reveal. Included by
/// `<sigma/sigma.hpp>`.
#include <sigma/core/text.hpp>
#include <sigma/hook/hook.hpp>
#include <sigma/tape/mistake.hpp>

#include <array>
#include <bit>
#include <utility>

namespace sigma {

// Mistakes of hooks that are added together. These types are declared only: the compiler's first error names one. A
// value
// that none of the hooks computes is no mistake here: `add` looks for hooks that were added earlier.

/// A mistake at compile time: two hooks, or two actions of one hook, compute the same value.
template <class Value, class First, class Second>
struct error_computed_by_two_hooks;
/// A mistake at compile time: an action reads a value that a later action of the same hook computes.
template <class Value, class Hook>
struct error_read_before_it_is_computed;
/// A mistake at compile time: two hooks depend on each other, directly or through other hooks.
template <class First, class Second>
struct error_hooks_wait_for_each_other;
/// A mistake at compile time: a value is computed less often than it is read. Read it with `latest(value)`.
template <class Value, class Reader, class Writer>
struct error_computed_less_often_than_read;
/// A mistake at compile time: a hook on the trainer's thread reads a value that a hook computes in the background.
template <class Value, class Reader, class Writer>
struct error_read_before_the_background_has_computed;

/// A hook in an error of the compiler: its position among the hooks that were added together, from 1.
///
/// @see error_computed_by_two_hooks
template <int>
struct hook_number;
/// A value in an error of the compiler: the name of a number that hooks compute.
///
/// @see error_computed_by_two_hooks
template <class Name>
struct value_named;

namespace detail {

template <class V>
struct ValueSpelled {
    using type = V;
};
template <class V>
    requires V::computed
struct ValueSpelled<V> {
    using type = value_named<typename SpelledText<V::name>::type>;
};
template <class V>
using SpelledValue = typename ValueSpelled<V>::type;

enum class HookMistake { none, two, too_late, cycle, less_often, background };

/// The values that one of the hooks reads and computes, one bit for each value, and its options.
struct HookUse {
    std::uint64_t criterion_reads = 0, reads = 0, loose_reads = 0, writes = 0;
    std::uint64_t too_late = 0, twice = 0;  ///< mistakes within the hook: values read before they are computed, or
                                            ///< computed twice
    MomentSet moments{};
    bool timed = false, background = false;
    int priority = 0, writer_rank = -1;
};
template <int n>
using HookUses = std::array<HookUse, static_cast<std::size_t>(n)>;

/// The plan of hooks that are added together: they run in `order`, each at its `moments`.
template <int n>
struct HookPlan {
    HookMistake mistake = HookMistake::none;
    int key = -1, first = -1, second = -1;  ///< the mistake's value, and its hooks
    std::array<int, static_cast<std::size_t>(n)> order{};
    std::array<MomentSet, static_cast<std::size_t>(n)> moments{};
    /// The group of each background hook: the smallest number of a hook that it depends on or that depends on it.
    std::array<int, static_cast<std::size_t>(n)> bucket{};
    /// True for each hook with a criterion that reads what a background hook computes.
    std::array<bool, static_cast<std::size_t>(n)> decided_there{};

    /// Records a mistake, unless there is one already.
    constexpr void refuse(HookMistake what, int value, int a, int b) {
        if (mistake == HookMistake::none) mistake = what, key = value, first = a, second = b;
    }
};

constexpr std::size_t as_index(int i) { return static_cast<std::size_t>(i); }
/// Calls f(number) for each bit that is set.
template <class F>
constexpr void for_each_bit(std::uint64_t bits, F f) {
    for (; bits != 0; bits &= bits - 1) f(std::countr_zero(bits));
}

/// The hook that computes each value; -1 if none does.
using ValueWriters = std::array<int, 64>;

template <int n>
constexpr ValueWriters find_writers(const HookUses<n>& hooks, HookPlan<n>& plan) {
    ValueWriters writers{};
    for (int& w : writers) w = -1;
    for (int i = 0; i < n; ++i)
        for_each_bit(hooks[as_index(i)].writes, [&](int k) {
            if (hooks[as_index(i)].twice >> k & 1) plan.refuse(HookMistake::two, k, i, i);
            if (writers[as_index(k)] >= 0) plan.refuse(HookMistake::two, k, writers[as_index(k)], i);
            writers[as_index(k)] = i;
        });
    return writers;
}

/// Checks that each value that a hook both computes and reads is computed first.
template <int n>
constexpr void check_reads(const HookUses<n>& hooks, HookPlan<n>& plan) {
    for (int i = 0; i < n; ++i)
        for_each_bit(hooks[as_index(i)].too_late, [&](int k) { plan.refuse(HookMistake::too_late, k, i, i); });
}

/// Returns the hooks without the values that earlier hooks compute.
template <int n>
constexpr HookUses<n> among_each_other(const HookUses<n>& hooks) {
    std::uint64_t computed = 0;
    for (const HookUse& hook : hooks) computed |= hook.writes;
    HookUses<n> inner = hooks;
    for (HookUse& hook : inner) {
        hook.criterion_reads &= computed;
        hook.reads &= computed;
        hook.loose_reads &= computed;
    }
    return inner;
}

/// Finds the order. The next hook is the one with the smallest priority among those that depend on no remaining hook;
/// of equal ones the first. If all remaining hooks wait, loose dependencies (of `latest`) are ignored.
template <int n>
constexpr void sort_hooks(const HookUses<n>& hooks, const ValueWriters& writers, HookPlan<n>& plan) {
    std::array<bool, as_index(n)> done{};
    const auto waits_for = [&](int i, bool loosely = false) {
        int first = -1;
        for_each_bit(hooks[as_index(i)].reads | (loosely ? hooks[as_index(i)].loose_reads : 0), [&](int k) {
            if (first < 0 && !done[as_index(writers[as_index(k)])]) first = writers[as_index(k)];
        });
        return first;
    };
    const auto next_hook = [&](bool loosely) {
        int next = -1;
        for (int i = 0; i < n; ++i)
            if (!done[as_index(i)] && waits_for(i, loosely) < 0 &&
                (next < 0 || hooks[as_index(i)].priority < hooks[as_index(next)].priority))
                next = i;
        return next;
    };
    for (int& place : plan.order) {
        place = next_hook(true);
        if (place < 0) place = next_hook(false);
        if (place < 0) {
            int i = 0;
            while (done[as_index(i)]) ++i;
            for (int steps = 0; steps < n; ++steps) i = waits_for(i);  // ends within the cycle
            return plan.refuse(HookMistake::cycle, -1, i, waits_for(i));
        }
        done[as_index(place)] = true;
    }
}

/// Finds the moments at which each hook is checked. Unless the hook is timed, they include the moments of the hooks
/// that compute what its criterion reads. Needs the order.
template <int n>
constexpr void find_moments(const HookUses<n>& hooks, const ValueWriters& writers, HookPlan<n>& plan) {
    for (const int i : plan.order) {
        MomentSet& moments = plan.moments[as_index(i)];
        moments = hooks[as_index(i)].moments;
        if (hooks[as_index(i)].timed) continue;
        for_each_bit(hooks[as_index(i)].criterion_reads,
                     [&](int k) { moments = moments | plan.moments[as_index(writers[as_index(k)])]; });
    }
}

constexpr int rank_of(MomentSet m) { return m.has(Moment::iteration) ? 0 : m.has(Moment::epoch) ? 1 : 2; }

/// Checks that no value is read more often than it is computed, and that no value of the background is read on the
/// trainer's thread. Needs the moments.
template <int n>
constexpr void check_dependencies(const HookUses<n>& hooks, const ValueWriters& writers, HookPlan<n>& plan) {
    for (const int i : plan.order)
        for_each_bit(hooks[as_index(i)].reads, [&](int k) {
            const int w = writers[as_index(k)];
            const HookUse &hook = hooks[as_index(i)], &from = hooks[as_index(w)];
            const int seldom = from.writer_rank >= 0 ? from.writer_rank : rank_of(plan.moments[as_index(w)]);
            const bool at_own_times = hook.timed || !(hook.criterion_reads >> k & 1);
            if (at_own_times && rank_of(plan.moments[as_index(i)]) < seldom)
                plan.refuse(HookMistake::less_often, k, i, w);
            if (from.background && !hook.background) plan.refuse(HookMistake::background, k, i, w);
        });
}

/// Finds the hooks that share a thread in the background, and those with a criterion that is evaluated there.
template <int n>
constexpr void share_threads(const HookUses<n>& hooks, const ValueWriters& writers, HookPlan<n>& plan) {
    for (int i = 0; i < n; ++i) plan.bucket[as_index(i)] = i;
    for (int i = 0; i < n; ++i)
        for_each_bit(hooks[as_index(i)].reads, [&](int k) {
            if (!hooks[as_index(writers[as_index(k)])].background) return;
            if (hooks[as_index(i)].criterion_reads >> k & 1) plan.decided_there[as_index(i)] = true;
            const int a = plan.bucket[as_index(i)], b = plan.bucket[as_index(writers[as_index(k)])];
            for (int& bucket : plan.bucket)
                if (bucket == a || bucket == b) bucket = a < b ? a : b;
        });
}

template <int n>
constexpr HookPlan<n> plan_hooks(const HookUses<n>& all) {
    HookPlan<n> plan;
    const HookUses<n> hooks = among_each_other<n>(all);
    const ValueWriters writers = find_writers<n>(hooks, plan);
    check_reads(hooks, plan);
    if (plan.mistake == HookMistake::none) sort_hooks(hooks, writers, plan);
    if (plan.mistake != HookMistake::none) return plan;
    find_moments(hooks, writers, plan);
    check_dependencies(hooks, writers, plan);
    share_threads(hooks, writers, plan);
    return plan;
}

template <class... A>
using ReadsOfActions = JoinedTypes<typename A::Reads...>;
template <class... A>
using WritesOfActions = JoinedTypes<typename A::Writes...>;

template <class List>
struct SourcesOf;
template <class... V>
struct SourcesOf<Types<V...>> {
    using type = JoinedTypes<typename V::Sources...>;
};

/// The values that should be computed before, if possible: the sources of `latest`.
template <class V>
constexpr auto loose_sources() {
    if constexpr (requires { typename V::LooseSources; }) return typename V::LooseSources{};
    else return Types<>{};
}
template <class List>
struct LooseSourcesOf;
template <class... V>
struct LooseSourcesOf<Types<V...>> {
    using type = JoinedTypes<decltype(loose_sources<V>())...>;
};

template <class H>
struct HookParts;
template <class M, class C, class... A>
struct HookParts<HookOf<M, C, A...>> {
    using CriterionReads = typename SourcesOf<typename C::Reads>::type;
    using Reads = JoinedTypes<CriterionReads, typename SourcesOf<ReadsOfActions<A...>>::type>;
    using LooseReads = typename LooseSourcesOf<JoinedTypes<typename C::Reads, ReadsOfActions<A...>>>::type;
    using Writes = WritesOfActions<A...>;
};

/// The properties of one hook that a group needs at run time, besides its position.
struct HookFacts {
    /// one bit for each of the table's values
    std::uint64_t criterion_reads = 0, reads = 0, loose_reads = 0, writes = 0;
    int writer_rank = -1;
    bool timed = false, background = false, needs_parameters = false, needs_checkpoint = false;
};
/// The properties of all hooks and their plan, without their types.
struct HookTable {
    int count, value_count;
    const HookFacts* facts;
    const int *order, *bucket;
    const MomentSet* moments;
    const bool* decided_there;
    const ValueRecord* const* values;  ///< values that these hooks or earlier ones compute
};

/// The values that hooks read or compute, and the plan that follows.
template <class... H>
struct Hooks {
    static constexpr int count = sizeof...(H);
    static_assert(count <= 64, "add takes at most 64 hooks at a time");
    using Keys = typename Unique<JoinedTypes<typename HookParts<H>::Reads..., typename HookParts<H>::LooseReads...,
                                             typename HookParts<H>::Writes...>>::type;
    static constexpr int key_count = Keys::count;
    static_assert(key_count <= 64, "the hooks of one add read and compute at most 64 values");
    template <class V>
    static constexpr int key_of = type_index<V, Keys>;

    template <class List>
    struct Mask;
    template <class... V>
    struct Mask<Types<V...>> {
        static constexpr std::uint64_t bits = ((std::uint64_t{1} << key_of<V>) | ... | std::uint64_t{0});
    };

    template <class M, class C, class... A>
    static constexpr HookUse use_of(const HookOf<M, C, A...>*) {
        HookUse f;
        f.criterion_reads = Mask<typename HookParts<HookOf<M, C, A...>>::CriterionReads>::bits;
        f.reads = f.criterion_reads;
        f.loose_reads = Mask<typename HookParts<HookOf<M, C, A...>>::LooseReads>::bits;
        f.moments = C::moments;
        f.timed = C::timed;
        f.background = M::background;
        f.priority = M::priority;
        f.writer_rank = writer_rank_of<C>;
        const std::uint64_t all = Mask<typename HookParts<HookOf<M, C, A...>>::Writes>::bits;
        const auto action = [&](std::uint64_t reads, std::uint64_t writes) {
            f.too_late |= reads & all & ~f.writes;
            f.reads |= reads & ~f.writes;
            f.twice |= writes & f.writes;
            f.writes |= writes;
        };
        (action(Mask<typename SourcesOf<typename A::Reads>::type>::bits, Mask<typename A::Writes>::bits), ...);
        f.loose_reads &= ~f.writes;
        return f;
    }

    static constexpr HookPlan<count> plan = plan_hooks<count>({use_of(static_cast<const H*>(nullptr))...});
    static constexpr bool good = plan.mistake == HookMistake::none;

    template <class M, class C, class... A>
    static constexpr HookFacts describe(const HookOf<M, C, A...>*) {
        using Parts = HookParts<HookOf<M, C, A...>>;
        return {.criterion_reads = Mask<typename Parts::CriterionReads>::bits,
                .reads = Mask<typename Parts::Reads>::bits,
                .loose_reads = Mask<typename Parts::LooseReads>::bits,
                .writes = Mask<typename Parts::Writes>::bits,
                .writer_rank = writer_rank_of<C>,
                .timed = C::timed,
                .background = M::background,
                .needs_parameters = ((A::needs == Needs::parameters) || ...),
                .needs_checkpoint = ((A::needs == Needs::checkpoint) || ...)};
    }
    static constexpr std::array<HookFacts, static_cast<std::size_t>(count)> facts{
        describe(static_cast<const H*>(nullptr))...};
    template <class List>
    struct Records;
    template <class... V>
    struct Records<Types<V...>> {
        static constexpr std::array<const ValueRecord*, sizeof...(V) + 1> all{&value_record<V>..., nullptr};
    };
    static constexpr HookTable table{count,
                                     key_count,
                                     facts.data(),
                                     plan.order.data(),
                                     plan.bucket.data(),
                                     plan.moments.data(),
                                     plan.decided_there.data(),
                                     Records<Keys>::all.data()};

    /// Returns the mistake as a type. For decltype only.
    static constexpr auto mistake_type() {
        using Value = SpelledValue<NthType<(plan.key > 0 ? plan.key : 0), JoinedTypes<Keys, Types<void>>>>;
        using First = hook_number<plan.first + 1>;
        using Second = hook_number<plan.second + 1>;
        constexpr HookMistake m = plan.mistake;
        if constexpr (m == HookMistake::two)
            return std::type_identity<error_computed_by_two_hooks<Value, First, Second>>{};
        else if constexpr (m == HookMistake::too_late)
            return std::type_identity<error_read_before_it_is_computed<Value, First>>{};
        else if constexpr (m == HookMistake::cycle)
            return std::type_identity<error_hooks_wait_for_each_other<First, Second>>{};
        else if constexpr (m == HookMistake::less_often)
            return std::type_identity<error_computed_less_often_than_read<Value, First, Second>>{};
        else return std::type_identity<error_read_before_the_background_has_computed<Value, First, Second>>{};
    }
};

/// The mistake of arguments of `add` that are no hooks.
template <class... Given>
struct NoHooks {
    using type = error_add_takes_hooks<Given...>;
};
template <AnyCriterion First, class... Rest>
struct NoHooks<First, Rest...> {
    using type = error_criterion_without_then<First>;
};
template <class First, class... Rest>
    requires is_hook<First> && (sizeof...(Rest) > 0)
struct NoHooks<First, Rest...> : NoHooks<Rest...> {};

/// Returns whether hooks can be added together.
template <class... H>
constexpr bool fit_together() {
    if constexpr (sizeof...(H) > 0 && (is_hook<H> && ...)) return Hooks<H...>::good;
    else return false;
}
/// The mistake of hooks. For decltype, so that its type carries no other name.
template <class Mistake>
Mistake called(std::type_identity<Mistake>);
template <class... H>
constexpr auto mistake_of() {
    if constexpr (sizeof...(H) == 0 || !(is_hook<H> && ...)) return std::type_identity<typename NoHooks<H...>::type>{};
    else if constexpr (Hooks<H...>::good) return std::type_identity<void>{};
    else return Hooks<H...>::mistake_type();
}

template <class Trainer>
using ModelOf = std::remove_cvref_t<decltype(std::declval<Trainer&>().model())>;

template <class Trainer>
using OptimizerOf = std::remove_cvref_t<decltype(std::declval<Trainer&>().optimizer)>;

template <class Reads, class Trainer, class A>
constexpr auto mistake_of_action() {
    if constexpr (requires { A::template examine<ModelOf<Trainer>, Reads>(); })
        return A::template examine<ModelOf<Trainer>, Reads>();
    else if constexpr (requires { A::template check_optimizer<OptimizerOf<Trainer>>(); })
        return A::template check_optimizer<OptimizerOf<Trainer>>();
    else return Mistake<>{};
}
template <class First, class... Rest>
constexpr auto first_mistake(First, Rest... rest) {
    if constexpr (std::is_void_v<typename First::mistake> && sizeof...(Rest) > 0) return first_mistake(rest...);
    else return First{};
}
/// The mistake of values with this kind of trainer, from their `examine<Trainer>()` or that of their parts.
template <class Trainer, class Values>
struct MistakeOfValues;
template <class Trainer, class V>
constexpr auto mistake_of_value() {
    if constexpr (!is_derived<V>) return Mistake<>{};
    else if constexpr (requires { V::template examine<Trainer>(); }) return V::template examine<Trainer>();
    else return typename MistakeOfValues<Trainer, typename V::Parts>::type{};
}
template <class Trainer, class... V>
struct MistakeOfValues<Trainer, Types<V...>> {
    using type = decltype(first_mistake(Mistake<>{}, mistake_of_value<Trainer, V>()...));
};
template <class Reads, class Trainer, class M, class C, class... A>
constexpr auto mistake_of_hook(const HookOf<M, C, A...>*) {
    using Values = typename Unique<JoinedTypes<typename C::Reads, typename A::Reads...>>::type;
    return first_mistake(Mistake<>{}, mistake_of_action<Reads, Trainer, A>()...,
                         typename MistakeOfValues<Trainer, Values>::type{});
}

/// The mistake of hooks with this kind of trainer. Actions have `examine<Model, Reads>()`, where Reads is what all the
/// hooks read, or `check_optimizer<Optimizer>()`, each of which returns a Mistake. The first mistake counts.
template <class Trainer, class... H>
struct Misfit {
    using Reads = JoinedTypes<typename HookParts<H>::Reads...>;
    using type = typename decltype(first_mistake(
        Mistake<>{}, mistake_of_hook<Reads, Trainer>(static_cast<const H*>(nullptr))...))::mistake;
    static constexpr bool found = !std::is_void_v<type>;
};

/// Returns whether these hooks can be added to that kind of trainer. `misfit_of` returns the mistake.
template <class Trainer, class... H>
constexpr bool fit() {
    if constexpr (fit_together<H...>()) return !Misfit<Trainer, H...>::found;
    else return false;
}
template <class Trainer, class... H>
constexpr auto misfit_of() {
    if constexpr (fit_together<H...>()) return std::type_identity<typename Misfit<Trainer, H...>::type>{};
    else return mistake_of<H...>();
}

}  // namespace detail
}  // namespace sigma
