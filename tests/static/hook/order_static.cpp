// SPDX-License-Identifier: BSL-1.0
#include <support/hook_trainer.hpp>

using namespace sigma;
using namespace sigma::test;

namespace {

template <Text key, class... Read>
using Epochly =
    sigma::detail::HookOf<sigma::detail::HookOptions<0, false>, EveryStep<Moment::epoch>, Makes<key, Read...>>;
template <Text key, class... Read>
using Iteratively =
    sigma::detail::HookOf<sigma::detail::HookOptions<0, false>, EveryStep<Moment::iteration>, Makes<key, Read...>>;
template <Text key, int priority, class... Read>
using Urgent =
    sigma::detail::HookOf<sigma::detail::HookOptions<priority, false>, EveryStep<Moment::epoch>, Makes<key, Read...>>;
template <Text key, class... Read>
using Behind =
    sigma::detail::HookOf<sigma::detail::HookOptions<0, true>, EveryStep<Moment::epoch>, Makes<key, Read...>>;
template <class... Read>
using Reader = sigma::detail::HookOf<sigma::detail::HookOptions<0, false>, EveryStep<Moment::epoch>, Notes<Read...>>;
template <class... Read>
using FrequentReader =
    sigma::detail::HookOf<sigma::detail::HookOptions<0, false>, EveryStep<Moment::iteration>, Notes<Read...>>;
using A = Value<"a">;
using B = Value<"b">;
using C = Value<"c">;
template <class V>
using Reached = ThresholdOf<V, detail::Comparing::reaches>;
template <class Criterion_, class... Read>
using On = sigma::detail::HookOf<sigma::detail::HookOptions<0, false>, Criterion_, Notes<Read...>>;
using detail::HookMistake;

// ---- order ----

template <class... H>
constexpr auto order = detail::Hooks<H...>::plan.order;
template <class... H>
constexpr auto mistake = detail::Hooks<H...>::plan.mistake;

// Dependencies first, however they are declared, and whatever the priorities.
static_assert(order<Epochly<"b", A>, Epochly<"a">> == std::array{1, 0});
static_assert(order<Epochly<"a">, Epochly<"b", A>> == std::array{0, 1});
static_assert(order<Urgent<"b", -5, A>, Urgent<"a", 5>> == std::array{1, 0});
static_assert(order<Epochly<"c", B>, Epochly<"b", A>, Epochly<"a">> == std::array{2, 1, 0});
// A diamond: d reads b and c, which read a.
static_assert(order<Epochly<"d", B, C>, Epochly<"c", A>, Epochly<"b", A>, Epochly<"a">> == std::array{3, 1, 2, 0});
// Then priority, then declaration.
static_assert(order<Urgent<"a", 1>, Urgent<"b", 0>, Urgent<"c", -1>> == std::array{2, 1, 0});
static_assert(order<Urgent<"a", 0>, Urgent<"b", 0>, Urgent<"c", -1>> == std::array{2, 0, 1});
static_assert(order<Urgent<"x", 2, A>, Urgent<"y", 3>, Urgent<"a", 9>> == std::array{1, 2, 0});
// A criterion reads, too.
static_assert(order<On<Reached<A>>, Epochly<"a">> == std::array{1, 0});

// ---- mistakes ----

template <class... H>
using Is = typename decltype(detail::Hooks<H...>::mistake_type())::type;
template <class X, class Y>
constexpr bool same = std::is_same_v<X, Y>;
using NamedA = value_named<typename detail::SpelledText<Text("a")>::type>;

// What none of them computes may be of hooks that were added earlier.
static_assert(detail::Hooks<Reader<A>>::good && detail::Hooks<On<Reached<A>>>::good);
static_assert(order<Reader<A>, Epochly<"b">> == std::array{0, 1});
static_assert(
    same<Is<Epochly<"a">, Urgent<"a", 1>>, error_computed_by_two_hooks<NamedA, hook_number<1>, hook_number<2>>>);
using Twice =
    sigma::detail::HookOf<sigma::detail::HookOptions<0, false>, EveryStep<Moment::epoch>, Makes<"a">, Makes<"a">>;
static_assert(same<Is<Twice>, error_computed_by_two_hooks<NamedA, hook_number<1>, hook_number<1>>>);
using Two = Epochly<"b", A>;
using OfTwo = Epochly<"a", B>;
static_assert(same<Is<Two, OfTwo>, error_hooks_wait_for_each_other<hook_number<1>, hook_number<2>>>);
static_assert(mistake<Epochly<"b", A>, Epochly<"c", B>, Epochly<"a", C>> == HookMistake::cycle);
static_assert(mistake<Epochly<"x">, Epochly<"b", A>, Epochly<"c", B>, Epochly<"a", C>, Reader<C>> ==
              HookMistake::cycle);
// Its criterion waits for what its action computes.
using Own = sigma::detail::HookOf<sigma::detail::HookOptions<0, false>, Reached<A>, Makes<"a">>;
static_assert(same<Is<Own>, error_hooks_wait_for_each_other<hook_number<1>, hook_number<1>>>);
// Within one hook what computes stands before what reads.
using Right =
    sigma::detail::HookOf<sigma::detail::HookOptions<0, false>, EveryStep<Moment::epoch>, Makes<"a">, Notes<A>>;
using Wrong =
    sigma::detail::HookOf<sigma::detail::HookOptions<0, false>, EveryStep<Moment::epoch>, Notes<A>, Makes<"a">>;
static_assert(mistake<Right> == HookMistake::none);
static_assert(same<Is<Wrong>, error_read_before_it_is_computed<NamedA, hook_number<1>>>);
static_assert(same<Is<Epochly<"a", A>>, error_read_before_it_is_computed<NamedA, hook_number<1>>>);
// What reads must not be quicker than what computes.
static_assert(same<Is<FrequentReader<A>, Epochly<"a">>,
                   error_computed_less_often_than_read<NamedA, hook_number<1>, hook_number<2>>>);
static_assert(mistake<Reader<A>, Iteratively<"a">> == HookMistake::none);
static_assert(mistake<On<EverySeconds, A>, Iteratively<"a">> == HookMistake::none);
static_assert(
    mistake<FrequentReader<A>, sigma::detail::HookOf<sigma::detail::HookOptions<0, false>, EverySeconds, Makes<"a">>> ==
    HookMistake::less_often);
static_assert(
    mistake<FrequentReader<A>, sigma::detail::HookOf<sigma::detail::HookOptions<0, false>,
                                                     detail::During<EverySeconds, Reached<LossValue>>, Makes<"a">>> ==
    HookMistake::less_often);
static_assert(mistake<On<Reached<LossValue>, A>, Epochly<"a">> == HookMistake::less_often);
static_assert(
    mistake<Reader<A>,
            sigma::detail::HookOf<sigma::detail::HookOptions<0, false>, EveryStep<Moment::start>, Makes<"a">>> ==
    HookMistake::less_often);
static_assert(mistake<sigma::detail::HookOf<sigma::detail::HookOptions<0, false>, EveryStep<Moment::stop>, Notes<A>>,
                      Epochly<"a">> == HookMistake::none);
// What runs on the trainer's thread cannot wait for the background; what runs behind can wait for both.
static_assert(same<Is<Reader<A>, Behind<"a">>,
                   error_read_before_the_background_has_computed<NamedA, hook_number<1>, hook_number<2>>>);
static_assert(same<Is<On<Reached<A>>, Behind<"a">>,
                   error_read_before_the_background_has_computed<NamedA, hook_number<1>, hook_number<2>>>);
static_assert(mistake<Behind<"b", A>, Behind<"a">> == HookMistake::none);
static_assert(mistake<Behind<"b", A>, Epochly<"a">> == HookMistake::none);

// ---- moments ----

// A hook on a computed value is checked when the value may have been computed, and at the moments of what else it
// reads.
using Waits = detail::Hooks<On<OrOf<Reached<A>, Reached<LossValue>>>, Epochly<"a">>;
static_assert(Waits::plan.moments[0] == (MomentSet(Moment::epoch) | Moment::iteration) &&
              Waits::plan.moments[1] == Moment::epoch);
// Also through another hook that waits.
using Chain = detail::Hooks<sigma::detail::HookOf<sigma::detail::HookOptions<0, false>, Reached<B>, Notes<>>,
                            sigma::detail::HookOf<sigma::detail::HookOptions<0, false>, Reached<A>, Makes<"b">>,
                            Iteratively<"a">>;
static_assert(Chain::plan.moments[0] == Moment::iteration && Chain::plan.order == std::array{2, 1, 0});
// A sentence that gives its times keeps to them.
using Timed = detail::Hooks<On<detail::During<EveryStep<Moment::epoch>, Reached<A>>>, Iteratively<"a">>;
static_assert(Timed::plan.moments[0] == Moment::epoch);

// ---- the background ----

// Those that depend on each other share a thread; others have their own.
using Threads = detail::Hooks<Behind<"x">, Behind<"b", A>, Behind<"y">, Behind<"a">, Behind<"z", B, Value<"y">>>;
static_assert(Threads::plan.bucket == std::array{0, 1, 1, 1, 1});
static_assert(detail::Hooks<Behind<"a">, Behind<"b">, Behind<"c", B>>::plan.bucket == std::array{0, 1, 1});
// Whether a hook fires is decided there when its criterion reads what is computed there.
using Decided = detail::Hooks<sigma::detail::HookOf<sigma::detail::HookOptions<0, true>, Reached<A>, Notes<>>,
                              Behind<"a">, Behind<"c">>;
static_assert(Decided::plan.decided_there == std::array{true, false, false} &&
              Decided::plan.moments[0] == Moment::epoch);
static_assert(Decided::plan.bucket == std::array{0, 0, 2});

// ---- the steps of a plan, each alone ----

using detail::HookUse;
template <int n>
using Uses = detail::HookUses<n>;
constexpr std::uint64_t first = 1, second = 2;  // values
constexpr HookUse reads(std::uint64_t values, bool background = false) {
    return {.reads = values, .moments = Moment::epoch, .background = background};
}
constexpr HookUse writes(std::uint64_t values, MomentSet moments = Moment::epoch, bool background = false) {
    return {.writes = values, .moments = moments, .background = background};
}
constexpr HookUse waits(std::uint64_t values, bool timed = false) {
    return {.criterion_reads = values, .reads = values, .moments = Moment::start, .timed = timed};
}
template <int n>
constexpr detail::ValueWriters writers_of(const Uses<n>& hooks) {
    detail::HookPlan<n> plan;
    return detail::find_writers<n>(hooks, plan);
}
/// What a step makes of a plan whose order is that of declaration.
template <int n>
constexpr detail::HookPlan<n> after(auto step, const Uses<n>& hooks, std::array<int, detail::as_index(n)> order = {}) {
    detail::HookPlan<n> plan;
    plan.order = order;
    for (int i = 0; i < n; ++i) plan.moments[detail::as_index(i)] = hooks[detail::as_index(i)].moments;
    step(hooks, writers_of<n>(hooks), plan);
    return plan;
}
constexpr auto check_reads = [](const auto& hooks, const auto& writers, auto& plan) {
    static_cast<void>(writers);
    detail::check_reads(hooks, plan);
};
constexpr auto sort_hooks = [](const auto& hooks, const auto& writers, auto& plan) {
    detail::sort_hooks(hooks, writers, plan);
};
constexpr auto find_moments = [](const auto& hooks, const auto& writers, auto& plan) {
    detail::find_moments(hooks, writers, plan);
};
constexpr auto check_dependencies = [](const auto& hooks, const auto& writers, auto& plan) {
    detail::check_dependencies(hooks, writers, plan);
};
constexpr auto share_threads = [](const auto& hooks, const auto& writers, auto& plan) {
    detail::share_threads(hooks, writers, plan);
};

// Who computes what: one hook each, and once.
static_assert(writers_of<2>({reads(first), writes(first | second)})[0] == 1);
static_assert(writers_of<2>({reads(first), writes(second)})[0] == -1);
constexpr auto computed_by = [](const auto& hooks) {
    detail::HookPlan<2> plan;
    detail::find_writers<2>(hooks, plan);
    return std::array{static_cast<int>(plan.mistake), plan.key, plan.first, plan.second};
};
constexpr int two = static_cast<int>(HookMistake::two);
static_assert(computed_by(Uses<2>{writes(second), writes(first | second)}) == std::array{two, 1, 0, 1});
static_assert(computed_by(Uses<2>{writes(first), {.writes = second, .twice = second}}) == std::array{two, 1, 1, 1});

// What is read and computed within a hook is computed before.
static_assert(after<2>(check_reads, {reads(first), writes(first)}).mistake == HookMistake::none);
static_assert(after<1>(check_reads, {HookUse{.writes = first, .too_late = first}}).mistake == HookMistake::too_late);

// What earlier hooks compute orders nothing.
constexpr auto inner = detail::among_each_other<2>({reads(first | second), writes(first)});
static_assert(inner[0].reads == first && inner[1].writes == first);

// The order.
static_assert(after<2>(sort_hooks, {reads(first), writes(first)}).order == std::array{1, 0});
constexpr HookUse urgent{.priority = -1};
static_assert(after<3>(sort_hooks, {HookUse{}, urgent, urgent}).order == std::array{1, 2, 0});
// Loosely: the other way round where there is no other.
static_assert(after<2>(sort_hooks, {HookUse{.loose_reads = first}, writes(first)}).order == std::array{1, 0});
static_assert(after<2>(sort_hooks,
                       {HookUse{.loose_reads = first, .writes = second}, HookUse{.reads = second, .writes = first}})
                  .order == std::array{0, 1});
constexpr auto circle = after<3>(sort_hooks, {HookUse{.priority = 9}, HookUse{.reads = first, .writes = second},
                                              HookUse{.reads = second, .writes = first}});
static_assert(circle.mistake == HookMistake::cycle && circle.first + circle.second == 3);

// When they are checked.
static_assert(after<2>(find_moments, {writes(first), waits(first)}, {0, 1}).moments[1] ==
              (MomentSet(Moment::start) | Moment::epoch));
static_assert(after<2>(find_moments, {writes(first), waits(first, true)}, {0, 1}).moments[1] == Moment::start);

// How often, and on which thread.
constexpr HookUse often{.reads = first, .moments = Moment::iteration};
static_assert(after<2>(check_dependencies, {writes(first), reads(first)}, {0, 1}).mistake == HookMistake::none);
static_assert(after<2>(check_dependencies, {writes(first), often}, {0, 1}).mistake == HookMistake::less_often);
static_assert(after<2>(check_dependencies, {writes(first, Moment::iteration), often}, {0, 1}).mistake ==
              HookMistake::none);
static_assert(after<2>(check_dependencies, {writes(first, Moment::epoch, true), reads(first)}, {0, 1}).mistake ==
              HookMistake::background);

// Threads of the background.
static_assert(after<3>(share_threads,
                       {reads(first, true), writes(second, Moment::epoch, true), writes(first, Moment::epoch, true)})
                  .bucket == std::array{0, 1, 0});
static_assert(after<2>(share_threads, {waits(first), writes(first, Moment::epoch, true)}).decided_there ==
              std::array{true, false});
static_assert(after<2>(share_threads, {waits(first), writes(first)}).decided_there == std::array{false, false});

}  // namespace
