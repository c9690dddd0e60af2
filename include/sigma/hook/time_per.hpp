// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/hook/comparison.hpp>
#include <sigma/hook/time_step.hpp>

#include <cstdint>

namespace sigma {

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
#include <sigma/hook/impl/time_per.ipp>
#endif
