// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Actions on the learning rate and other hyperparameters: `set`, `multiply`, `schedule`. Included by
/// `<sigma/sigma.hpp>`.
#include <sigma/core/field.hpp>
#include <sigma/hook/hook.hpp>
#include <sigma/hook/schedules.hpp>
#include <sigma/hook/words.hpp>
#include <sigma/optimizer/check.hpp>
#include <sigma/optimizer/table.hpp>
#include <sigma/tape/mistake.hpp>

#include <string>
#include <utility>

namespace sigma {

/// A mistake at compile time: a hook changes the learning rate of an optimizer that has none.
template <class Optimizer>
struct error_optimizer_has_no_learning_rate;
/// A mistake at compile time: `set` or `multiply` names a member of another optimizer than the trainer's.
template <class Optimizer, class Member>
struct error_optimizer_has_no_such_member;

namespace detail {

/// Returns the mistake of an action that changes the learning rate, for its `check_optimizer`.
template <class O>
constexpr auto check_learning_rate() {
    if constexpr (HasLearningRate<O>) return Mistake<>{};
    else return Mistake<error_optimizer_has_no_learning_rate<O>>{};
}

}  // namespace detail

/// A mistake at compile time: `set` or `multiply` is called with a value that cannot be set, such as `loss`.
template <class Value>
struct error_value_cannot_be_set;

namespace detail {

template <class V>
concept SettableValue =
    AnyValue<V> && is_read_of_values<V> && requires(TrainerCommands& trainer) { V::write(trainer, 0.1); };

/// A number that is set, or a factor that is multiplied, with bounds.
struct Setting {
    bool multiplies;
    double x;
    double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();

    /// Returns a setting. Throws ArgumentError if the number is not finite.
    static Setting checked(bool multiplies, double x);
    /// Returns the setting with bounds. Throws ArgumentError if the lower bound is above the upper one.
    Setting bounded(double least, double most) const;
    double of(double before) const;
    const char* word() const { return multiplies ? "multiply" : "set"; }
    /// Returns the action as text: "set(learning_rate, 0.5).at_least(0.1)".
    std::string text(const std::string& target) const;
};
ActionHandle make_setting(const ValueRecord& value, void (*write)(TrainerCommands&, double), const Setting& how);
ActionHandle make_hyperparameter_setting(std::string pattern, const Setting& how);

template <class Optimizer, class X>
struct MemberTarget {
    X Optimizer::* member;
    double read(auto& trainer) const { return static_cast<double>(trainer.optimizer.*member); }
    void write(auto& trainer, double x) const { trainer.optimizer.*member = static_cast<X>(x); }
    /// Returns the member as text: "beta2 of adam".
    std::string text() const {
        Optimizer some{};
        std::string found = "a number";
        for_each_field(some, [&](std::string_view field, double& x) {
            if constexpr (std::is_same_v<X, double>)
                if (&x == &(some.*member)) found = field;
        });
        return sentence(found, " of ", Optimizer::name.view());
    }
    template <class O>
    static constexpr auto examine() {
        if constexpr (std::is_base_of_v<Optimizer, O>) return Mistake<>{};
        else return Mistake<error_optimizer_has_no_such_member<O, X Optimizer::*>>{};
    }
};

}  // namespace detail

/// The action of `set(value, x)` and `multiply(value, factor)`.
///
/// @tparam V  type of the value, such as LearningRateValue
///
/// @par Background
/// Can run in the background. The change takes effect before the trainer's next iteration.
///
/// @par Workers
/// Cannot be used in `in_each_worker`, because the workers share the hyperparameters.
///
/// @see set, multiply
template <detail::SettableValue V>
class SetValue : public detail::MadeAction<> {
public:
    /// @cond internal
    static constexpr bool in_worker = false;

    template <class O>
    static constexpr auto check_optimizer() {
        if constexpr (std::is_same_v<V, LearningRateValue>) return detail::check_learning_rate<O>();
        else return Mistake<>{};
    }

    explicit SetValue(const detail::Setting& how)
        : MadeAction(detail::make_setting(detail::value_record<V>, &V::write, how)), how_(how) {}
    /// @endcond

