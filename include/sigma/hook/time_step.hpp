// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// The times of hooks: `every`, `after`, `at`, and switches that other threads set. Included by `<sigma/sigma.hpp>`.

#include <sigma/core/arguments.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/hook/criterion.hpp>

#include <cstdint>

namespace sigma {

/// A switch that other threads set and criteria read. Copies are handles of the same switch.
///
/// A toggle has a position, on or off, and pulses, which remain until a reader takes them. No function waits or
/// allocates. Any thread may call them.
///
/// @par Example
/// @code
/// Toggle button;
/// trainer.add(when(button).then(save("now.sigma")));
/// button.pulse();  // from any thread: saves once, after the next iteration
/// @endcode
///
/// @see when(Toggle), on
class Toggle {
public:
    /// Constructs a switch.
    /// @param on  position at the beginning (default: off)
    explicit Toggle(bool on = false);

    /// Sets the position.
    /// @param on  the new position
    void set(bool on) const noexcept;
    /// Reverses the position.
    /// @return the new position
    bool flip() const noexcept;
    /// Returns the position: true if on.
    /// @return the position
    bool state() const noexcept;

    /// Adds a pulse.
    void pulse() const noexcept;
    /// Takes one pulse, no matter which thread has added it. Each pulse is taken once.
    /// @return false if no pulse is left
    bool take() const noexcept;
    /// Returns the number of pulses so far, taken or not. Several readers that must each see all pulses compare this
    /// number.
    /// @return the number
    std::uint64_t pulses() const noexcept;

private:
    struct Position;
    detail::SharedOwner<Position> shared_;
};

/// A scale of times: `iteration`, `epoch`, `start`, `stop`, `hold`, `resume` or `reset`. It is what `every`, `after`
/// and `at` count.
///
/// @see every, after, at
template <class S>
concept AnyScale = requires {
    { S::scale } -> std::convertible_to<Moment>;
};

namespace detail {

CriterionHandle make_every(Moment scale, std::uint64_t n);
CriterionHandle make_after(Moment scale, std::uint64_t n);
CriterionHandle make_at(Moment scale, std::uint64_t n);
/// Makes a criterion for every so many seconds. Throws ArgumentError unless the time is above 0.
CriterionHandle make_every_seconds(double seconds);
/// Returns the same time, at most `most` times.
CriterionHandle make_limited(const CriterionHandle& step, Integer most);
/// Makes a criterion that is evaluated at the times of a step.
CriterionHandle make_during(const CriterionHandle& step, const CriterionHandle& criterion);

template <AnyCriterion Step, AnyCriterion C>
struct During;

/// The type of a criterion on the trainer's counts alone. It counts from the time when its hook was added or the
/// trainer was reset. A criterion on resets counts all of them.
template <class Self, Moment m>
struct TimeStep : Criterion<Self> {
    using Reads = Types<>;
    static constexpr MomentSet moments = m;
    static constexpr bool timed = true;
    using Criterion<Self>::Criterion;
};

}  // namespace detail

/// The type of `every(n, scale)`: fires at the n-th, 2n-th, … time since the hook was added or the trainer was reset.
///
/// @tparam m  kind of moment that is counted
///
/// @see every
template <Moment m>
struct EveryStep : detail::TimeStep<EveryStep<m>, m> {
    /// @cond internal
    using detail::TimeStep<EveryStep, m>::TimeStep;
    /// @endcond
    /// Returns a time that occurs at most `most` times.
    /// @param most  number of times, 1 or more
    /// @return the time, for `then` or `when`
    /// @throws ArgumentError  if `most` is less than 1
    EveryStep times(detail::Integer most) const { return EveryStep(detail::make_limited(this->node, most)); }
    /// Returns a criterion that is evaluated at these times only.
    /// @param criterion  condition to evaluate
    /// @return the criterion, for `when`
    ///
    /// @par Example
    /// @code
    /// trainer.add(every(10, iteration).when(loss.falls_below(0.1)).then(stop));
    /// @endcode
    template <AnyCriterion C>
    auto when(const C& criterion) const {
        return detail::During<EveryStep, C>(detail::make_during(this->node, criterion.node));
    }
};

/// The type of `after(n, scale)`: fires at the n-th time since the hook was added or the trainer was reset, and stays
/// true.
///
/// @tparam m  kind of moment that is counted
///
/// @see after
template <Moment m>
struct AfterStep : detail::TimeStep<AfterStep<m>, m> {
    /// @cond internal
    using detail::TimeStep<AfterStep, m>::TimeStep;
    /// @endcond
};

/// The type of `at(n, scale)`: fires when the trainer's own count is n, independently of when the hook was added.
///
/// @tparam m  kind of moment that is counted
///
/// @see at
template <Moment m>
struct AtStep : detail::TimeStep<AtStep<m>, m> {
    /// @cond internal
    using detail::TimeStep<AtStep, m>::TimeStep;
    /// @endcond
};

/// The type of `every(duration)`: fires after the first iteration that ends this much training time or more after the
/// last firing.
///
/// The time is counted from the first iteration that the hook sees. Pauses and the time between runs do not count.
///
/// @see every
struct EverySeconds : detail::TimeStep<EverySeconds, Moment::iteration> {
    /// @cond internal
    static constexpr int writer_rank = 1;  // rare enough that a hook of each iteration must not depend on it
    using TimeStep::TimeStep;
    /// @endcond
    /// Returns a time that occurs at most `most` times.
    /// @param most  number of times, 1 or more
    /// @return the time, for `then` or `when`
    /// @throws ArgumentError  if `most` is less than 1
    EverySeconds times(detail::Integer most) const { return EverySeconds(detail::make_limited(node, most)); }
    /// Returns a criterion that is evaluated at these times only.
    /// @param criterion  condition to evaluate
    /// @return the criterion, for `when`
    template <AnyCriterion C>
    auto when(const C& criterion) const {
        return detail::During<EverySeconds, C>(detail::make_during(node, criterion.node));
    }
};

namespace detail {

/// The rank of how rarely a hook with this criterion computes its values, if its moments do not determine the rank;
/// else -1.
template <class C>
inline constexpr int writer_rank_of = -1;
template <class C>
    requires requires { C::writer_rank; }
inline constexpr int writer_rank_of<C> = C::writer_rank;

/// The type of a criterion C that is evaluated at the times of a step.
template <AnyCriterion Step, AnyCriterion C>
struct During : Criterion<During<Step, C>> {
    using Reads = typename C::Reads;
    static constexpr MomentSet moments = Step::moments;
    static constexpr bool timed = true;
    static constexpr int writer_rank = writer_rank_of<Step>;
    using Criterion<During>::Criterion;
};

}  // namespace detail

/// Returns the time of every n-th event: `every(10, iteration)`.
///
/// The hook fires at the n-th, 2n-th, … event since it was added or the trainer was reset.
/// @param n      number of events, 1 or more
/// @param scale  what is counted: `iteration`, `epoch`, `start`, `stop`, `hold`, `resume` or `reset`
/// @return the time, for `then` or `when`
/// @throws ArgumentError  if n is less than 1
///
/// @par Example
/// @code
/// trainer.add(every(10, epoch).then(report(epoch, error)), every(1, epoch).times(3).then(save));
/// @endcode
template <AnyScale S>
auto every(detail::Integer n, [[maybe_unused]] S scale) {
    return EveryStep<S::scale>(detail::make_every(S::scale, detail::positive("every", n)));
}
/// Returns the time after n events: `after(20, epoch)`. It stays true from then on.
///
/// The events are counted from the time when the hook was added or the trainer was reset.
/// @param n      number of events, 1 or more
/// @param scale  what is counted: `iteration`, `epoch`, `start`, `stop`, `hold`, `resume` or `reset`
/// @return the time, for `then` or `when`
/// @throws ArgumentError  if n is less than 1
///
/// @par Example
/// @code
/// trainer.add(after(20, epoch).then(stop));
/// @endcode
template <AnyScale S>
auto after(detail::Integer n, [[maybe_unused]] S scale) {
    return AfterStep<S::scale>(detail::make_after(S::scale, detail::positive("after", n)));
}
/// Returns the time at which the trainer's own count is n: `at(5, epoch)` is when the trainer has completed five
/// epochs.
///
/// @param n      count of the trainer, 1 or more
/// @param scale  what is counted: `iteration`, `epoch`, `start`, `stop`, `hold`, `resume` or `reset`
/// @return the time, for `then` or `when`
/// @throws ArgumentError  if n is less than 1
///
/// @par Example
/// @code
/// trainer.add(at(10, epoch).then(freeze("1-*")));
/// @endcode
template <AnyScale S>
auto at(detail::Integer n, [[maybe_unused]] S scale) {
    return AtStep<S::scale>(detail::make_at(S::scale, detail::positive("at", n)));
}
/// Returns the time of each event: `every(epoch)`.
/// @param scale  what is counted: `iteration`, `epoch`, `start`, `stop`, `hold`, `resume` or `reset`
/// @return the time, for `then` or `when`
///
/// @par Example
/// @code
/// trainer.add(every(epoch).then(report(epoch, error)));
/// @endcode
template <AnyScale S>
auto every([[maybe_unused]] S scale) {
    return EveryStep<S::scale>(detail::make_every(S::scale, 1));
}
/// Returns the time of each event, as `every(scale)`. It reads better for events such as `at(start)` and `at(stop)`.
/// @param scale  kind of event: `start`, `stop`, `hold`, `resume`, `reset`, `iteration` or `epoch`
/// @return the time, for `then` or `when`
///
/// @par Example
/// @code
/// trainer.add(at(stop).then(save("last.sigma")));
/// @endcode
template <AnyScale S>
auto at([[maybe_unused]] S scale) {
    return EveryStep<S::scale>(detail::make_every(S::scale, 1));
}
/// Returns the time of every so many seconds of training: `every(30s)`.
///
/// The hook fires after the first iteration that ends this long or longer after the last firing. Pauses and the time
/// between runs do not count. For `30s`, include `<chrono>` and write `using namespace std::chrono_literals;`.
/// @param time  a duration above 0
/// @return the time, for `then` or `when`
/// @throws ArgumentError  if the duration is 0 or less
///
/// @par Example
/// @code
/// trainer.add(every(std::chrono::minutes(10)).then(save).in_background());
/// @endcode
template <AnyDuration D>
auto every(D time) {
    return EverySeconds(detail::make_every_seconds(detail::in_seconds(time)));
}
/// Returns the criterion itself, for hooks of the form `when(criterion).then(action)`.
/// @param criterion  condition at which the hook fires
/// @return the criterion, for `then`
///
/// @par Example
/// @code
/// trainer.add(when(error.falls_below(0.01)).then(report("good enough after", runtime), stop));
/// @endcode
template <AnyCriterion C>
C when(C criterion) {
    return criterion;
}

// ---- rejects wrong arguments of times and `when` ----

/// @cond internal
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
/// @endcond

/// The type of `on(toggle)`: true while the toggle is on, and for each pulse.
///
/// It is evaluated after each iteration. A hook fires if the toggle was turned on since the last evaluation, or is on
/// at the first. Each evaluation takes one pulse that was given since the hook was added. Several criteria on one
/// toggle take each pulse once each.
///
/// @see on, Toggle
struct ToggleCriterion : detail::Criterion<ToggleCriterion> {
    /// @cond internal
    using Reads = Types<>;
    static constexpr MomentSet moments = Moment::iteration;
    static constexpr bool timed = false;
    /// @endcond

    /// Constructs a criterion on a toggle.
    /// @param toggle  switch to read
    explicit ToggleCriterion(Toggle toggle);
};

/// Returns a criterion that is true while a toggle is on, and for each pulse. For hooks: `when(toggle).then(action)`.
/// @param toggle  switch to read
/// @return the criterion, for `then`
///
/// @par Example
/// @code
/// Toggle button;
/// trainer.add(when(button).then(save("now.sigma")));
/// @endcode
ToggleCriterion when(Toggle toggle);
/// Returns a criterion that is true while a toggle is on, and for each pulse. For combinations with other criteria.
/// @param toggle  switch to read
/// @return the criterion, for `when`
///
/// @par Example
/// @code
/// Toggle button;
/// trainer.add(when(on(button) && loss.falls_below(1)).then(stop));
/// @endcode
ToggleCriterion on(Toggle toggle);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/time_step.ipp>
#endif
