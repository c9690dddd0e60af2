// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Criteria: comparisons, changes and extremes of values, and how to combine them. Included by `<sigma/sigma.hpp>`.
#include <sigma/core/arguments.hpp>
#include <sigma/core/error.hpp>
#include <sigma/hook/context.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

// Mistakes in hooks. These types are declared and never defined: a wrong hook has such a type, and the first error of
// the
// compiler, at the user's line, names it. order.hpp has the mistakes of hooks that do not fit together.

namespace sigma {

/// A mistake at compile time: the argument of `when` is not a criterion, as in `when(3)` or `when(accuracy)`.
///
/// A criterion is a comparison of a value, a time, a toggle, or a combination of these.
template <class Given>
struct error_when_takes_a_criterion;
/// A mistake at compile time: the arguments of `every`, `after` or `at` are not a whole number and a scale.
///
/// Examples are `every(1, 5)`, `every(1.5, epoch)` and `after(2)`.
template <class Number, class Scale>
struct error_time_step_takes_a_whole_number_and_a_scale;
/// A mistake at compile time: a time without a unit, as in `every(30)`. Write `every(30s)` or `every(30, iteration)`.
template <class Given>
struct error_time_without_a_unit;
/// A mistake at compile time: an argument of `then` is not an action or a function, as in `then(5)` or `then()`.
template <class... Given>
struct error_then_takes_actions_or_functions;
/// A mistake at compile time: the action changes the trainer or the network, so it cannot run in the background.
template <class Action>
struct error_action_cannot_run_in_the_background;
/// A mistake at compile time: `limit` is called on a hook that does not run in the background.
template <class Hook>
struct error_only_hooks_in_the_background_have_a_limit;
/// A mistake at compile time: an argument of `add` is not a hook, as in `add(5)`.
template <class... Given>
struct error_add_takes_hooks;
/// A mistake at compile time: a criterion without actions, as in `add(when(criterion))`. Append `.then(…)`.
template <class Criterion>
struct error_criterion_without_then;

/// A remedy: `score(data)` computes accuracy and validation_error without further arguments. Metrics are `binary`,
/// `regression` and `top<1, 3>`.
struct use_score_of_the_data_alone_for_accuracy_and_validation_error;
/// A mistake at compile time: the arguments of `score` after the data are values instead of metrics.
template <class Write>
struct error_score_takes_metrics_not_values;
/// A remedy: append the scale, as in `schedule(cosine(100), epoch)`.
struct use_epoch_or_iteration_behind_the_schedule;
/// A mistake at compile time: `schedule` is called without a scale, as in `schedule(cosine(100))`.
template <class Write>
struct error_schedule_needs_a_scale;
/// A remedy: pass the value first, as in `early_stop(validation_error, 5)`.
struct use_early_stop_validation_error_5;
/// A remedy: pass the value first, as in `reduce_on_plateau(validation_error)`.
struct use_reduce_on_plateau_validation_error;
/// A mistake at compile time: the first argument of `early_stop` or `reduce_on_plateau` is not a value.
template <class Write>
struct error_first_argument_is_not_a_value;
/// A remedy: pass the pattern first, as in `modify("*.weights", max_norm(3))`.
struct use_the_pattern_first;
/// A mistake at compile time: the pattern of parameter names is not the first argument.
template <class Write>
struct error_pattern_is_not_the_first_argument;

namespace detail {

/// The base of all criteria.
struct CriterionBase {
    /// @cond internal
    CriterionHandle node;

