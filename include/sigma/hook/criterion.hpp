// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/arguments.hpp>
#include <sigma/core/error.hpp>
#include <sigma/hook/context.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

// Mistakes in sentences. These types are declared and never defined: a wrong sentence has such a type, and the first
// error of the compiler, at the user's line, names it. order.hpp has those of sentences that do not fit together.

namespace sigma {

/// when(3), when(accuracy): a criterion is a comparison of a value, a time step, a toggle, or made of these.
template <class Given>
struct error_when_takes_a_criterion;
/// every(1, 5), every(1.5, epoch), after(2)
template <class Number, class Scale>
struct error_time_step_takes_a_whole_number_and_a_scale;
/// every(30): of what? every(30s), or every(30, iteration)
template <class Given>
struct error_time_without_a_unit;
/// .then(5), .then(accuracy), .then(): actions of the library, or functions of nothing or of a trainer.
template <class... Given>
struct error_then_takes_actions_or_functions;
/// An action that changes what trains, or a function of the trainer.
template <class Action>
struct error_action_cannot_run_in_the_background;
template <class Hook>
struct error_only_hooks_in_the_background_have_a_limit;
/// add(5)
template <class... Given>
struct error_add_takes_sentences;
/// add(when(c)): what is to be done?
template <class Criterion>
struct error_sentence_without_then;

/// score(data, accuracy): a metric is said by `binary`, `regression`, `top<1, 3>`; accuracy is there without.
struct write_score_of_the_data_alone_for_accuracy_and_validation_error;
template <class Write>
struct error_score_takes_metrics_not_values;
/// schedule(cosine(100)): 100 of what?
struct write_epoch_or_iteration_behind_the_schedule;
template <class Write>
struct error_schedule_needs_a_scale;
/// early_stop(5): when what does not improve?
struct write_early_stop_validation_error_5;
struct write_reduce_on_plateau_validation_error;
template <class Write>
struct error_looks_begin_with_a_value;
/// modify(max_norm(3), "*.weights"), initialize(gaussian(0.1), "*.weights")
struct write_the_pattern_first;
template <class Write>
struct error_pattern_stands_before_what_is_done;

namespace detail {

/// What all criteria have: how they combine and how a sentence goes on after them.
struct CriterionBase {
    CriterionHandle node;

    std::string text() const { return node->text(); }
};
/// What all actions have.
struct ActionBase {
    static constexpr bool in_worker = true;  ///< may it act in each worker? Not on the run, or on what workers share
};

struct Callable {
    void operator()();
};
template <class F>
struct CalledTwice : F, Callable {};
/// Can it stand behind `then`? Functions may be templates, whose calls only a trainer can try; their name is enough.
template <class F>
inline constexpr bool can_be_done = std::is_pointer_v<F> && std::is_function_v<std::remove_pointer_t<F>>;
template <class F>
    requires(std::is_class_v<F> && std::is_final_v<F>)
inline constexpr bool can_be_done<F> = true;  // nothing can be derived from it to find out
template <class F>
    requires(std::is_class_v<F> && !std::is_final_v<F>)
inline constexpr bool can_be_done<F> = std::is_base_of_v<ActionBase, F> || !requires { &CalledTwice<F>::operator(); };

/// The number, which must be 1 or more: ArgumentError.
std::uint64_t positive(const char* what, Integer n);

}  // namespace detail

/// A criterion says in its type which values it reads (`Reads`), at which moments they are new (`moments`), and whether
/// the sentence itself says when to look (`timed`).
template <class C>
concept AnyCriterion = std::derived_from<C, detail::CriterionBase>;

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

namespace detail {

template <class C>
struct HookMaker;

CriterionHandle make_in_a_row(const CriterionHandle& inner, Integer n);
CriterionHandle make_times(const CriterionHandle& inner, Integer n);
CriterionHandle make_continuously(const CriterionHandle& inner);

/// What can be said after a criterion.
template <class C>
struct Criterion : detail::CriterionBase {
    explicit Criterion(detail::CriterionHandle made) : CriterionBase{std::move(made)} {}

    /// Holds in `n` checks one after the other; then it counts anew.
    auto in_a_row(Integer n) const { return InARowOf<C>(detail::make_in_a_row(node, n)); }
    /// Holds in `n` checks, whatever is between; then it counts anew.
    auto times(Integer n) const { return TimesOf<C>(detail::make_times(node, n)); }
    /// Fires at each check in which it holds, not only when it begins to.
    auto continuously() const { return ContinuouslyOf<C>(detail::make_continuously(node)); }

    /// The actions, in order: those of the library, or functions of nothing or of the trainer.
    template <class... Actions>
        requires(sizeof...(Actions) > 0 && (detail::can_be_done<Actions> && ...))
    auto then(Actions... actions) const {
        return detail::HookMaker<C>::make(node, std::move(actions)...);
    }
    template <class... Given>
        requires(sizeof...(Given) == 0 || !(detail::can_be_done<Given> && ...))
    error_then_takes_actions_or_functions<Given...> then(Given...) const;
};

template <class V>
constexpr MomentSet moments_of() {
    // Those of computed values, and of what is made of them, are their writer's, which only the group of hooks knows.
    return is_versioned<V> && V::Sources::count > 0 ? MomentSet{} : MomentSet(V::moment);
}

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

namespace detail {

enum class Comparing : unsigned char { reaches, exceeds, falls_to, falls_below, equals };

struct Up;
struct Down;

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
template <AnyValue V, detail::Comparing how>
struct ThresholdOf : detail::ValueCriterion<ThresholdOf<V, how>, V> {
    using detail::ValueCriterion<ThresholdOf, V>::ValueCriterion;
    ThresholdOf(const V& v, double bound) : ThresholdOf(detail::make_threshold(detail::value_of(v), how, bound)) {}
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
    auto reaches(double bound) const { return ThresholdOf<V, detail::Comparing::reaches>(self(), bound); }    ///< ≥
    auto exceeds(double bound) const { return ThresholdOf<V, detail::Comparing::exceeds>(self(), bound); }    ///< >
    auto falls_to(double bound) const { return ThresholdOf<V, detail::Comparing::falls_to>(self(), bound); }  ///< ≤
    auto falls_below(double bound) const {
        return ThresholdOf<V, detail::Comparing::falls_below>(self(), bound);
    }  ///< <
    auto equals(double bound) const { return ThresholdOf<V, detail::Comparing::equals>(self(), bound); }
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
#include <sigma/hook/impl/criterion.ipp>
#endif