    /// Returns the action with a lower bound for the result.
    /// @param bound  smallest result
    /// @return the action, for `then`
    /// @throws ArgumentError  if the bound is above the upper bound
    SetValue at_least(double bound) const { return SetValue(how_.bounded(bound, how_.most)); }
    /// Returns the action with an upper bound for the result.
    /// @param bound  largest result
    /// @return the action, for `then`
    /// @throws ArgumentError  if the bound is below the lower bound
    SetValue at_most(double bound) const { return SetValue(how_.bounded(how_.least, bound)); }

private:
    detail::Setting how_;
};
/// The action of `set(&Optimizer::member, x)` and `multiply(&Optimizer::member, factor)`.
///
/// @tparam Target  the member of the optimizer
///
/// @par Background
/// Can run in the background. The change takes effect before the trainer's next iteration.
///
/// @par Workers
/// Cannot be used in `in_each_worker`, because the workers share the hyperparameters.
///
/// @see set, multiply
template <class Target>
class SetMember : public Action<SetMember<Target>> {
public:
    /// @cond internal
    static constexpr bool in_worker = false;

    template <class O>
    static constexpr auto check_optimizer() {
        return Target::template examine<O>();
    }

    SetMember(Target target, const detail::Setting& how) : target_(target), how_(how) {}
    /// @endcond

    /// Returns the action with a lower bound for the result.
    /// @param bound  smallest result
    /// @return the action, for `then`
    /// @throws ArgumentError  if the bound is above the upper bound
    SetMember at_least(double bound) const { return SetMember(target_, how_.bounded(bound, how_.most)); }
    /// Returns the action with an upper bound for the result.
    /// @param bound  largest result
    /// @return the action, for `then`
    /// @throws ArgumentError  if the bound is below the lower bound
    SetMember at_most(double bound) const { return SetMember(target_, how_.bounded(how_.least, bound)); }

    /// @cond internal
    void run(auto& context) const {
        context.change([target = target_, how = how_](auto& trainer) {
            target.write(trainer, how.of(target.read(trainer)));
            detail::check_numbers(trainer.optimizer);
        });
    }
    std::string text() const { return how_.text(target_.text()); }
    /// @endcond

private:
    Target target_;
    detail::Setting how_;
};

/// The hyperparameters of a network that match a pattern: the result of `hyperparameter(pattern)`.
///
/// @see hyperparameter
struct NamedHyperparameters {
    std::string pattern;  ///< pattern of names, in which `*` stands for any characters
};
/// The action of `set(hyperparameter(pattern), x)` and `multiply(hyperparameter(pattern), factor)`.
///
/// `add` throws ArgumentError if no hyperparameter matches. A firing throws ArgumentError if a result is out of the
/// range of a hyperparameter.
///
/// @par Background
/// Can run in the background. The change takes effect before the trainer's next iteration.
///
/// @par Workers
/// Cannot be used in `in_each_worker`, because the workers share the hyperparameters.
///
/// @see set, multiply, hyperparameter
class SetHyperparameter : public detail::MadeAction<> {
public:
    /// @cond internal
    static constexpr bool in_worker = false;

    SetHyperparameter(NamedHyperparameters target, const detail::Setting& how)
        : MadeAction(detail::make_hyperparameter_setting(target.pattern, how)), target_(std::move(target)), how_(how) {}
    /// @endcond

