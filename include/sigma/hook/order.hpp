// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/text.hpp>
#include <sigma/hook/hook.hpp>

#include <array>

namespace sigma {

/// What can be wrong with hooks that are added together. These types are declared only: the first error names one.
template <class Value, class Hook>
struct error_nobody_computes;
template <class Value, class First, class Second>
struct error_computed_by_two_hooks;
template <class Value, class Hook>
struct error_read_before_it_is_computed;
template <class First, class Second>
struct error_hooks_wait_for_each_other;
template <class Value, class Reader, class Writer>
struct error_computed_less_often_than_read;
template <class Value, class Reader, class Writer>
struct error_read_before_the_background_has_computed;

/// A hook by its place among those that were added together, from 1.
template <int>
struct hook_number;
/// The value that hooks were to compute, by its name.
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

enum class HookMistake { none, nobody, two, too_late, cycle, less_often, background };

/// How hooks that are added together are run: in `order`, each at its `moments`.
template <int n>
struct HookPlan {
    HookMistake mistake = HookMistake::none;
    int key = -1, first = -1, second = -1;  ///< of a mistake: the value, and the hooks
    std::array<int, static_cast<std::size_t>(n)> order{};
    std::array<MomentSet, static_cast<std::size_t>(n)> moments{};
    /// For hooks in the background: the smallest number of a hook that this one depends on or that depends on it.
    std::array<int, static_cast<std::size_t>(n)> bucket{};
    /// Does its criterion read what a hook in the background computes?
    std::array<bool, static_cast<std::size_t>(n)> decided_there{};
};

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

/// What values would like to have been computed before: those of `latest`.
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

constexpr int rank_of(MomentSet m) { return m.has(Moment::iteration) ? 0 : m.has(Moment::epoch) ? 1 : 2; }
/// What a group of hooks must know of one at run time besides its place.
struct HookFacts {
    std::uint64_t reads = 0, writes = 0;  ///< which of the group's computed values
    bool timed = false, background = false, needs_parameters = false, needs_checkpoint = false;
};
/// The same of all, and the plan, without their types.
struct HookTable {
    int count, value_count;
    const HookFacts* facts;
    const int *order, *bucket;
    const MomentSet* moments;
    const bool* decided_there;
    const ValueRecord* const* values;  ///< those that are computed
};

/// Everything that hooks read or compute, and what follows from it.
template <class... H>
struct Hooks {
    static constexpr int count = sizeof...(H);
    static_assert(count <= 64, "at most 64 hooks are added together");
    using Keys = typename Unique<JoinedTypes<typename HookParts<H>::Reads..., typename HookParts<H>::LooseReads...,
                                             typename HookParts<H>::Writes...>>::type;
    static constexpr int key_count = Keys::count;
    static_assert(key_count <= 64, "hooks that are added together compute at most 64 values");
    template <class V>
    static constexpr int key_of = type_index<V, Keys>;

    template <class List>
    struct Mask;
    template <class... V>
    struct Mask<Types<V...>> {
        static constexpr std::uint64_t bits = ((std::uint64_t{1} << key_of<V>) | ... | std::uint64_t{0});
    };

