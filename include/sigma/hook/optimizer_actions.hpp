// SPDX-License-Identifier: BSL-1.0
#pragma once
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

/// What can be wrong with a hook for a trainer with this optimizer. Declared only: the first error names one.
template <class Optimizer>
struct error_optimizer_has_no_learning_rate;
template <class Optimizer, class Member>
struct error_optimizer_has_no_such_member;

namespace detail {

/// What an action that changes the learning rate has as its `check_optimizer`.
template <class O>
constexpr auto check_learning_rate() {
    if constexpr (HasLearningRate<O>) return Mistake<>{};
    else return Mistake<error_optimizer_has_no_learning_rate<O>>{};
}

}  // namespace detail

/// What is wrong with `set` and `multiply`. Declared only.
template <class Value>
struct error_value_cannot_be_set;

namespace detail {

template <class V>
concept SettableValue =
    AnyValue<V> && is_read_of_values<V> && requires(TrainerCommands& trainer) { V::write(trainer, 0.1); };

/// A number that is set, or multiplied, and its bounds.
struct Setting {
    bool multiplies;
    double x;
    double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();

    /// Throws ArgumentError where the number is not finite.
    static Setting checked(bool multiplies, double x);
    /// Throws ArgumentError where the bounds have nothing between them.
    Setting bounded(double least, double most) const;
    double of(double before) const;
    const char* word() const { return multiplies ? "multiply" : "set"; }
    /// "set(learning_rate, 0.5).at_least(0.1)"
    std::string text(const std::string& target) const;
};
ActionHandle make_setting(const ValueRecord& value, void (*write)(TrainerCommands&, double), const Setting& how);
ActionHandle make_hyperparameter_setting(std::string pattern, const Setting& how);

template <class Optimizer, class X>
struct MemberTarget {
    X Optimizer::* member;
    double read(auto& trainer) const { return static_cast<double>(trainer.optimizer.*member); }
    void write(auto& trainer, double x) const { trainer.optimizer.*member = static_cast<X>(x); }
    /// "beta2 of adam"
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

/// Sets a number of the trainer, or multiplies it. One that the optimizer cannot take is an ArgumentError.
template <detail::SettableValue V>
class SetValue : public detail::MadeAction<> {
public:
    static constexpr bool in_worker = false;

    template <class O>
    static constexpr auto check_optimizer() {
        if constexpr (std::is_same_v<V, LearningRateValue>) return detail::check_learning_rate<O>();
        else return Mistake<>{};
    }

    explicit SetValue(const detail::Setting& how)
        : MadeAction(detail::make_setting(detail::value_record<V>, &V::write, how)), how_(how) {}

    /// The result stays within these bounds.
    SetValue at_least(double bound) const { return SetValue(how_.bounded(bound, how_.most)); }
    SetValue at_most(double bound) const { return SetValue(how_.bounded(how_.least, bound)); }

private:
    detail::Setting how_;
};
/// The same of a member of the optimizer.
template <class Target>
class SetMember : public Action<SetMember<Target>> {
public:
    static constexpr bool in_worker = false;

    template <class O>
    static constexpr auto check_optimizer() {
        return Target::template examine<O>();
    }

    SetMember(Target target, const detail::Setting& how) : target_(target), how_(how) {}

    SetMember at_least(double bound) const { return SetMember(target_, how_.bounded(bound, how_.most)); }
    SetMember at_most(double bound) const { return SetMember(target_, how_.bounded(how_.least, bound)); }

    void run(auto& context) const {
        context.change([target = target_, how = how_](auto& trainer) {
            target.write(trainer, how.of(target.read(trainer)));
            detail::check_numbers(trainer.optimizer);
        });
    }
    std::string text() const { return how_.text(target_.text()); }

private:
    Target target_;
    detail::Setting how_;
};

/// See `hyperparameter`.
struct NamedHyperparameters {
    std::string pattern;
};
/// The same of the network's hyperparameters whose names match. Throws ArgumentError when it is
/// added where none does, and when it acts where one cannot be so much.
class SetHyperparameter : public detail::MadeAction<> {
public:
    static constexpr bool in_worker = false;

    SetHyperparameter(NamedHyperparameters target, const detail::Setting& how)
        : MadeAction(detail::make_hyperparameter_setting(target.pattern, how)), target_(std::move(target)), how_(how) {}