    /// Returns the action with a lower bound for the result.
    /// @param bound  smallest result
    /// @return the action, for `then`
    /// @throws ArgumentError  if the bound is above the upper bound
    SetHyperparameter at_least(double bound) const { return {target_, how_.bounded(bound, how_.most)}; }
    /// Returns the action with an upper bound for the result.
    /// @param bound  largest result
    /// @return the action, for `then`
    /// @throws ArgumentError  if the bound is below the lower bound
    SetHyperparameter at_most(double bound) const { return {target_, how_.bounded(how_.least, bound)}; }

private:
    NamedHyperparameters target_;
    detail::Setting how_;
};

/// Selects hyperparameters of the network for `set`, `multiply` and `schedule`: dropout rates, smoothing, weights of
/// costs.
///
/// Examples of names are "2-dropout.rate", "6-softmax_ce.smoothing" and "price.loss_weight".
/// @param pattern  name, in which `*` stands for any characters
/// @return the selection
///
/// @par Example
/// @code
/// struct Small : Network<Input(28, 28) + Dropout(0.2) + Dense(10) + SoftmaxCE()> {};
/// Trainer small("small", Small{}, Adam{}, minibatches(training, 100));
/// small.add(at(5, epoch).then(set(hyperparameter("*-dropout.rate"), 0.1)));
/// @endcode
inline NamedHyperparameters hyperparameter(std::string pattern) { return {std::move(pattern)}; }
/// Returns an action that sets hyperparameters of the network: `set(hyperparameter("*.rate"), 0.3)`.
/// @param target  hyperparameters to set
/// @param x       their new value
/// @return the action, for `then`
/// @throws ArgumentError  if x is not finite
///
/// @par Background
/// Can run in the background. The change takes effect before the trainer's next iteration.
///
/// @see hyperparameter
inline SetHyperparameter set(NamedHyperparameters target, double x) {
    return {std::move(target), detail::Setting::checked(false, x)};
}
/// Returns an action that multiplies hyperparameters of the network: `multiply(hyperparameter("*.rate"), 0.9)`.
/// @param target  hyperparameters to change
/// @param factor  factor on their present value
/// @return the action, for `then`. Append `.at_least(bound)` or `.at_most(bound)` to limit the result.
/// @throws ArgumentError  if `factor` is not finite
///
/// @par Background
/// Can run in the background. The change takes effect before the trainer's next iteration.
///
/// @see hyperparameter
inline SetHyperparameter multiply(NamedHyperparameters target, double factor) {
    return {std::move(target), detail::Setting::checked(true, factor)};
}
/// Returns an action that sets a number of the trainer: `set(learning_rate, 0.01)`.
/// @param value  what to set: `learning_rate`
/// @param x      the new number
/// @return the action, for `then`
/// @throws ArgumentError  if x is not finite. A firing throws if the optimizer does not accept it, such as a negative
///     rate.
///
/// @par Background
/// Can run in the background. The change takes effect before the trainer's next iteration.
///
/// @par Example
/// @code
/// trainer.add(at(10, epoch).then(set(learning_rate, 0.0001)));
/// @endcode
template <detail::SettableValue V>
auto set([[maybe_unused]] V value, double x) {
    return SetValue<V>(detail::Setting::checked(false, x));
}
/// Returns an action that multiplies a number of the trainer: `multiply(learning_rate, 0.5).at_least(1e-6)`.
/// @param value   what to change: `learning_rate`
/// @param factor  factor on the present number
/// @return the action, for `then`. Append `.at_least(bound)` or `.at_most(bound)` to limit the result.
/// @throws ArgumentError  if `factor` is not finite
///
/// @par Background
/// Can run in the background. The change takes effect before the trainer's next iteration.
///
/// @par Example
/// @code
/// trainer.add(every(1, epoch).then(multiply(learning_rate, 0.5).at_least(1e-6)));
/// @endcode
template <detail::SettableValue V>
auto multiply([[maybe_unused]] V value, double factor) {
    return SetValue<V>(detail::Setting::checked(true, factor));
}
/// Returns an action that sets any number of the optimizer: `set(&Adam::beta1, 0.8)`.
/// @param member  member of the trainer's optimizer; a member of another optimizer does not compile
/// @param x       the new number
/// @return the action, for `then`
/// @throws ArgumentError  if x is not finite. A firing throws if the optimizer does not accept it.
///
/// @par Background
/// Can run in the background. The change takes effect before the trainer's next iteration.
///
/// @par Example
/// @code
/// trainer.add(at(10, epoch).then(set(&Adam::beta1, 0.8)));
/// @endcode
template <class O, class X>
    requires std::is_arithmetic_v<X>
auto set(X O::* member, double x) {
    return SetMember<detail::MemberTarget<O, X>>({member}, detail::Setting::checked(false, x));
}
/// Returns an action that multiplies any number of the optimizer: `multiply(&Momentum::momentum, 1.01).at_most(0.99)`.
/// @param member  member of the trainer's optimizer; a member of another optimizer does not compile
/// @param factor  factor on the present number
/// @return the action, for `then`. Append `.at_least(bound)` or `.at_most(bound)` to limit the result.
/// @throws ArgumentError  if `factor` is not finite
///
/// @par Background
/// Can run in the background. The change takes effect before the trainer's next iteration.
///
/// @par Example
/// @code
/// trainer.add(every(1, epoch).then(multiply(&Adam::beta1, 1.01).at_most(0.95)));
/// @endcode
template <class O, class X>
    requires std::is_arithmetic_v<X>
auto multiply(X O::* member, double factor) {
    return SetMember<detail::MemberTarget<O, X>>({member}, detail::Setting::checked(true, factor));
}
/// @cond internal
template <AnyValue V>
    requires(!detail::SettableValue<V>)
error_value_cannot_be_set<V> set(V, double);
template <AnyValue V>
    requires(!detail::SettableValue<V>)
error_value_cannot_be_set<V> multiply(V, double);
/// @endcond

namespace detail {

CriterionHandle make_each_time(Moment scale);
/// Makes the action of `schedule`, for the learning rate or for the hyperparameters that match.
ActionHandle make_schedule(Moment scale, AnyFunction<double(double)> f, std::string text, std::string pattern = {});

/// The criterion of `schedule`: fires each time, and when a run begins.
template <Moment m>
struct EachTime : Criterion<EachTime<m>> {
    using Reads = Types<>;
    static constexpr MomentSet moments = MomentSet(m) | Moment::start;
    static constexpr bool timed = true;
    EachTime() : Criterion<EachTime>(make_each_time(m)) {}
};

}  // namespace detail

/// The action of `schedule(f, scale)`.
///
/// @tparam m  unit of time: `Moment::epoch` or `Moment::iteration`
///
/// @par Background
/// Cannot run in the background, because the rate must be set before the next step.
///
/// @par Workers
/// Cannot be used in `in_each_worker`, because the workers share the learning rate.
///
/// @see schedule
template <Moment m>
struct RateSchedule : detail::MadeAction<> {
    /// @cond internal
    static constexpr bool in_background = false, in_worker = false;
    template <class O>
    static constexpr auto check_optimizer() {
        return detail::check_learning_rate<O>();
    }
    template <AnySchedule F>
    explicit RateSchedule(F f)
        : MadeAction(detail::make_schedule(
              m, [f](double t) { return static_cast<double>(f(t)); }, detail::schedule_text(f))) {}
    /// @endcond
};

/// Returns a hook that sets the learning rate to base · f(t).
///
/// The base is the learning rate when the hook is added. The time t counts epochs or iterations from then, or from a
/// reset. The rate is set immediately, when a run begins, and at the end of each epoch or iteration after other hooks.
/// It does not compile if the optimizer has no learning rate.
///
/// A firing throws ArgumentError if f(t) is not finite or below 0.
/// @param function  schedule: `cosine(50)`, `step_decay(0.1, 30)`, …, or a function of a `double`
/// @param scale     unit of time: `epoch` or `iteration`
/// @return the hook, for `Trainer::add`
///
/// @par Background
/// Cannot run in the background, because the rate must be set before the next step.
///
/// @par Example
/// @code
/// trainer.add(schedule(warm_up(500, cosine(10'000)), iteration));
/// @endcode
///
/// @see cosine, step_decay, exponential, linear, polynomial, one_cycle, inverse_sqrt, warm_up, in_turn,
/// reduce_on_plateau
template <AnySchedule F, AnyScale S>
auto schedule(F function, [[maybe_unused]] S scale) {
    static_assert(S::scale == Moment::epoch || S::scale == Moment::iteration,
                  "the scale of a schedule must be epoch or iteration");
    return detail::EachTime<S::scale>().then(RateSchedule<S::scale>(std::move(function))).template priority<500>();
}

/// The action of `schedule(hyperparameter(pattern), f, scale)`.
///
/// @tparam m  unit of time: `Moment::epoch` or `Moment::iteration`
///
/// @par Background
/// Cannot run in the background, because the number must be set before the next step.
///
/// @par Workers
/// Cannot be used in `in_each_worker`, because the workers share the hyperparameters.
///
/// @see schedule
template <Moment m>
struct HyperparameterSchedule : detail::MadeAction<> {
    /// @cond internal
    static constexpr bool in_background = false, in_worker = false;
    template <AnySchedule F>
    HyperparameterSchedule(NamedHyperparameters target, F f)
        : MadeAction(detail::make_schedule(
              m, [f](double t) { return static_cast<double>(f(t)); }, detail::schedule_text(f), target.pattern)) {}
    /// @endcond
};
/// Returns a hook that sets hyperparameters of the network to f(t) times their value in the network's expression.
/// @param target    hyperparameters to set
/// @param function  schedule, or a function of a `double`
/// @param scale     unit of time: `epoch` or `iteration`
/// @return the hook, for `Trainer::add`
///
/// @par Background
/// Cannot run in the background, because the number must be set before the next step.
///
/// @par Example
/// @code
/// struct Small : Network<Input(28, 28) + Dropout(0.2) + Dense(10) + SoftmaxCE()> {};
/// Trainer small("small", Small{}, Adam{}, minibatches(training, 100));
/// small.add(schedule(hyperparameter("*-dropout.rate"), linear(10'000), iteration));
/// @endcode
template <AnySchedule F, AnyScale S>
auto schedule(NamedHyperparameters target, F function, [[maybe_unused]] S scale) {
    static_assert(S::scale == Moment::epoch || S::scale == Moment::iteration,
                  "the scale of a schedule must be epoch or iteration");
    return detail::EachTime<S::scale>()
        .then(HyperparameterSchedule<S::scale>(std::move(target), std::move(function)))
        .template priority<500>();
}

/// @cond internal
template <AnySchedule F>
error_schedule_needs_a_scale<use_epoch_or_iteration_behind_the_schedule> schedule(F);
template <AnySchedule F>
error_schedule_needs_a_scale<use_epoch_or_iteration_behind_the_schedule> schedule(NamedHyperparameters, F);
/// @endcond

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/optimizer_actions.ipp>
#endif
