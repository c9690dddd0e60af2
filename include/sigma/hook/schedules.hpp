// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Schedules: functions of time that return a factor on the learning rate. Included by `<sigma/sigma.hpp>`.
#include <sigma/core/error.hpp>

// A schedule is a function of a time t = 0, 1, 2, …. It returns the factor on the learning rate with which the trainer
// began. Each schedule is a struct with `double operator()(double t) const` and `text()`. Any function of a double
// works.

namespace sigma {

/// A function of a time t = 0, 1, 2, … that returns a factor on the learning rate.
///
/// @par Example
/// @code
/// trainer.add(schedule([](double t) { return 1 / (1 + t); }, epoch));
/// @endcode
///
/// @see schedule, cosine, step_decay, warm_up
template <class F>
concept AnySchedule = requires(const F& f) {
    { f(1.0) } -> std::convertible_to<double>;
};

namespace detail {

constexpr double above_0(const char* what, double x) {
    if (!(x > 0)) throw ArgumentError(what, "a time above 0", sentence(x));
    return x;
}
constexpr double not_negative(const char* what, double x) {
    if (!(x >= 0)) throw ArgumentError(what, "a factor of 0 or more", sentence(x));
    return x;
}

/// The type of `exponential(factor)`: factorᵗ.
struct Exponential {
    double factor;
    double operator()(double t) const;
    std::string text() const { return sentence("exponential(", factor, ")"); }
};

/// The type of `cosine(total, minimum)`: minimum + ½ (1 − minimum) (1 + cos(π t / total)), and `minimum` from t = total
/// on (Loshchilov and Hutter 2017, equation 5). With restarts it is 1 again at t = total. Each period is `growth` times
/// as long as the one before.
struct Cosine {
    double total, minimum, growth = 0;