    SetHyperparameter at_least(double bound) const { return {target_, how_.bounded(bound, how_.most)}; }
    SetHyperparameter at_most(double bound) const { return {target_, how_.bounded(how_.least, bound)}; }

private:
    NamedHyperparameters target_;
    detail::Setting how_;
};

/// What hooks set, multiply or schedule of the network itself: rates of dropout, "2-dropout.rate", a loss's smoothing,
/// "6-softmax_ce.smoothing", the weight of a cost, "price.loss_weight", whatever matches the pattern.
inline NamedHyperparameters hyperparameter(std::string pattern) { return {std::move(pattern)}; }
/// set(hyperparameter("*.rate"), 0.3)
inline SetHyperparameter set(NamedHyperparameters target, double x) {
    return {std::move(target), detail::Setting::checked(false, x)};
}
inline SetHyperparameter multiply(NamedHyperparameters target, double factor) {
    return {std::move(target), detail::Setting::checked(true, factor)};
}
/// set(learning_rate, 0.01)
template <detail::SettableValue V>
auto set(V, double x) {
    return SetValue<V>(detail::Setting::checked(false, x));
}
/// multiply(learning_rate, 0.5).at_least(1e-6)
template <detail::SettableValue V>
auto multiply(V, double factor) {
    return SetValue<V>(detail::Setting::checked(true, factor));
}
/// set(&Adam::beta1, 0.8): any number of the optimizer
template <class O, class X>
    requires std::is_arithmetic_v<X>
auto set(X O::* member, double x) {
    return SetMember<detail::MemberTarget<O, X>>({member}, detail::Setting::checked(false, x));
}
template <class O, class X>
    requires std::is_arithmetic_v<X>
auto multiply(X O::* member, double factor) {
    return SetMember<detail::MemberTarget<O, X>>({member}, detail::Setting::checked(true, factor));
}
template <AnyValue V>
    requires(!detail::SettableValue<V>)
error_value_cannot_be_set<V> set(V, double);
template <AnyValue V>
    requires(!detail::SettableValue<V>)
error_value_cannot_be_set<V> multiply(V, double);

namespace detail {

CriterionHandle make_each_time(Moment scale);
/// Of the learning rate, or of the hyperparameters that match.
ActionHandle make_schedule(Moment scale, AnyFunction<double(double)> f, std::string text, std::string pattern = {});

/// A pulse each time, and when a run begins.
template <Moment m>
struct EachTime : Criterion<EachTime<m>> {
    using Reads = Types<>;
    static constexpr MomentSet moments = MomentSet(m) | Moment::start;
    static constexpr bool timed = true;
    EachTime() : Criterion<EachTime>(make_each_time(m)) {}
};

}  // namespace detail

/// The action of `schedule`.
template <Moment m>
struct RateSchedule : detail::MadeAction<> {
    static constexpr bool in_background = false, in_worker = false;
    template <class O>
    static constexpr auto check_optimizer() {
        return detail::check_learning_rate<O>();
    }
    template <AnySchedule F>
    explicit RateSchedule(F f)
        : MadeAction(detail::make_schedule(
              m, [f](double t) { return static_cast<double>(f(t)); }, detail::schedule_text(f))) {}
};

/// The learning rate follows a function of time: rate = base · f(t), where base is the rate when the hook is added and
/// t counts epochs or iterations from then, or from a reset. Set at once, when a run begins, and at the end of each
/// epoch or iteration after other hooks. Throws ArgumentError where f(t) is not finite or below 0.
///
///     trainer.add(schedule(warm_up(500, cosine(10'000)), iteration));
template <AnySchedule F, AnyScale S>
auto schedule(F f, S) {
    static_assert(S::scale == Moment::epoch || S::scale == Moment::iteration, "schedules count epochs or iterations");
    return detail::EachTime<S::scale>().then(RateSchedule<S::scale>(std::move(f))).template priority<500>();
}

template <Moment m>
struct HyperparameterSchedule : detail::MadeAction<> {
    static constexpr bool in_background = false, in_worker = false;
    template <AnySchedule F>
    HyperparameterSchedule(NamedHyperparameters of, F f)
        : MadeAction(detail::make_schedule(
              m, [f](double t) { return static_cast<double>(f(t)); }, detail::schedule_text(f), of.pattern)) {}
};
/// The same of hyperparameters of the network, each of which is f(t) times what the network's expression says:
///
///     trainer.add(schedule(hyperparameter("*-dropout.rate"), linear(10'000), iteration));
template <AnySchedule F, AnyScale S>
auto schedule(NamedHyperparameters of, F f, S) {
    static_assert(S::scale == Moment::epoch || S::scale == Moment::iteration, "schedules count epochs or iterations");
    return detail::EachTime<S::scale>()
        .then(HyperparameterSchedule<S::scale>(std::move(of), std::move(f)))
        .template priority<500>();
}

template <AnySchedule F>
error_schedule_needs_a_scale<write_epoch_or_iteration_behind_the_schedule> schedule(F);
template <AnySchedule F>
error_schedule_needs_a_scale<write_epoch_or_iteration_behind_the_schedule> schedule(NamedHyperparameters, F);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/optimizer_actions.ipp>
#endif
