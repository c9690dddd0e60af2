// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/criterion.hpp>

namespace sigma {

namespace detail {

CriterionHandle make_not(const CriterionHandle& inner);
CriterionHandle make_and(const CriterionHandle& a, const CriterionHandle& b);
CriterionHandle make_or(const CriterionHandle& a, const CriterionHandle& b);

/// The type of a criterion on another one.
template <class Self, AnyCriterion C>
struct OfOne : Criterion<Self> {
    using Reads = typename C::Reads;
    static constexpr MomentSet moments = C::moments;
    static constexpr bool timed = C::timed;
    using Criterion<Self>::Criterion;
};
/// Of one on two others, both of which are checked always.
template <class Self, AnyCriterion A, AnyCriterion B>
struct OfTwo : Criterion<Self> {
    using Reads = JoinedTypes<typename A::Reads, typename B::Reads>;
    static constexpr MomentSet moments = A::moments | B::moments;
    static constexpr bool timed = false;
    using Criterion<Self>::Criterion;
};

}  // namespace detail

/// Counts the fresh checks in which C holds; one in which it does not ends the count.
template <AnyCriterion C>
struct InARowOf : detail::OfOne<InARowOf<C>, C> {
    using detail::OfOne<InARowOf, C>::OfOne;
};
template <AnyCriterion C>
struct TimesOf : detail::OfOne<TimesOf<C>, C> {
    using detail::OfOne<TimesOf, C>::OfOne;
};
template <AnyCriterion C>
struct ContinuouslyOf : detail::OfOne<ContinuouslyOf<C>, C> {
    using detail::OfOne<ContinuouslyOf, C>::OfOne;
};
/// Level: C was looked at and does not hold. Event: that has become so.
template <AnyCriterion C>
struct NotOf : detail::OfOne<NotOf<C>, C> {
    using detail::OfOne<NotOf, C>::OfOne;
};
/// Holds while both hold; new when one of them is new while both hold.
template <AnyCriterion A, AnyCriterion B>
struct AndOf : detail::OfTwo<AndOf<A, B>, A, B> {
    using detail::OfTwo<AndOf, A, B>::OfTwo;
};
/// Holds while one holds; new when one of them is.
template <AnyCriterion A, AnyCriterion B>
struct OrOf : detail::OfTwo<OrOf<A, B>, A, B> {
    using detail::OfTwo<OrOf, A, B>::OfTwo;
};

template <AnyCriterion A, AnyCriterion B>
auto operator&&(const A& a, const B& b) {
    return AndOf<A, B>(detail::make_and(a.node, b.node));
}
template <AnyCriterion A, AnyCriterion B>
auto operator||(const A& a, const B& b) {
    return OrOf<A, B>(detail::make_or(a.node, b.node));
}
template <AnyCriterion C>
auto operator!(const C& c) {
    return NotOf<C>(detail::make_not(c.node));
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/combination.ipp>
#endif