    double operator()(double t) const;
    /// Returns the schedule with restarts: after each period the factor is 1 again.
    /// @param growth_  length of a period divided by that of the one before, 1 or more (default: 1)
    /// @return the schedule
    /// @throws ArgumentError  if `growth` is less than 1
    constexpr Cosine restarts(double growth_ = 1) const {
        if (!(growth_ >= 1)) throw ArgumentError("restarts of cosine", "a growth of 1 or more", sentence(growth_));
        return {total, minimum, growth_};
    }
    std::string text() const;
};

template <class F>
std::string schedule_text(const F& f) {
    if constexpr (requires { f.text(); }) return f.text();
    else return "a function";
}

/// The result of `lasting(time, schedule)`: one schedule of several, and how long it lasts.
template <AnySchedule F>
struct Lasting {
    double time;
    F schedule;
};

/// The type of `in_turn(…)`: schedules one after the other, each from its own t = 0 on. The last one does not end.
template <class... F>
class InTurn;
template <AnySchedule Last>
class InTurn<Last> {
public:
    constexpr explicit InTurn(Last last) : last_(last) {}
    double operator()(double t) const { return last_(t); }
    std::string text() const { return sentence("in_turn(", parts(), ")"); }
    std::string parts() const { return detail::schedule_text(last_); }

private:
    Last last_;
};
template <AnySchedule F, class... Rest>
class InTurn<Lasting<F>, Rest...> {
public:
    constexpr explicit InTurn(Lasting<F> first, Rest... rest) : first_(first), rest_(rest...) {}
    double operator()(double t) const { return t < first_.time ? first_.schedule(t) : rest_(t - first_.time); }
    std::string text() const { return sentence("in_turn(", parts(), ")"); }
    std::string parts() const {
        return sentence("lasting(", first_.time, ", ", detail::schedule_text(first_.schedule), "), ", rest_.parts());
    }

private:
    Lasting<F> first_;
    InTurn<Rest...> rest_;
};

}  // namespace detail

/// The type of `step_decay(factor, interval)`: factor^⌊t / interval⌋.
///
/// @see step_decay
struct StepDecay {
    double factor;    ///< factor of each step
    double interval;  ///< time between steps
    /// Returns the factor at a time.
    /// @param t  time, 0 or more
    /// @return the factor
    double operator()(double t) const;
    /// Returns the schedule as text.
    /// @return the text
    std::string text() const { return sentence("step_decay(", factor, ", ", interval, ")"); }
};
/// Returns a schedule that multiplies the learning rate by a factor after each interval: factor^⌊t / interval⌋.
/// @param factor    factor of each step, 0 or more
/// @param interval  epochs or iterations between steps, above 0
/// @return the schedule
/// @throws ArgumentError  if an argument is out of its range
///
/// @par Example
/// @code
/// trainer.add(schedule(step_decay(0.1, 30), epoch));
/// @endcode
///
/// @see schedule
constexpr StepDecay step_decay(double factor, double interval) {
    return {detail::not_negative("step_decay", factor), detail::above_0("step_decay", interval)};
}

/// Returns a schedule that multiplies the learning rate by a factor each time: factorᵗ.
/// @param factor  factor per epoch or iteration, 0 or more
/// @return the schedule
/// @throws ArgumentError  if `factor` is below 0
///
/// @par Example
/// @code
/// trainer.add(schedule(exponential(0.95), epoch));
/// @endcode
///
/// @see schedule
constexpr detail::Exponential exponential(double factor) { return {detail::not_negative("exponential", factor)}; }

/// The type of `linear(total, end)`: 1 + (end − 1) · t / total, and `end` from t = total on.
///
/// @see linear
struct LinearDecay {
    double total;  ///< time at which the schedule ends
    double end;    ///< factor from that time on
    /// Returns the factor at a time.
    /// @param t  time, 0 or more
    /// @return the factor
    double operator()(double t) const { return t < total ? 1 + (end - 1) * (t / total) : end; }
    /// Returns the schedule as text.
    /// @return the text
    std::string text() const { return sentence("linear(", total, ", ", end, ")"); }
};
/// Returns a schedule that changes the learning rate linearly: 1 + (end − 1) · t / total, and `end` from t = total on.
/// @param total  epochs or iterations until the end, above 0
/// @param end    factor at the end, 0 or more (default: 0)
/// @return the schedule
/// @throws ArgumentError  if an argument is out of its range
///
/// @par Example
/// @code
/// trainer.add(schedule(linear(10'000, 0.1), iteration));
/// @endcode
///
/// @see schedule
constexpr LinearDecay linear(double total, double end = 0) {
    return {detail::above_0("linear", total), detail::not_negative("linear", end)};
}

/// The type of `polynomial(total, power, end)`: end + (1 − end) · (1 − t / total)^power, and `end` from t = total on.
///
/// @see polynomial
struct PolynomialDecay {
    double total;  ///< time at which the schedule ends
    double power;  ///< exponent
    double end;    ///< factor from that time on
    /// Returns the factor at a time.
    /// @param t  time, 0 or more
    /// @return the factor
    double operator()(double t) const;
    /// Returns the schedule as text.
    /// @return the text
    std::string text() const { return sentence("polynomial(", total, ", ", power, ", ", end, ")"); }
};
/// Returns a schedule that lowers the learning rate by a power: end + (1 − end) · (1 − t / total)^power.
/// @param total  epochs or iterations until the end, above 0
/// @param power  exponent, above 0; 1: linear
/// @param end    factor from t = total on, 0 or more (default: 0)
/// @return the schedule
/// @throws ArgumentError  if an argument is out of its range
///
/// @par Example
/// @code
/// trainer.add(schedule(polynomial(10'000, 2), iteration));
/// @endcode
///
/// @see schedule
constexpr PolynomialDecay polynomial(double total, double power, double end = 0) {
    return {detail::above_0("polynomial", total), detail::above_0("power of polynomial", power),
            detail::not_negative("polynomial", end)};
}

/// Returns a schedule that lowers the learning rate along half a cosine: minimum + ½ (1 − minimum) (1 + cos(π t /
/// total)).
///
/// From t = total on the factor is `minimum`, unless you append `.restarts()` or `.restarts(growth)`. Loshchilov and
/// Hutter 2017, "SGDR", equation 5.
/// @param total    epochs or iterations until the minimum, above 0
/// @param minimum  factor at the end, 0 or more (default: 0)
/// @return the schedule
/// @throws ArgumentError  if an argument is out of its range
///
/// @par Example
/// @code
/// trainer.add(schedule(cosine(50), epoch));
/// @endcode
///
/// @see schedule, warm_up
constexpr detail::Cosine cosine(double total, double minimum = 0) {
    return {detail::above_0("cosine", total), detail::not_negative("cosine", minimum)};
}

/// Options of `one_cycle`.
///
/// @par Example
/// @code
/// trainer.add(schedule(one_cycle(10'000, {.start = 0.1, .rise = 0.2}), iteration));
/// @endcode
struct OneCycleShape {
    double start = 0.04;    ///< factor at t = 0, 0 or more
    double end = 0.000004;  ///< factor from t = total on, 0 or more
    double rise = 0.3;      ///< share of the time in which the factor rises, from 0 to 1
};
/// The type of `one_cycle(total, shape)`.
///
/// @see one_cycle
struct OneCycle {
    double total;         ///< time at which the cycle ends
    OneCycleShape shape;  ///< factors and share of the rise

