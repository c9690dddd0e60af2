// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/schedules.hpp>

namespace sigma {

namespace detail {
template <class F>
std::string schedule_text(const F& f) {
    if constexpr (requires { f.text(); }) return f.text();
    else return "a function";
}
}  // namespace detail

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

namespace detail {

/// One schedule of several, and how long it lasts.
template <AnySchedule F>
struct Lasting {
    double time;
    F schedule;
};

}  // namespace detail

template <AnySchedule F>
constexpr detail::Lasting<F> lasting(double time, F schedule) {
    return {detail::above_0("lasting", time), schedule};
}

namespace detail {

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

/// in_turn(lasting(10, level()), lasting(20, cosine(20)), level(0.01))
template <class... F>
    requires requires(F... f) { detail::InTurn<F...>(f...); }
constexpr detail::InTurn<F...> in_turn(F... schedules) {
    return detail::InTurn<F...>(schedules...);
}

}  // namespace sigma
