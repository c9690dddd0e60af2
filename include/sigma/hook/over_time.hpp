// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/hook/criterion.hpp>
#include <sigma/hook/time_step.hpp>

#include <cstdint>

namespace sigma {

namespace detail {

enum class Accumulating : unsigned char { average, sum, largest, smallest, smoothed };

/// What becomes of values over time: of the last `window` looks, 0 for all; `share` is what a smoothed one keeps. It
/// begins anew each `every` of a scale, never where that is 0.
struct AccumulateRule {
    Accumulating what{};
    std::uint64_t window = 0;
    double share = 0;
    Moment scale = Moment::epoch;
    std::uint64_t every = 0;

    friend bool operator==(const AccumulateRule&, const AccumulateRule&) = default;
};
detail::SharedOwner<Derived> make_accumulated(const ValueHandle& source, const AccumulateRule& rule);
/// The same, which begins anew each `n` of a scale. Throws ArgumentError where it has a window.
detail::SharedOwner<Derived> make_periodic(const ValueHandle& accumulated, Moment scale, Integer n);
/// Throws ArgumentError unless 0 ≤ share < 1.
double checked_share(double share);

}  // namespace detail

/// What becomes of the values of V over time. V is looked at once when it is new: live values at their moments,
/// computed ones when they have been computed. A NaN is no look. NaN before the first look.
template <AnyValue V, detail::Accumulating what>
struct Accumulated : DerivedValue<Accumulated<V, what>> {
    using Sources = typename V::Sources;
    using Parts = Types<V>;
    static constexpr bool versioned = true, larger_is_better = V::larger_is_better;
    static constexpr Moment moment = V::moment;

    using DerivedValue<Accumulated>::DerivedValue;
    explicit Accumulated(const V& source, std::uint64_t window = 0, double share = 0)
        : Accumulated(detail::make_accumulated(detail::value_of(source), {what, window, share})) {}

    /// Begins anew with each epoch, or `per(100, iteration)` after so many of a scale. The value of an epoch stays
    /// until the first look of the next.
    template <AnyScale S>
        requires(what != detail::Accumulating::smoothed)
    auto per(detail::Integer n, S) const {
        static_assert(S::scale == Moment::iteration || S::scale == Moment::epoch || S::scale == Moment::start,
                      "values are accumulated per iteration, epoch or start");
        return Accumulated(detail::make_periodic(this->handle, S::scale, n));
    }
    template <AnyScale S>
        requires(what != detail::Accumulating::smoothed)
    auto per(S scale) const {
        return per(1, scale);
    }
};

/// What becomes of the last n values: `average(loss, 100)`, `largest(loss, 3)`; without n of all, or of a period:
/// `average(loss).per(epoch)`. Throws ArgumentError where n is below 1.
#define SIGMA_ACCUMULATED(name)                                                           \
    template <AnyValue V>                                                                 \
    auto name(const V& v) {                                                               \
        return Accumulated<V, detail::Accumulating::name>(v);                             \
    }                                                                                     \
    template <AnyValue V>                                                                 \
    auto name(const V& v, detail::Integer n) {                                            \
        return Accumulated<V, detail::Accumulating::name>(v, detail::positive(#name, n)); \
    }
SIGMA_ACCUMULATED(average)
SIGMA_ACCUMULATED(sum)
SIGMA_ACCUMULATED(largest)
SIGMA_ACCUMULATED(smallest)
#undef SIGMA_ACCUMULATED
/// Exponential moving average: m ← share · m + (1 − share) · x, divided by 1 − shareᵗ after t values, so that it does
/// not begin near 0 (Kingma and Ba 2015, "Adam"). Throws ArgumentError unless 0 ≤ share < 1.
template <AnyValue V>
auto smoothed(const V& v, double share) {
    return Accumulated<V, detail::Accumulating::smoothed>(v, 0, detail::checked_share(share));
}

namespace detail {

detail::SharedOwner<Derived> make_latest(const ValueHandle& source);

/// What a value was when it was last new; NaN before. Hooks may read it more often than it is computed, and in the
/// foreground though it is computed in the background. Where hooks fire together, those that read it come after the one
/// that computes it, if their other dependencies allow. As a criterion it is looked at each iteration or when the
/// sentence says.
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

/// `every(10, iteration).then(report(latest(accuracy)))`, where accuracy is computed every epoch
template <AnyValue V>
auto latest(const V& v) {
    return detail::Latest<V>(v);
}

enum class TimeOf { mean, last, shortest, longest, rate };

namespace detail {

detail::SharedOwner<Derived> make_time_per(Moment scale, TimeOf what, std::uint64_t span);

}  // namespace detail

/// A duration in seconds, or a rate, of the last `span` iterations or epochs. NaN before the first is over.
template <Moment m, TimeOf what>
struct TimePer : DerivedValue<TimePer<m, what>> {
    using Sources = Types<>;
    static constexpr Moment moment = m;
    static constexpr bool larger_is_better = what == TimeOf::rate;

    explicit TimePer(std::uint64_t span) : DerivedValue<TimePer>(detail::make_time_per(m, what, span)) {}
};

/// `time_per(iteration)`, `time_per(epoch, 10)`: seconds, without pauses, as the mean over the last `span` without the
/// extremes: of n, the floor(√(n/2)) shortest and as many longest are left out.
template <AnyScale S>
auto time_per(S, detail::Integer span) {
    return TimePer<S::scale, TimeOf::mean>(detail::positive("time_per", span));
}
template <AnyScale S>
auto time_per(S s) {
    return time_per(s, 4);
}
/// 1 / time_per
template <AnyScale S>
auto per_second(S, detail::Integer span) {
    return TimePer<S::scale, TimeOf::rate>(detail::positive("per_second", span));
}
template <AnyScale S>
auto per_second(S s) {
    return per_second(s, 4);
}
template <AnyScale S>
auto last_time(S) {
    return TimePer<S::scale, TimeOf::last>(1);
}
/// Of the last `span`.
template <AnyScale S>
auto shortest_time(S, detail::Integer span) {
    return TimePer<S::scale, TimeOf::shortest>(detail::positive("shortest_time", span));
}
template <AnyScale S>
auto longest_time(S, detail::Integer span) {
    return TimePer<S::scale, TimeOf::longest>(detail::positive("longest_time", span));
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/over_time.ipp>
#endif
