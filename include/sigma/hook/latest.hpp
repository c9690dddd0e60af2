// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/hook/comparison.hpp>

namespace sigma {

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

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/latest.ipp>
#endif