    std::string text() const { return node->text(); }
    /// @endcond
};
/// The base of all actions.
struct ActionBase {
    /// True if the action can run in each worker. False if it acts on the run, or on what the workers share.
    static constexpr bool in_worker = true;
};

struct Callable {
    void operator()();
};
template <class F>
struct CalledTwice : F, Callable {};
/// True if F can be an argument of `then`. Functions may be templates, which only a trainer can call, so that having a
/// call operator is enough.
template <class F>
inline constexpr bool can_be_done = std::is_pointer_v<F> && std::is_function_v<std::remove_pointer_t<F>>;
template <class F>
    requires(std::is_class_v<F> && std::is_final_v<F>)
inline constexpr bool can_be_done<F> = true;  // a final class cannot be derived from to find its call operator
template <class F>
    requires(std::is_class_v<F> && !std::is_final_v<F>)
inline constexpr bool can_be_done<F> = std::is_base_of_v<ActionBase, F> || !requires { &CalledTwice<F>::operator(); };

/// Returns the number. Throws ArgumentError unless it is 1 or more.
std::uint64_t positive(const char* what, Integer n);

}  // namespace detail

/// A condition on values and times, such as `accuracy.reaches(0.9)`, `every(1, epoch)` or `a && b`.
///
/// The type has the values that it reads (`Reads`), the moments at which they are updated (`moments`), and whether the
/// hook itself determines when it is evaluated (`timed`).
///
/// @see when, every, AnyValue
template <class C>
concept AnyCriterion = std::derived_from<C, detail::CriterionBase>;

/// @cond internal
template <AnyCriterion C>
struct InARowOf;
template <AnyCriterion C>
struct TimesOf;
template <AnyCriterion C>
struct ContinuouslyOf;
template <AnyCriterion C>
struct NotOf;
template <AnyCriterion A, AnyCriterion B>
struct AndOf;
template <AnyCriterion A, AnyCriterion B>
struct OrOf;
/// @endcond

namespace detail {

template <class C>
struct HookMaker;

CriterionHandle make_in_a_row(const CriterionHandle& inner, Integer n);
CriterionHandle make_times(const CriterionHandle& inner, Integer n);
CriterionHandle make_continuously(const CriterionHandle& inner);

/// The functions that every criterion has: `then`, which makes a hook, and conditions on the criterion itself.
///
/// A criterion is evaluated when a value that it reads is updated. A hook fires when the criterion becomes true, and
/// again only after it was false in between. Criteria are values: you can copy them and use them in several hooks. Each
/// hook of each trainer keeps its own counters.
///
/// @tparam C  the type of the criterion
template <class C>
struct Criterion : detail::CriterionBase {
    /// @cond internal
    explicit Criterion(detail::CriterionHandle made) : CriterionBase{std::move(made)} {}
    /// @endcond

    /// Returns a criterion that fires when this one was true at n evaluations in a row. Then the count starts again at
    /// 0.
    /// @param n  number of evaluations, 1 or more
    /// @return the criterion, for `when`
    /// @throws ArgumentError  if n is less than 1
    auto in_a_row(Integer n) const { return InARowOf<C>(detail::make_in_a_row(node, n)); }
    /// Returns a criterion that fires when this one was true at n evaluations, in a row or not. Then the count starts
    /// again at 0.
    /// @param n  number of evaluations, 1 or more
    /// @return the criterion, for `when`
    /// @throws ArgumentError  if n is less than 1
    auto times(Integer n) const { return TimesOf<C>(detail::make_times(node, n)); }
    /// Returns a criterion that fires at every evaluation at which this one is true, not only when it becomes true.
    /// @return the criterion, for `when`
    auto continuously() const { return ContinuouslyOf<C>(detail::make_continuously(node)); }