    /// Returns the factor at a time.
    /// @param t  time, 0 or more
    /// @return the factor
    double operator()(double t) const;
    /// Returns the schedule as text.
    /// @return the text
    std::string text() const;
};
/// Returns a schedule that raises the learning rate and then lowers it, both along half a cosine.
///
/// The factor is `start` at t = 0, 1 at t = rise · total, and `end` from t = total on. Smith and Topin 2019,
/// "Super-convergence", section 3, which uses lines.
/// @param total  epochs or iterations of the cycle, above 0
/// @param shape  factors and share of the rise
/// @return the schedule
/// @throws ArgumentError  if an argument is out of its range
///
/// @par Example
/// @code
/// trainer.add(schedule(one_cycle(10'000), iteration));
/// @endcode
///
/// @see schedule, OneCycleShape
constexpr OneCycle one_cycle(double total, OneCycleShape shape = {}) {
    if (!(shape.rise >= 0 && shape.rise <= 1))
        throw ArgumentError("rise of one_cycle", "a share from 0 to 1", sentence(shape.rise));
    detail::not_negative("one_cycle", shape.start), detail::not_negative("one_cycle", shape.end);
    return {detail::above_0("one_cycle", total), shape};
}

/// The type of `inverse_sqrt(steps)`.
///
/// @see inverse_sqrt
struct InverseSqrt {
    double steps;  ///< time of the highest rate
    /// Returns the factor at a time.
    /// @param t  time, 0 or more
    /// @return the factor
    double operator()(double t) const;
    /// Returns the schedule as text.
    /// @return the text
    std::string text() const { return sentence("inverse_sqrt(", steps, ")"); }
};
/// Returns a schedule that raises the learning rate linearly and then lowers it with the inverse square root of time.
///
/// With s = t + 1: s / steps while s < steps, then √(steps / s). The highest factor is 1. Vaswani et al. 2017,
/// "Attention is all you need", equation 3.
/// @param warm_up_steps  epochs or iterations until the highest rate, above 0
/// @return the schedule
/// @throws ArgumentError  if `warm_up_steps` is not above 0
///
/// @par Example
/// @code
/// trainer.add(schedule(inverse_sqrt(4000), iteration));
/// @endcode
///
/// @see schedule
constexpr InverseSqrt inverse_sqrt(double warm_up_steps) { return {detail::above_0("inverse_sqrt", warm_up_steps)}; }

/// The type of `level(factor)`: the same factor at all times.
///
/// @see level
struct HoldRate {
    double factor;  ///< the factor
    /// Returns the factor.
    /// @return the factor
    double operator()(double) const { return factor; }
    /// Returns the schedule as text.
    /// @return the text
    std::string text() const { return sentence("level(", factor, ")"); }
};
/// Returns a schedule with the same factor at all times. A part of `in_turn`.
/// @param factor  factor on the learning rate, 0 or more (default: 1)
/// @return the schedule
/// @throws ArgumentError  if `factor` is below 0
///
/// @see in_turn
constexpr HoldRate level(double factor = 1) { return {detail::not_negative("level", factor)}; }

/// The type of `warm_up(steps, schedule)`.
///
/// @tparam F  type of the schedule that follows
///
/// @see warm_up
template <AnySchedule F>
struct WarmUp {
    double steps;  ///< length of the warm-up
    F then;        ///< schedule that follows

    /// Returns the factor at a time.
    /// @param t  time, 0 or more
    /// @return the factor
    double operator()(double t) const {
        return t < steps ? then(0) * ((t + 1) / (steps + 1)) : static_cast<double>(then(t - steps));
    }
    /// Returns the schedule as text.
    /// @return the text
    std::string text() const { return sentence("warm_up(", steps, ", ", detail::schedule_text(then), ")"); }
};
/// Returns a schedule that raises the learning rate in equal steps, and then follows another schedule.
///
/// The factor is (t + 1) / (steps + 1) times that with which the next schedule begins. Then the next schedule starts
/// from its own t = 0 (Goyal et al. 2017, section 2.2).
/// @param steps  epochs or iterations of the warm-up, above 0
/// @param then   schedule that follows (default: the full rate)
/// @return the schedule
/// @throws ArgumentError  if `steps` is not above 0
///
/// @par Example
/// @code
/// trainer.add(schedule(warm_up(500, cosine(10'000)), iteration));
/// @endcode
///
/// @see schedule
template <AnySchedule F = HoldRate>
constexpr WarmUp<F> warm_up(double steps, F then = F{1}) {
    return {detail::above_0("warm_up", steps), then};
}

/// Returns a part of `in_turn`: a schedule and how long it lasts.
/// @param time      epochs or iterations, above 0
/// @param schedule  schedule of this part
/// @return the schedule
/// @throws ArgumentError  if `time` is not above 0
///
/// @see in_turn
template <AnySchedule F>
constexpr detail::Lasting<F> lasting(double time, F schedule) {
    return {detail::above_0("lasting", time), schedule};
}

/// Returns a schedule of several, one after the other, each from its own t = 0.
/// @param schedules  any number of `lasting(time, schedule)`, then a schedule that does not end
/// @return the schedule
///
/// @par Example
/// @code
/// trainer.add(schedule(in_turn(lasting(10, level()), lasting(20, cosine(20)), level(0.01)), epoch));
/// @endcode
///
/// @see schedule, lasting
template <class... F>
    requires requires(F... f) { detail::InTurn<F...>(f...); }
constexpr detail::InTurn<F...> in_turn(F... schedules) {
    return detail::InTurn<F...>(schedules...);
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/schedules.ipp>
#endif
