// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/combination.hpp>

#include <type_traits>

namespace sigma {

namespace detail {

enum class Comparing : unsigned char { reaches, exceeds, falls_to, falls_below, equals };

struct Reaches {
    static constexpr Comparing how = Comparing::reaches;
};
struct Exceeds {
    static constexpr Comparing how = Comparing::exceeds;
};
struct FallsTo {
    static constexpr Comparing how = Comparing::falls_to;
};
struct FallsBelow {
    static constexpr Comparing how = Comparing::falls_below;
};
struct Equals {
    static constexpr Comparing how = Comparing::equals;
};

struct Up {
    static bool further(double x, double last, double by) { return x > last && x >= last + by; }
};
struct Down {
    static bool further(double x, double last, double by) { return x < last && x <= last - by; }
};

CriterionHandle make_threshold(const ValueHandle& v, Comparing how, double bound);
CriterionHandle make_trend(const ValueHandle& v, bool up);
CriterionHandle make_extremum(const ValueHandle& v, bool up);
CriterionHandle make_change(const ValueHandle& v);
/// The same trend, extremum or change, by at least so much: ArgumentError where that is below 0.
CriterionHandle make_by(const CriterionHandle& criterion, double least);

/// The type of a criterion on one value, which is looked at when it is new.
template <class Self, AnyValue V>
struct ValueCriterion : Criterion<Self> {
    using Reads = Types<V>;
    static constexpr MomentSet moments = moments_of<V>();
    static constexpr bool timed = false;
    using Criterion<Self>::Criterion;
};

}  // namespace detail

/// Level: the comparison is true. Event: it has become true, or is at the first look. NaN compares false.
template <AnyValue V, class Comparison>
struct ThresholdOf : detail::ValueCriterion<ThresholdOf<V, Comparison>, V> {
    using detail::ValueCriterion<ThresholdOf, V>::ValueCriterion;
    ThresholdOf(const V& v, double bound)
        : ThresholdOf(detail::make_threshold(detail::value_of(v), Comparison::how, bound)) {}
};

/// A pulse (level and event alike) when the value is further up or down than at the last look, by at least `by` where
/// that is above 0. The first look has nothing to compare with. A NaN is no look.
template <AnyValue V, class Direction>
struct TrendOf : detail::ValueCriterion<TrendOf<V, Direction>, V> {
    using detail::ValueCriterion<TrendOf, V>::ValueCriterion;
    TrendOf by(double least) const { return TrendOf(detail::make_by(this->node, least)); }
};

/// A pulse when the value is the largest or smallest so far, also at the first look; with `by`, when it is so by at
/// least that much. A NaN is no look.
template <AnyValue V, class Direction>
struct ExtremumOf : detail::ValueCriterion<ExtremumOf<V, Direction>, V> {
    using detail::ValueCriterion<ExtremumOf, V>::ValueCriterion;
    ExtremumOf by(double least) const { return ExtremumOf(detail::make_by(this->node, least)); }
};

/// A pulse when the value differs from that at the last look; with `by`, by at least that much. The first look has
/// nothing to compare with; NaN and NaN do not differ.
template <AnyValue V>
struct ChangeOf : detail::ValueCriterion<ChangeOf<V>, V> {
    using detail::ValueCriterion<ChangeOf, V>::ValueCriterion;
    ChangeOf by(double least) const { return ChangeOf(detail::make_by(this->node, least)); }
};

namespace detail {

/// What every value can be asked.
template <class V>
struct Comparisons {
    auto reaches(double bound) const { return ThresholdOf<V, detail::Reaches>(self(), bound); }         ///< ≥
    auto exceeds(double bound) const { return ThresholdOf<V, detail::Exceeds>(self(), bound); }         ///< >
    auto falls_to(double bound) const { return ThresholdOf<V, detail::FallsTo>(self(), bound); }        ///< ≤
    auto falls_below(double bound) const { return ThresholdOf<V, detail::FallsBelow>(self(), bound); }  ///< <
    auto equals(double bound) const { return ThresholdOf<V, detail::Equals>(self(), bound); }
    /// Since the last look; with a number, so many times in a row.
    auto increases() const { return TrendOf<V, detail::Up>(detail::make_trend(handle_of_value(), true)); }
    auto decreases() const { return TrendOf<V, detail::Down>(detail::make_trend(handle_of_value(), false)); }
    auto increases(Integer n) const { return increases().in_a_row(n); }
    auto decreases(Integer n) const { return decreases().in_a_row(n); }
    auto new_maximum() const { return ExtremumOf<V, detail::Up>(detail::make_extremum(handle_of_value(), true)); }
    auto new_minimum() const { return ExtremumOf<V, detail::Down>(detail::make_extremum(handle_of_value(), false)); }
    /// A new maximum of what should be large, as accuracy, and a new minimum of what should be small, as errors.
    auto improves() const {
        return ExtremumOf<V, std::conditional_t<V::larger_is_better, detail::Up, detail::Down>>(
            detail::make_extremum(handle_of_value(), V::larger_is_better));
    }
    auto changes() const { return ChangeOf<V>(detail::make_change(handle_of_value())); }

private:
    const V& self() const { return static_cast<const V&>(*this); }
    detail::ValueHandle handle_of_value() const { return detail::value_of(self()); }
};

}  // namespace detail

// ---- `accuracy > 0.9` is no sentence ----

struct write_exceeds;
struct write_reaches;
struct write_falls_below;
struct write_falls_to;
struct write_equals;
/// when(accuracy > 0.9): when(accuracy.exceeds(0.9))
template <class Write>
struct error_values_are_compared_by_words;

template <class V, class X>
    requires std::is_arithmetic_v<X> && AnyValue<V>
error_values_are_compared_by_words<write_exceeds> operator>(const V&, X);
template <class V, class X>
    requires std::is_arithmetic_v<X> && AnyValue<V>
error_values_are_compared_by_words<write_reaches> operator>=(const V&, X);
template <class V, class X>
    requires std::is_arithmetic_v<X> && AnyValue<V>
error_values_are_compared_by_words<write_falls_below> operator<(const V&, X);
template <class V, class X>
    requires std::is_arithmetic_v<X> && AnyValue<V>
error_values_are_compared_by_words<write_falls_to> operator<=(const V&, X);
template <class V, class X>
    requires std::is_arithmetic_v<X> && AnyValue<V>
error_values_are_compared_by_words<write_equals> operator==(const V&, X);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/comparison.ipp>
#endif
