// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/arguments.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/hook/criterion.hpp>

#include <cstdint>

namespace sigma {

/// A switch for other threads: what trains looks at it, anybody sets it. Copies are handles of one switch. It has a
/// position, on or off, and pulses, which stay until somebody takes them. No function waits or allocates.
class Toggle {
public:
    explicit Toggle(bool on = false);

    void set(bool on) const noexcept;
    /// Turns on to off and off to on; returns the new position.
    bool flip() const noexcept;
    bool state() const noexcept;

    void pulse() const noexcept;
    /// Takes one pulse, whoever gave it; false if none is left. Each pulse is taken once.
    bool take() const noexcept;
    /// Pulses given so far, taken or not: for several readers that are each to see all of them.
    std::uint64_t pulses() const noexcept;

private:
    struct Position;
    detail::SharedOwner<Position> shared_;
};

/// `epoch`, `iteration`, `start`, `stop`, `hold`, `resume`, `reset`: what `every`, `after` and `at` count.
template <class S>
concept AnyScale = requires {
    { S::scale } -> std::convertible_to<Moment>;
};

namespace detail {

CriterionHandle make_every(Moment scale, std::uint64_t n);
CriterionHandle make_after(Moment scale, std::uint64_t n);
CriterionHandle make_at(Moment scale, std::uint64_t n);
/// Throws ArgumentError unless the time is above 0.
CriterionHandle make_every_seconds(double seconds);
/// The same step, for so many times in all.
CriterionHandle make_limited(const CriterionHandle& step, Integer most);
/// A criterion that is looked at when the step has a pulse.
CriterionHandle make_during(const CriterionHandle& step, const CriterionHandle& criterion);

template <AnyCriterion Step, AnyCriterion C>
struct During;

/// The type of a criterion that is checked at one moment and reads the trainer's counts alone. It counts from when its
/// hook was added, and anew after a reset, unless it counts resets.
template <class Self, Moment m>
struct TimeStep : Criterion<Self> {
    using Reads = Types<>;
    static constexpr MomentSet moments = m;
    static constexpr bool timed = true;
    using Criterion<Self>::Criterion;
};

}  // namespace detail

/// A pulse at the n-th, 2n-th, … time from when its hook was added.
template <Moment m>
struct EveryStep : detail::TimeStep<EveryStep<m>, m> {
    using detail::TimeStep<EveryStep, m>::TimeStep;
    /// For so many times in all.
    EveryStep times(detail::Integer most) const { return EveryStep(detail::make_limited(this->node, most)); }
    /// Checks a criterion at these times only.
    template <AnyCriterion C>
    auto when(const C& criterion) const {
        return detail::During<EveryStep, C>(detail::make_during(this->node, criterion.node));
    }
};

/// Holds from the n-th time on, counted from when its hook was added.
template <Moment m>
struct AfterStep : detail::TimeStep<AfterStep<m>, m> {
    using detail::TimeStep<AfterStep, m>::TimeStep;
};

/// A pulse when the trainer's own count is n: at(5, epoch) is when the fifth epoch is over, whenever the hook was
/// added.
template <Moment m>
struct AtStep : detail::TimeStep<AtStep<m>, m> {
    using detail::TimeStep<AtStep, m>::TimeStep;
};

/// A pulse after the first iteration that ends so many seconds of training or more after the last pulse, or after the
/// first iteration. Pauses and the time between runs do not count.
struct EverySeconds : detail::TimeStep<EverySeconds, Moment::iteration> {
    static constexpr int writer_rank = 1;  // seldom enough that hooks of every iteration must not rely on it
    using TimeStep::TimeStep;
    /// For so many times in all.
    EverySeconds times(detail::Integer most) const { return EverySeconds(detail::make_limited(node, most)); }
    template <AnyCriterion C>
    auto when(const C& criterion) const {
        return detail::During<EverySeconds, C>(detail::make_during(node, criterion.node));
    }
};

namespace detail {

/// How seldom hooks on it compute, where its moments do not tell; -1 where they do.
template <class C>
inline constexpr int writer_rank_of = -1;
template <class C>
    requires requires { C::writer_rank; }
inline constexpr int writer_rank_of<C> = C::writer_rank;

/// C, looked at when the time step has a pulse.
template <AnyCriterion Step, AnyCriterion C>
struct During : Criterion<During<Step, C>> {
    using Reads = typename C::Reads;
    static constexpr MomentSet moments = Step::moments;
    static constexpr bool timed = true;
    static constexpr int writer_rank = writer_rank_of<Step>;
    using Criterion<During>::Criterion;
};

}  // namespace detail

/// `every(10, iteration)`, `every(1, epoch).times(3)`
template <AnyScale S>
auto every(detail::Integer n, S) {
    return EveryStep<S::scale>(detail::make_every(S::scale, detail::positive("every", n)));
}
/// `after(20, epoch)`: once that many are over
template <AnyScale S>
auto after(detail::Integer n, S) {
    return AfterStep<S::scale>(detail::make_after(S::scale, detail::positive("after", n)));
}
template <AnyScale S>
auto at(detail::Integer n, S) {
    return AtStep<S::scale>(detail::make_at(S::scale, detail::positive("at", n)));
}
/// `every(epoch)`, `at(start)`: each time
template <AnyScale S>
auto every(S) {
    return EveryStep<S::scale>(detail::make_every(S::scale, 1));
}
template <AnyScale S>
auto at(S) {
    return EveryStep<S::scale>(detail::make_every(S::scale, 1));
}
/// `every(30s)`, where <chrono> is included and std::chrono_literals used
template <AnyDuration D>
auto every(D time) {
    return EverySeconds(detail::make_every_seconds(detail::in_seconds(time)));
}
/// The criterion itself: what makes `when(…).then(…)` a sentence.
template <AnyCriterion C>
C when(C criterion) {
    return criterion;
}

// ---- what is no time step and no criterion ----

template <class N, class S>
    requires(!std::integral<N> || !AnyScale<S>)
error_time_step_takes_a_whole_number_and_a_scale<N, S> every(N, S);
template <class N, class S>
    requires(!std::integral<N> || !AnyScale<S>)
error_time_step_takes_a_whole_number_and_a_scale<N, S> after(N, S);
template <class N, class S>
    requires(!std::integral<N> || !AnyScale<S>)
error_time_step_takes_a_whole_number_and_a_scale<N, S> at(N, S);
template <class N>
    requires(!AnyScale<N> && !AnyDuration<N>)
error_time_without_a_unit<N> every(N);
template <class N>
error_time_without_a_unit<N> after(N);
template <class N>
    requires(!AnyScale<N>)
error_time_without_a_unit<N> at(N);
template <class X>
    requires(!AnyCriterion<X>)
error_when_takes_a_criterion<X> when(X);

/// Level: the toggle is on, or a pulse is taken. Event: it has been turned on since the last look, or is on at the
/// first, or a pulse is taken. A look takes one pulse, if one was given since the hook was added and this criterion has
/// not taken it; other criteria on the same toggle take it too. Looked at after each iteration.
struct ToggleCriterion : detail::Criterion<ToggleCriterion> {
    using Reads = Types<>;
    static constexpr MomentSet moments = Moment::iteration;
    static constexpr bool timed = false;

    explicit ToggleCriterion(Toggle toggle);
};

/// `when(toggle).then(…)`; also `when(on(toggle) && …)` and `every(1, epoch).when(on(toggle))`.
ToggleCriterion when(Toggle toggle);
ToggleCriterion on(Toggle toggle);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/time_step.ipp>
#endif