    struct Facts {
        std::uint64_t criterion_reads = 0, reads = 0, loose_reads = 0, writes = 0, too_late = 0, twice = 0;
        MomentSet moments{};
        bool timed = false, background = false;
        int priority = 0, own_writer_rank = -1;
    };
    template <class M, class C, class... A>
    static constexpr Facts facts_of(const HookOf<M, C, A...>*) {
        Facts f;
        f.criterion_reads = Mask<typename HookParts<HookOf<M, C, A...>>::CriterionReads>::bits;
        f.reads = f.criterion_reads;
        f.loose_reads = Mask<typename HookParts<HookOf<M, C, A...>>::LooseReads>::bits;
        f.moments = C::moments;
        f.timed = C::timed;
        f.background = M::background;
        f.priority = M::priority;
        f.own_writer_rank = writer_rank_of<C>;
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

    static constexpr HookPlan<count> make() {
        HookPlan<count> p;
        std::array<Facts, static_cast<std::size_t>(count)> of_hooks{facts_of(static_cast<const H*>(nullptr))...};
        const auto at = [](int i) { return static_cast<std::size_t>(i); };
        const auto wrong = [&](HookMistake m, int k, int a, int b) {
            if (p.mistake == HookMistake::none) p.mistake = m, p.key = k, p.first = a, p.second = b;
        };
        std::array<int, 64> writer{};
        for (int& w : writer) w = -1;
        for (int i = 0; i < count; ++i)
            for (int k = 0; k < key_count; ++k) {
                const std::uint64_t bit = std::uint64_t{1} << k;
                if (of_hooks[at(i)].twice & bit) wrong(HookMistake::two, k, i, i);
                if (!(of_hooks[at(i)].writes & bit)) continue;
                if (writer[at(k)] >= 0) wrong(HookMistake::two, k, writer[at(k)], i);
                writer[at(k)] = i;
            }
        for (int i = 0; i < count; ++i)
            for (int k = 0; k < key_count; ++k) {
                const std::uint64_t bit = std::uint64_t{1} << k;
                if (of_hooks[at(i)].too_late & bit) wrong(HookMistake::too_late, k, i, i);
                if (((of_hooks[at(i)].reads | of_hooks[at(i)].loose_reads) & bit) && writer[at(k)] < 0)
                    wrong(HookMistake::nobody, k, i, i);
            }
        if (p.mistake != HookMistake::none) return p;

        // Of those whose writers have come, the one with the smallest priority, and of these the first.
        std::array<bool, static_cast<std::size_t>(count)> done{};
        const auto waits_for = [&](int i, bool loosely = false) {
            const std::uint64_t reads = of_hooks[at(i)].reads | (loosely ? of_hooks[at(i)].loose_reads : 0);
            for (int k = 0; k < key_count; ++k)
                if ((reads >> k & 1) && !done[at(writer[at(k)])]) return writer[at(k)];
            return -1;
        };
        for (int place = 0; place < count; ++place) {
            int next = -1;
            for (const bool loosely : {true, false}) {
                if (next >= 0) break;
                for (int i = 0; i < count; ++i)
                    if (!done[at(i)] && waits_for(i, loosely) < 0 &&
                        (next < 0 || of_hooks[at(i)].priority < of_hooks[at(next)].priority))
                        next = i;
            }
            if (next < 0) {
                int i = 0;
                while (done[at(i)]) ++i;
                for (int steps = 0; steps < count; ++steps) i = waits_for(i);  // into the cycle
                wrong(HookMistake::cycle, -1, i, waits_for(i));
                return p;
            }
            done[at(next)] = true;
            p.order[at(place)] = next;
        }

        for (int i = 0; i < count; ++i) p.bucket[at(i)] = i;
        for (int place = 0; place < count; ++place) {
            const int i = p.order[at(place)];
            Facts& f = of_hooks[at(i)];
            for (int k = 0; k < key_count; ++k)
                if (!f.timed && (f.criterion_reads >> k & 1))
                    f.moments = f.moments | of_hooks[at(writer[at(k)])].moments;
            p.moments[at(i)] = f.moments;
            for (int k = 0; k < key_count; ++k) {
                if (!(f.reads >> k & 1)) continue;
                const int w = writer[at(k)];
                const Facts& from = of_hooks[at(w)];
                const int seldom = from.own_writer_rank >= 0 ? from.own_writer_rank : rank_of(from.moments);
                if ((f.timed || !(f.criterion_reads >> k & 1)) && rank_of(f.moments) < seldom)
                    wrong(HookMistake::less_often, k, i, w);
                if (!from.background) continue;
                if (!f.background) wrong(HookMistake::background, k, i, w);
                if (f.criterion_reads >> k & 1) p.decided_there[at(i)] = true;
                const int a = p.bucket[at(i)], b = p.bucket[at(w)];
                for (int& bucket : p.bucket)
                    if (bucket == a || bucket == b) bucket = a < b ? a : b;
            }
        }
        return p;
    }
    static constexpr HookPlan<count> plan = make();
    static constexpr bool good = plan.mistake == HookMistake::none;

    template <class M, class C, class... A>
    static constexpr HookFacts describe(const HookOf<M, C, A...>*) {
        using Parts = HookParts<HookOf<M, C, A...>>;
        return {
            Mask<typename Parts::Reads>::bits,        Mask<typename Parts::Writes>::bits,      C::timed, M::background,
            ((A::needs == Needs::parameters) || ...), ((A::needs == Needs::checkpoint) || ...)};
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

    /// Called in decltype only.
    static constexpr auto mistake_type() {
        using Value = SpelledValue<NthType<(plan.key > 0 ? plan.key : 0), JoinedTypes<Keys, Types<void>>>>;
        using First = hook_number<plan.first + 1>;
        using Second = hook_number<plan.second + 1>;
        constexpr HookMistake m = plan.mistake;
        if constexpr (m == HookMistake::nobody) return std::type_identity<error_nobody_computes<Value, First>>{};
        else if constexpr (m == HookMistake::two)
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

/// What to say of things that are added and are no sentences.
template <class... Given>
struct NoSentences {
    using type = error_add_takes_sentences<Given...>;
};
template <AnyCriterion First, class... Rest>
struct NoSentences<First, Rest...> {
    using type = error_sentence_without_then<First>;
};
template <class First, class... Rest>
    requires is_hook<First> && (sizeof...(Rest) > 0)
struct NoSentences<First, Rest...> : NoSentences<Rest...> {};

/// Can they be added?
template <class... H>
constexpr bool fit_together() {
    if constexpr (sizeof...(H) > 0 && (is_hook<H> && ...)) return Hooks<H...>::good;
    else return false;
}
/// What is wrong with them. For decltype: so its type carries no other name.
template <class Mistake>
Mistake called(std::type_identity<Mistake>);
template <class... H>
constexpr auto mistake_of() {
    if constexpr (sizeof...(H) == 0 || !(is_hook<H> && ...))
        return std::type_identity<typename NoSentences<H...>::type>{};
    else if constexpr (Hooks<H...>::good) return std::type_identity<void>{};
    else return Hooks<H...>::mistake_type();
}

}  // namespace detail
}  // namespace sigma
