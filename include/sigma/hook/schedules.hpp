// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>

/// Schedules: functions of a time t = 0, 1, 2, … that give the factor on the learning rate with which a trainer began.
/// Each is a struct with `double operator()(double t) const` and `text()`; any function of that form is one.

namespace sigma {

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

/// factorᵗ
struct Exponential {
    double factor;
    double operator()(double t) const;
    std::string text() const { return sentence("exponential(", factor, ")"); }
};

/// minimum + ½ (1 − minimum) (1 + cos(π t / total)), and `minimum` from t = total on (Loshchilov and Hutter 2017,
/// equation 5). With restarts it is 1 again at t = total and each period is `growth` times as long as the one before.
struct Cosine {
    double total, minimum, growth = 0;

    double operator()(double t) const;
    constexpr Cosine restarts(double times_longer = 1) const {
        if (!(times_longer >= 1))
            throw ArgumentError("restarts of cosine", "a growth of 1 or more", sentence(times_longer));
        return {total, minimum, times_longer};
    }
    std::string text() const;
};

template <class F>
std::string schedule_text(const F& f) {
    if constexpr (requires { f.text(); }) return f.text();
    else return "a function";
}

/// One schedule of several, and how long it lasts.
template <AnySchedule F>
struct Lasting {
    double time;
    F schedule;
};

/// One schedule after the other, each from its own t = 0 on; the last one has no end.
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

/// factor^⌊t / interval⌋
struct StepDecay {
    double factor, interval;
    double operator()(double t) const;
    std::string text() const { return sentence("step_decay(", factor, ", ", interval, ")"); }
};
constexpr StepDecay step_decay(double factor, double interval) {
    return {detail::not_negative("step_decay", factor), detail::above_0("step_decay", interval)};
}

constexpr detail::Exponential exponential(double factor) { return {detail::not_negative("exponential", factor)}; }

/// 1 + (end − 1) · t / total, and `end` from t = total on.
struct LinearDecay {
    double total, end;
    double operator()(double t) const { return t < total ? 1 + (end - 1) * (t / total) : end; }
    std::string text() const { return sentence("linear(", total, ", ", end, ")"); }
};
constexpr LinearDecay linear(double total, double end = 0) {
    return {detail::above_0("linear", total), detail::not_negative("linear", end)};
}

/// end + (1 − end) · (1 − t / total)^power, and `end` from t = total on.
struct PolynomialDecay {
    double total, power, end;
    double operator()(double t) const;
    std::string text() const { return sentence("polynomial(", total, ", ", power, ", ", end, ")"); }
};
constexpr PolynomialDecay polynomial(double total, double power, double end = 0) {
    return {detail::above_0("polynomial", total), detail::above_0("power of polynomial", power),
            detail::not_negative("polynomial", end)};
}

constexpr detail::Cosine cosine(double total, double minimum = 0) {
    return {detail::above_0("cosine", total), detail::not_negative("cosine", minimum)};
}

struct OneCycleShape {
    double start = 0.04, end = 0.000004;  ///< factors at t = 0 and from t = total on
    double rise = 0.3;                    ///< the share of time in which it rises
};
/// From `start` up to 1 at t = rise · total and down to `end` at t = total, both along half a cosine (Smith and Topin
/// 2019, section 3, who use lines).
struct OneCycle {
    double total;
    OneCycleShape shape;

    double operator()(double t) const;
    std::string text() const;
};
constexpr OneCycle one_cycle(double total, OneCycleShape shape = {}) {
    if (!(shape.rise >= 0 && shape.rise <= 1))
        throw ArgumentError("rise of one_cycle", "a share from 0 to 1", sentence(shape.rise));
    detail::not_negative("one_cycle", shape.start), detail::not_negative("one_cycle", shape.end);
    return {detail::above_0("one_cycle", total), shape};
}

/// With s = t + 1, the number of the next step: s / warm_up while s < warm_up, then √(warm_up / s). Vaswani et al.
/// 2017, equation 3, with 1 at its peak.
struct InverseSqrt {
    double steps;
    double operator()(double t) const;
    std::string text() const { return sentence("inverse_sqrt(", steps, ")"); }
};
constexpr InverseSqrt inverse_sqrt(double warm_up_steps) { return {detail::above_0("inverse_sqrt", warm_up_steps)}; }

/// The same factor at all times.
struct HoldRate {
    double factor;
    double operator()(double) const { return factor; }
    std::string text() const { return sentence("level(", factor, ")"); }
};
constexpr HoldRate level(double factor = 1) { return {detail::not_negative("level", factor)}; }

/// (t + 1) / (steps + 1) of where the next schedule begins, then that schedule from its own t = 0 on: after so many
/// steps in equal parts the rate is full (Goyal et al. 2017, section 2.2).
template <AnySchedule F>
struct WarmUp {
    double steps;
    F then;

    double operator()(double t) const {
        return t < steps ? then(0) * ((t + 1) / (steps + 1)) : static_cast<double>(then(t - steps));
    }
    std::string text() const { return sentence("warm_up(", steps, ", ", detail::schedule_text(then), ")"); }
};
/// warm_up(500, cosine(10000)); warm_up(500) stays at the full rate
template <AnySchedule F = HoldRate>
constexpr WarmUp<F> warm_up(double steps, F then = F{1}) {
    return {detail::above_0("warm_up", steps), then};
}

template <AnySchedule F>
constexpr detail::Lasting<F> lasting(double time, F schedule) {
    return {detail::above_0("lasting", time), schedule};
}

/// in_turn(lasting(10, level()), lasting(20, cosine(20)), level(0.01))
template <class... F>
    requires requires(F... f) { detail::InTurn<F...>(f...); }
constexpr detail::InTurn<F...> in_turn(F... schedules) {
    return detail::InTurn<F...>(schedules...);
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/schedules.ipp>
#endif
