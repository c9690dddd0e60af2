// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Values over time: means, sums and extremes, the latest number, and durations. Included by `<sigma/sigma.hpp>`.
#include <sigma/core/owners.hpp>
#include <sigma/hook/criterion.hpp>
#include <sigma/hook/time_step.hpp>

#include <cstdint>

namespace sigma {

namespace detail {

enum class Accumulating : unsigned char { average, sum, largest, smallest, smoothed };

/// The rule of a value over time: over the last `window` numbers (0: all); `share` is what a smoothed value keeps. The
/// value starts again after each `every` of a scale, never if that is 0.
struct AccumulateRule {
    Accumulating what{};
    std::uint64_t window = 0;
    double share = 0;
    Moment scale = Moment::epoch;
    std::uint64_t every = 0;

    friend bool operator==(const AccumulateRule&, const AccumulateRule&) = default;
};
detail::SharedOwner<Derived> make_accumulated(const ValueHandle& source, const AccumulateRule& rule);
/// Returns the same value over time, which starts again after each `n` of a scale. Throws ArgumentError if it has a
/// window.
detail::SharedOwner<Derived> make_periodic(const ValueHandle& accumulated, Moment scale, Integer n);
/// Returns the share. Throws ArgumentError unless 0 ≤ share < 1.
double checked_share(double share);

}  // namespace detail

/// The type of `average(v)`, `sum(v)`, `largest(v)`, `smallest(v)` and `smoothed(v, share)`: a value over time.
///
/// It takes each new number of V once: live values at their moments, computed values when they were computed. NaN is
/// skipped. The result is NaN before the first number.
///
/// @tparam V     type of the value
/// @tparam what  kind of result
///
/// @see average, sum, largest, smallest, smoothed
template <AnyValue V, detail::Accumulating what>
struct Accumulated : DerivedValue<Accumulated<V, what>> {
    /// @cond internal
    using Sources = typename V::Sources;
    using Parts = Types<V>;
    static constexpr bool versioned = true, larger_is_better = V::larger_is_better;
    static constexpr Moment moment = V::moment;

    using DerivedValue<Accumulated>::DerivedValue;
    /// @endcond

    /// Constructs a value over time. `average`, `sum` and the other functions do that for you.
    /// @param source  value to read
    /// @param window  number of last values; 0: all
    /// @param share   share that `smoothed` keeps
    explicit Accumulated(const V& source, std::uint64_t window = 0, double share = 0)
        : Accumulated(detail::make_accumulated(detail::value_of(source), {what, window, share})) {}