    /// Makes a hook that runs actions, in this order, when the criterion fires.
    /// @param actions  actions, functions without a parameter, or functions of the trainer, `[](auto& trainer) { … }`
    /// @return the hook, for `Trainer::add`
    template <class... Actions>
        requires(sizeof...(Actions) > 0 && (detail::can_be_done<Actions> && ...))
    auto then(Actions... actions) const {
        return detail::HookMaker<C>::make(node, std::move(actions)...);
    }
    /// @cond internal
    template <class... Given>
        requires(sizeof...(Given) == 0 || !(detail::can_be_done<Given> && ...))
    error_then_takes_actions_or_functions<Given...> then(Given...) const;
    /// @endcond
};

template <class V>
constexpr MomentSet moments_of() {
    // Computed values, and values made of them, have the moments of their writer, which only the group of hooks has.
    return is_versioned<V> && V::Sources::count > 0 ? MomentSet{} : MomentSet(V::moment);
}

CriterionHandle make_not(const CriterionHandle& inner);
CriterionHandle make_and(const CriterionHandle& a, const CriterionHandle& b);
CriterionHandle make_or(const CriterionHandle& a, const CriterionHandle& b);

/// The type of a criterion on another criterion.
template <class Self, AnyCriterion C>
struct OfOne : Criterion<Self> {
    using Reads = typename C::Reads;
    static constexpr MomentSet moments = C::moments;
    static constexpr bool timed = C::timed;
    using Criterion<Self>::Criterion;
};
/// The type of a criterion on two others, both of which are always evaluated.
template <class Self, AnyCriterion A, AnyCriterion B>
struct OfTwo : Criterion<Self> {
    using Reads = JoinedTypes<typename A::Reads, typename B::Reads>;
    static constexpr MomentSet moments = A::moments | B::moments;
    static constexpr bool timed = false;
    using Criterion<Self>::Criterion;
};

}  // namespace detail

/// The type of `criterion.in_a_row(n)`: true when the criterion was true at n evaluations in a row.
///
/// @tparam C  type of the criterion
///
/// @par Example
/// @code
/// trainer.add(when(loss.falls_below(0.1).in_a_row(10)).then(stop));
/// @endcode
template <AnyCriterion C>
struct InARowOf : detail::OfOne<InARowOf<C>, C> {
    using detail::OfOne<InARowOf, C>::OfOne;
};
/// The type of `criterion.times(n)`: true when the criterion was true at n evaluations, in a row or not.
///
/// @tparam C  type of the criterion
///
/// @par Example
/// @code
/// trainer.add(when(error.increases().times(3)).then(stop));
/// @endcode
template <AnyCriterion C>
struct TimesOf : detail::OfOne<TimesOf<C>, C> {
    using detail::OfOne<TimesOf, C>::OfOne;
};
/// The type of `criterion.continuously()`: fires at every evaluation at which the criterion is true.
///
/// @tparam C  type of the criterion
///
/// @par Example
/// @code
/// trainer.add(when(accuracy.reaches(0.9).continuously()).then(save), every(1, epoch).then(score(testing)));
/// @endcode
template <AnyCriterion C>
struct ContinuouslyOf : detail::OfOne<ContinuouslyOf<C>, C> {
    using detail::OfOne<ContinuouslyOf, C>::OfOne;
};
/// The type of `!criterion`: true if the criterion was evaluated and is not true.
///
/// @tparam C  type of the criterion
///
/// @see operator!()
template <AnyCriterion C>
struct NotOf : detail::OfOne<NotOf<C>, C> {
    using detail::OfOne<NotOf, C>::OfOne;
};
/// The type of `a && b`: true while both criteria are true.
///
/// @tparam A  type of the first criterion
/// @tparam B  type of the second criterion
///
/// @see operator&&()
template <AnyCriterion A, AnyCriterion B>
struct AndOf : detail::OfTwo<AndOf<A, B>, A, B> {
    using detail::OfTwo<AndOf, A, B>::OfTwo;
};
/// The type of `a || b`: true while one of the criteria is true.
///
/// @tparam A  type of the first criterion
/// @tparam B  type of the second criterion
///
/// @see operator||()
template <AnyCriterion A, AnyCriterion B>
struct OrOf : detail::OfTwo<OrOf<A, B>, A, B> {
    using detail::OfTwo<OrOf, A, B>::OfTwo;
};

/// Returns a criterion that is true while both criteria are. It fires when one of them fires while both are true.
///
/// Both criteria are always evaluated. Changes, extremes and times are true for one moment only, so two of them must
/// coincide.
/// @param left   the first criterion
/// @param right  the second criterion
/// @return the criterion, for `when`
///
/// @par Example
/// @code
/// trainer.add(when(loss.falls_below(0.1) && error.falls_below(0.2)).then(stop));
/// @endcode
template <AnyCriterion A, AnyCriterion B>
auto operator&&(const A& left, const B& right) {
    return AndOf<A, B>(detail::make_and(left.node, right.node));
}
/// Returns a criterion that is true while one of the criteria is. It fires when one of them fires.
///
/// Both criteria are always evaluated.
/// @param left   the first criterion
/// @param right  the second criterion
/// @return the criterion, for `when`
///
/// @par Example
/// @code
/// trainer.add(when(error.falls_below(0.01) || after(20, epoch)).then(stop));
/// @endcode
template <AnyCriterion A, AnyCriterion B>
auto operator||(const A& left, const B& right) {
    return OrOf<A, B>(detail::make_or(left.node, right.node));
}
/// Returns a criterion that is true if another one was evaluated and is not true.
/// @param criterion  the criterion to negate
/// @return the criterion, for `when`
///
/// @par Example
/// @code
/// trainer.add(when(!loss.falls_below(10)).then(stop));
/// @endcode
template <AnyCriterion C>
auto operator!(const C& criterion) {
    return NotOf<C>(detail::make_not(criterion.node));
}

namespace detail {

enum class Comparing : unsigned char { reaches, exceeds, falls_to, falls_below, equals };

struct Up;
struct Down;

CriterionHandle make_threshold(const ValueHandle& v, Comparing how, double bound);
CriterionHandle make_trend(const ValueHandle& v, bool up);
CriterionHandle make_extremum(const ValueHandle& v, bool up);
CriterionHandle make_change(const ValueHandle& v);
/// Returns the same trend, extremum or change, by at least `least`. Throws ArgumentError if `least` is below 0.
CriterionHandle make_by(const CriterionHandle& criterion, double least);

/// The type of a criterion on one value, which is evaluated when the value is updated.
template <class Self, AnyValue V>
struct ValueCriterion : Criterion<Self> {
    using Reads = Types<V>;
    static constexpr MomentSet moments = moments_of<V>();
    static constexpr bool timed = false;
    using Criterion<Self>::Criterion;
};

}  // namespace detail

/// The type of comparisons with a number, such as `accuracy.reaches(0.9)`. NaN never satisfies a comparison.
///
/// A hook fires when the comparison becomes true, or is true at the first evaluation.
///
/// @tparam V    type of the value
/// @tparam how  the comparison: ≥, >, ≤, < or =
///
/// @par Example
/// @code
/// trainer.add(when(loss.falls_below(0.1)).then(stop));
/// @endcode
template <AnyValue V, detail::Comparing how>
struct ThresholdOf : detail::ValueCriterion<ThresholdOf<V, how>, V> {
    /// @cond internal
    using detail::ValueCriterion<ThresholdOf, V>::ValueCriterion;
    ThresholdOf(const V& v, double bound) : ThresholdOf(detail::make_threshold(detail::value_of(v), how, bound)) {}
    /// @endcond
};

/// The type of `value.increases()` and `value.decreases()`: true if the value changed in this direction since the last
/// evaluation.
///
/// The first evaluation has nothing to compare with, so it is false. NaN is skipped.
///
/// @tparam V          type of the value
/// @tparam Direction  up or down
///
/// @par Example
/// @code
/// trainer.add(when(error.decreases().by(0.1)).then(save));
/// @endcode
template <AnyValue V, class Direction>
struct TrendOf : detail::ValueCriterion<TrendOf<V, Direction>, V> {
    /// @cond internal
    using detail::ValueCriterion<TrendOf, V>::ValueCriterion;
    /// @endcond
    /// Returns a criterion that requires a change by `least` or more.
    /// @param least  smallest change, 0 or more (0 without this call)
    /// @return the criterion, for `when`
    /// @throws ArgumentError  if `least` is below 0 or NaN
    TrendOf by(double least) const { return TrendOf(detail::make_by(this->node, least)); }
};

/// The type of `value.new_maximum()`, `value.new_minimum()` and `value.improves()`: true if the value is the best so
/// far.
///
/// The first evaluation is true. NaN is skipped.
///
/// @tparam V          type of the value
/// @tparam Direction  up for a maximum, down for a minimum
///
/// @par Example
/// @code
/// trainer.add(when(error.improves().by(0.01)).then(save("best.sigma")));
/// @endcode
template <AnyValue V, class Direction>
struct ExtremumOf : detail::ValueCriterion<ExtremumOf<V, Direction>, V> {
    /// @cond internal
    using detail::ValueCriterion<ExtremumOf, V>::ValueCriterion;
    /// @endcond
    /// Returns a criterion that requires an improvement by `least` or more over the last extreme that it found.
    /// @param least  smallest improvement, 0 or more (0 without this call)
    /// @return the criterion, for `when`
    /// @throws ArgumentError  if `least` is below 0 or NaN
    ExtremumOf by(double least) const { return ExtremumOf(detail::make_by(this->node, least)); }
};

/// The type of `value.changes()`: true if the value differs from its number at the last evaluation.
///
/// The first evaluation has nothing to compare with, so it is false. Two NaN do not differ.
///
/// @tparam V  type of the value
///
/// @par Example
/// @code
/// trainer.add(when(learning_rate.changes()).then(report(epoch, learning_rate)));
/// @endcode
template <AnyValue V>
struct ChangeOf : detail::ValueCriterion<ChangeOf<V>, V> {
    /// @cond internal
    using detail::ValueCriterion<ChangeOf, V>::ValueCriterion;
    /// @endcond
    /// Returns a criterion that requires a change by `least` or more, in either direction.
    /// @param least  smallest change, 0 or more (0 without this call)
    /// @return the criterion, for `when`
    /// @throws ArgumentError  if `least` is below 0 or NaN
    ChangeOf by(double least) const { return ChangeOf(detail::make_by(this->node, least)); }
};

namespace detail {

/// The criteria that every value has, as member functions: `loss.falls_below(0.1)`.
///
/// @tparam V  type of the value
template <class V>
struct Comparisons {
    /// Returns a criterion that is true if the value is `bound` or more (≥). A hook fires when that becomes true.
    /// @param bound  number to compare with
    /// @return the criterion, for `when`
    /// @throws ArgumentError  if `bound` is NaN
    auto reaches(double bound) const { return ThresholdOf<V, detail::Comparing::reaches>(self(), bound); }
    /// Returns a criterion that is true if the value is more than `bound` (>). A hook fires when that becomes true.
    /// @param bound  number to compare with
    /// @return the criterion, for `when`
    /// @throws ArgumentError  if `bound` is NaN
    auto exceeds(double bound) const { return ThresholdOf<V, detail::Comparing::exceeds>(self(), bound); }
    /// Returns a criterion that is true if the value is `bound` or less (≤). A hook fires when that becomes true.
    /// @param bound  number to compare with
    /// @return the criterion, for `when`
    /// @throws ArgumentError  if `bound` is NaN
    auto falls_to(double bound) const { return ThresholdOf<V, detail::Comparing::falls_to>(self(), bound); }
    /// Returns a criterion that is true if the value is less than `bound` (<). A hook fires when that becomes true.
    /// @param bound  number to compare with
    /// @return the criterion, for `when`
    /// @throws ArgumentError  if `bound` is NaN
    auto falls_below(double bound) const { return ThresholdOf<V, detail::Comparing::falls_below>(self(), bound); }
    /// Returns a criterion that is true if the value equals `bound`. A hook fires when that becomes true.
    /// @param bound  number to compare with
    /// @return the criterion, for `when`
    /// @throws ArgumentError  if `bound` is NaN
    auto equals(double bound) const { return ThresholdOf<V, detail::Comparing::equals>(self(), bound); }
    /// Returns a criterion that is true if the value is larger than at the last evaluation. Append `.by(d)` for a least
    /// change.
    /// @return the criterion, for `when`
    auto increases() const { return TrendOf<V, detail::Up>(detail::make_trend(handle_of_value(), true)); }
    /// Returns a criterion that is true if the value is smaller than at the last evaluation. Append `.by(d)` for a
    /// least change.
    /// @return the criterion, for `when`
    auto decreases() const { return TrendOf<V, detail::Down>(detail::make_trend(handle_of_value(), false)); }
    /// Returns a criterion that is true if the value has increased n times in a row.
    /// @param n  number of evaluations in a row, 1 or more
    /// @return the criterion, for `when`
    /// @throws ArgumentError  if n is less than 1
    auto increases(Integer n) const { return increases().in_a_row(n); }
    /// Returns a criterion that is true if the value has decreased n times in a row.
    /// @param n  number of evaluations in a row, 1 or more
    /// @return the criterion, for `when`
    /// @throws ArgumentError  if n is less than 1
    auto decreases(Integer n) const { return decreases().in_a_row(n); }
    /// Returns a criterion that is true if the value is larger than ever before, or is the first. Append `.by(d)` for a
    /// least improvement.
    /// @return the criterion, for `when`
    auto new_maximum() const { return ExtremumOf<V, detail::Up>(detail::make_extremum(handle_of_value(), true)); }
    /// Returns a criterion that is true if the value is smaller than ever before, or is the first. Append `.by(d)` for
    /// a least improvement.
    /// @return the criterion, for `when`
    auto new_minimum() const { return ExtremumOf<V, detail::Down>(detail::make_extremum(handle_of_value(), false)); }
    /// Returns a criterion that is true if the value is better than ever before, or is the first.
    ///
    /// Better means larger for `accuracy`, `samples_per_second` and most computed values. It means smaller for all
    /// other values, and for computed values with "error" or "loss" in their name.
    /// @return the criterion, for `when`
    auto improves() const {
        return ExtremumOf<V, std::conditional_t<V::larger_is_better, detail::Up, detail::Down>>(
            detail::make_extremum(handle_of_value(), V::larger_is_better));
    }
    /// Returns a criterion that is true if the value differs from its number at the last evaluation. Append `.by(d)`
    /// for a least change.
    /// @return the criterion, for `when`
    auto changes() const { return ChangeOf<V>(detail::make_change(handle_of_value())); }

private:
    const V& self() const { return static_cast<const V&>(*this); }
    detail::ValueHandle handle_of_value() const { return detail::value_of(self()); }
};

}  // namespace detail

// ---- `accuracy > 0.9` does not compile ----

/// @cond internal
struct use_exceeds;
struct use_reaches;
struct use_falls_below;
struct use_falls_to;
struct use_equals;
/// A mistake at compile time: a value is compared by an operator, as in `when(accuracy > 0.9)`. Write
/// `when(accuracy.exceeds(0.9))`.
template <class Write>
struct error_value_is_compared_by_an_operator;

template <class V, class X>
    requires std::is_arithmetic_v<X> && AnyValue<V>
error_value_is_compared_by_an_operator<use_exceeds> operator>(const V&, X);
template <class V, class X>
    requires std::is_arithmetic_v<X> && AnyValue<V>
error_value_is_compared_by_an_operator<use_reaches> operator>=(const V&, X);
template <class V, class X>
    requires std::is_arithmetic_v<X> && AnyValue<V>
error_value_is_compared_by_an_operator<use_falls_below> operator<(const V&, X);
template <class V, class X>
    requires std::is_arithmetic_v<X> && AnyValue<V>
error_value_is_compared_by_an_operator<use_falls_to> operator<=(const V&, X);
template <class V, class X>
    requires std::is_arithmetic_v<X> && AnyValue<V>
error_value_is_compared_by_an_operator<use_equals> operator==(const V&, X);
/// @endcond

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/criterion.ipp>
#endif
