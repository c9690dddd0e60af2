// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/shared_owner.hpp>
#include <sigma/hook/comparison.hpp>
#include <sigma/hook/time_step.hpp>

namespace sigma {

namespace detail {

enum class Accumulating : unsigned char { average, sum, largest, smallest, smoothed };

/// What becomes of values over time: of the last `window` looks, 0 for all; `share` is what a smoothed one keeps.
struct AccumulateRule {
    Accumulating what;
    std::uint64_t window = 0;
    double share = 0;

    friend bool operator==(const AccumulateRule&, const AccumulateRule&) = default;
};
detail::SharedOwner<Derived> make_accumulated(const ValueHandle& source, const AccumulateRule& rule);
/// The same, which begins anew each `n` of a scale. Throws ArgumentError where it has a window.
detail::SharedOwner<Derived> make_periodic(const ValueHandle& accumulated, Moment scale, Integer n);

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
    auto per(Integer n, S) const {
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

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/accumulate.ipp>
#endif