    /// Returns the same value, which starts again after each `n` of a scale: `average(loss).per(100, iteration)`.
    ///
    /// The result of a period stays until the first number of the next period.
    /// @param n      length of a period, 1 or more
    /// @param scale  unit of the length: `iteration`, `epoch` or `start`
    /// @return the same value
    /// @throws ArgumentError  if n is less than 1 or the value has a window
    ///
    /// @par Example
    /// @code
    /// trainer.add(every(100, iteration).then(report(average(loss).per(100, iteration))));
    /// @endcode
    template <AnyScale S>
        requires(what != detail::Accumulating::smoothed)
    auto per(detail::Integer n, [[maybe_unused]] S scale) const {
        static_assert(S::scale == Moment::iteration || S::scale == Moment::epoch || S::scale == Moment::start,
                      "the scale of per must be iteration, epoch or start");
        return Accumulated(detail::make_periodic(this->handle, S::scale, n));
    }
    /// Returns the same value, which starts again with each epoch (or iteration, or run): `average(loss).per(epoch)`.
    /// @param scale  length of a period: `iteration`, `epoch` or `start`
    /// @return the same value
    /// @throws ArgumentError  if the value has a window
    template <AnyScale S>
        requires(what != detail::Accumulating::smoothed)
    auto per(S scale) const {
        return per(1, scale);
    }
};

#define SIGMA_ACCUMULATED(name)                                   \
    template <AnyValue V>                                         \
    auto name(const V& value) {                                   \
        return Accumulated<V, detail::Accumulating::name>(value); \
    }
#define SIGMA_ACCUMULATED_LAST(name)                                                          \
    template <AnyValue V>                                                                     \
    auto name(const V& value, detail::Integer n) {                                            \
        return Accumulated<V, detail::Accumulating::name>(value, detail::positive(#name, n)); \
    }
/// Returns the mean of all numbers of a value, or of those of a period: `average(loss).per(epoch)`.
/// @param value  value to read, such as `loss`
/// @return a value, which is updated when `value` is. NaN is skipped, and the result is NaN before the first number.
///
/// @par Example
/// @code
/// trainer.add(every(1, epoch).then(report(average(loss).per(epoch))));
/// @endcode
///
/// @see Accumulated
SIGMA_ACCUMULATED(average)
/// Returns the mean of the last n numbers of a value: `average(loss, 100)`.
/// @param value  value to read, such as `loss`
/// @param n      number of last values, 1 or more
/// @return a value, which is updated when `value` is. NaN is skipped, and the result is NaN before the first number.
/// @throws ArgumentError  if n is less than 1
///
/// @par Example
/// @code
/// trainer.add(when(average(loss, 100).falls_below(0.1)).then(stop));
/// @endcode
SIGMA_ACCUMULATED_LAST(average)
/// Returns the sum of all numbers of a value, or of those of a period: `sum(loss).per(epoch)`.
///
/// Rounding errors are compensated (Neumaier). Sums of integers below 2⁵³ are exact.
/// @param value  value to read, such as `loss`
/// @return a value, which is updated when `value` is. NaN is skipped, and the result is NaN before the first number.
///
/// @par Example
/// @code
/// trainer.add(every(1, epoch).then(report(sum(loss).per(epoch))));
/// @endcode
///
/// @see Accumulated
SIGMA_ACCUMULATED(sum)
/// Returns the sum of the last n numbers of a value: `sum(loss, 100)`.
///
/// Rounding errors are compensated (Neumaier). Sums of integers below 2⁵³ are exact.
/// @param value  value to read, such as `loss`
/// @param n      number of last values, 1 or more
/// @return a value, which is updated when `value` is. NaN is skipped, and the result is NaN before the first number.
/// @throws ArgumentError  if n is less than 1
///
/// @par Example
/// @code
/// trainer.add(every(10, iteration).then(report(sum(loss, 10))));
/// @endcode
SIGMA_ACCUMULATED_LAST(sum)
/// Returns the largest of all numbers of a value, or of those of a period: `largest(loss).per(epoch)`.
/// @param value  value to read, such as `loss`
/// @return a value, which is updated when `value` is. NaN is skipped, and the result is NaN before the first number.
///
/// @par Example
/// @code
/// trainer.add(every(1, epoch).then(report(largest(loss).per(epoch))));
/// @endcode
///
/// @see Accumulated
SIGMA_ACCUMULATED(largest)
/// Returns the largest of the last n numbers of a value: `largest(loss, 100)`.
/// @param value  value to read, such as `loss`
/// @param n      number of last values, 1 or more
/// @return a value, which is updated when `value` is. NaN is skipped, and the result is NaN before the first number.
/// @throws ArgumentError  if n is less than 1
///
/// @par Example
/// @code
/// trainer.add(when(largest(loss, 100).falls_below(0.1)).then(stop));
/// @endcode
SIGMA_ACCUMULATED_LAST(largest)
/// Returns the smallest of all numbers of a value, or of those of a period: `smallest(loss).per(epoch)`.
/// @param value  value to read, such as `loss`
/// @return a value, which is updated when `value` is. NaN is skipped, and the result is NaN before the first number.
///
/// @par Example
/// @code
/// trainer.add(every(1, epoch).then(report(smallest(loss).per(epoch))));
/// @endcode
///
/// @see Accumulated
SIGMA_ACCUMULATED(smallest)
/// Returns the smallest of the last n numbers of a value: `smallest(loss, 100)`.
/// @param value  value to read, such as `loss`
/// @param n      number of last values, 1 or more
/// @return a value, which is updated when `value` is. NaN is skipped, and the result is NaN before the first number.
/// @throws ArgumentError  if n is less than 1
///
/// @par Example
/// @code
/// trainer.add(when(smallest(loss, 100).exceeds(10)).then(stop));
/// @endcode
SIGMA_ACCUMULATED_LAST(smallest)
#undef SIGMA_ACCUMULATED_LAST
#undef SIGMA_ACCUMULATED
/// Returns the exponential moving average of a value: m ← share · m + (1 − share) · x.
///
/// The result is divided by 1 − shareᵗ after t numbers, so that it does not begin near 0 (Kingma and Ba 2015, "Adam").
/// @param value  value to read, such as `loss`
/// @param share  share of the old average that is kept, from 0 to below 1. 0.98 averages over about 50 numbers.
/// @return a value, which is updated when `value` is. NaN is skipped, and the result is NaN before the first number.
/// @throws ArgumentError  unless 0 ≤ share < 1
///
/// @par Example
/// @code
/// trainer.add(when(smoothed(loss, 0.98).falls_below(0.1)).then(stop));
/// @endcode
template <AnyValue V>
auto smoothed(const V& value, double share) {
    return Accumulated<V, detail::Accumulating::smoothed>(value, 0, detail::checked_share(share));
}

namespace detail {

detail::SharedOwner<Derived> make_latest(const ValueHandle& source);

/// The type of `latest(v)`. If hooks fire together, those that read it run after the one that computes v, if their
/// other dependencies allow. A criterion on it is evaluated each iteration, or at the times of the hook.
template <AnyValue V>
struct Latest : DerivedValue<Latest<V>> {
    using Sources = Types<>;
    using LooseSources = typename V::Sources;
    using Parts = Types<V>;
    static constexpr bool larger_is_better = V::larger_is_better;
    static constexpr Moment moment = Moment::iteration;

    explicit Latest(const V& v) : DerivedValue<Latest>(detail::make_latest(detail::value_of(v))) {}
};

}  // namespace detail

/// Returns the number that a value had when it was last updated. NaN before.
///
/// Use it to read a value more often than it is computed, or to read on the trainer's thread what a hook computes in
/// the background.
/// @param value  value to read, such as `accuracy`
/// @return a value, which counts as updated each iteration
///
/// @par Example
/// @code
/// trainer.add(every(1, epoch).then(score(testing)), every(10, iteration).then(report(loss, latest(accuracy))));
/// @endcode
template <AnyValue V>
auto latest(const V& value) {
    return detail::Latest<V>(value);
}

/// The kinds of durations that TimePer measures.
///
/// @see TimePer
enum class TimeOf {
    mean,      ///< mean without the extremes, in seconds
    last,      ///< the last duration, in seconds
    shortest,  ///< the shortest duration, in seconds
    longest,   ///< the longest duration, in seconds
    rate       ///< 1 / mean, per second
};

namespace detail {

detail::SharedOwner<Derived> make_time_per(Moment scale, TimeOf what, std::uint64_t span);

}  // namespace detail

/// The type of `time_per`, `per_second`, `last_time`, `shortest_time` and `longest_time`. NaN before the first
/// iteration or epoch has ended.
///
/// @tparam m     `Moment::iteration` or `Moment::epoch`
/// @tparam what  kind of duration
///
/// @see time_per, per_second
template <Moment m, TimeOf what>
struct TimePer : DerivedValue<TimePer<m, what>> {
    /// @cond internal
    using Sources = Types<>;
    static constexpr Moment moment = m;
    static constexpr bool larger_is_better = what == TimeOf::rate;
    /// @endcond

    /// Constructs a duration.
    /// @param span  number of last durations, 1 or more
    explicit TimePer(std::uint64_t span) : DerivedValue<TimePer>(detail::make_time_per(m, what, span)) {}
};

/// Returns the mean time of an iteration or epoch in seconds, over the last `span`, without pauses and extremes.
///
/// Of n durations, the ⌊√(n/2)⌋ shortest and as many longest are ignored.
/// @param scale  `iteration` or `epoch`
/// @param span   number of last durations, 1 or more (default: 4)
/// @return a value in seconds, updated at each iteration or epoch
/// @throws ArgumentError  if `span` is less than 1
///
/// @par Example
/// @code
/// trainer.add(every(1, epoch).then(report(time_per(epoch, 10), per_second(iteration))));
/// @endcode
///
/// @see per_second
template <AnyScale S>
auto time_per([[maybe_unused]] S scale, detail::Integer span = 4) {
    return TimePer<S::scale, TimeOf::mean>(detail::positive("time_per", span));
}
/// Returns the number of iterations or epochs per second: 1 / `time_per(scale, span)`.
/// @param scale  `iteration` or `epoch`
/// @param span   number of last durations, 1 or more (default: 4)
/// @return a value per second, updated at each iteration or epoch
/// @throws ArgumentError  if `span` is less than 1
///
/// @see time_per
template <AnyScale S>
auto per_second([[maybe_unused]] S scale, detail::Integer span = 4) {
    return TimePer<S::scale, TimeOf::rate>(detail::positive("per_second", span));
}
/// Returns the time of the last iteration or epoch in seconds, without pauses.
/// @param scale  `iteration` or `epoch`
/// @return a value in seconds, updated at each iteration or epoch
///
/// @see time_per
template <AnyScale S>
auto last_time([[maybe_unused]] S scale) {
    return TimePer<S::scale, TimeOf::last>(1);
}
/// Returns the shortest time of the last `span` iterations or epochs in seconds, without pauses.
/// @param scale  `iteration` or `epoch`
/// @param span   number of last durations, 1 or more
/// @return a value in seconds, updated at each iteration or epoch
/// @throws ArgumentError  if `span` is less than 1
///
/// @see time_per
template <AnyScale S>
auto shortest_time([[maybe_unused]] S scale, detail::Integer span) {
    return TimePer<S::scale, TimeOf::shortest>(detail::positive("shortest_time", span));
}
/// Returns the longest time of the last `span` iterations or epochs in seconds, without pauses.
/// @param scale  `iteration` or `epoch`
/// @param span   number of last durations, 1 or more
/// @return a value in seconds, updated at each iteration or epoch
/// @throws ArgumentError  if `span` is less than 1
///
/// @see time_per
template <AnyScale S>
auto longest_time([[maybe_unused]] S scale, detail::Integer span) {
    return TimePer<S::scale, TimeOf::longest>(detail::positive("longest_time", span));
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/over_time.ipp>
#endif
