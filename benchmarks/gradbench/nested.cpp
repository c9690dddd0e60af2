// SPDX-License-Identifier: BSL-1.0
// Derivatives of programs that use derivatives, in loops whose length depends on numbers: saddle, particle. The loops
// are loops of C++ over small functions of tensors, and their derivatives go step by step: forwards by jvp, backwards
// by vjp.
#include "evaluation.hpp"

#include <sigma/derivatives.hpp>

#include <array>
#include <cmath>

using namespace sigma;

namespace gradbench {

namespace {

using Point = xt::xtensor_fixed<double, xt::xshape<2>>;

Point point(double x, double y) {
    Point p;
    p(0) = x, p(1) = y;
    return p;
}
double length(const Point& p) { return std::sqrt(p(0) * p(0) + p(1) * p(1)); }

/// The gradient of a function with respect to its last argument: backwards, or forwards along each axis.
template <bool forwards, class F>
constexpr auto slope_of(F) {
    if constexpr (!forwards) return [](auto p, auto q) { return gradient(F{}, wrt<1>)(p, q); };
    else
        return [](auto p, auto q) {
            const auto axes = one_hot(iota_beside(q, 2), 2);
            return vmap(jvp(F{}, wrt<1>), over_rows_of<2>)(p, q, axes);
        };
}

/// A step that gradient descent took: from `x`, so many times the slope.
struct Step {
    Point x;
    double rate;
};
/// Gradient descent, with the rates of GradBench. Returns the least point; `steps` are those that were taken.
template <class Objective, class Slope>
Point least(const Objective& objective, const Slope& slope, Point x, std::vector<Step>* steps = nullptr) {
    double value = objective(x), rate = 1e-5;
    Point g = slope(x);
    for (int successes = 0; length(g) > 1e-5;) {
        if (successes == 10) {
            rate *= 2;
            successes = 0;
            continue;
        }
        const Point next = x - rate * g;
        if (length(Point(x - next)) <= 1e-5) return x;
        const double there = objective(next);
        if (there < value) {
            if (steps != nullptr) steps->push_back({x, rate});
            x = next;
            value = there;
            g = slope(x);
            ++successes;
        } else {
            rate /= 2;
            successes = 0;
        }
    }
    return x;
}

// ---- saddle: the least p of the greatest q of p² - q² ----

constexpr auto surface = [](auto p, auto q) { return sum(square(p)) - sum(square(q)); };
/// Its negative: the greatest q is where it is least.
constexpr auto negative = [](auto p, auto q) { return sum(square(q)) - sum(square(p)); };

/// The point q where the surface over p is greatest.
template <bool inner_forwards>
Point greatest(const Point& p, const Point& start, std::vector<Step>* steps = nullptr) {
    constexpr auto value = evaluate(negative);
    constexpr auto slope = evaluate(slope_of<inner_forwards>(negative));
    return least([&](const Point& q) { return value(p, q); }, [&](const Point& q) { return Point(slope(p, q)); }, start,
                 steps);
}
/// The gradient of the greatest value in p, through the steps that found it.
template <bool outer_forwards, bool inner_forwards>
Point slope_of_greatest(const Point& p, const Point& start) {
    constexpr auto slope = slope_of<inner_forwards>(negative);
    std::vector<Step> steps;
    const Point q = greatest<inner_forwards>(p, start, &steps);
    Point result;
    if constexpr (outer_forwards) {
        for (std::size_t axis = 0; axis < 2; ++axis) {
            const Point dp = point(axis == 0, axis == 1);
            Point dq = point(0, 0);
            for (const Step& s : steps) dq = dq - s.rate * jvp(slope)(p, s.x, dp, dq);
            result(axis) = jvp(surface)(p, q, dp, dq);
        }
    } else {
        const auto [to_p, to_q] = gradient(surface)(p, q);
        result = to_p;
        Point d = to_q;
        for (std::size_t i = steps.size(); i-- > 0;) {
            const auto [from_p, from_q] = vjp(slope)(p, steps[i].x, d);
            result = result - steps[i].rate * from_p;
            d = d - steps[i].rate * from_q;
        }
    }
    return result;
}
template <bool outer_forwards, bool inner_forwards>
Prepared saddle(const Json& input) {
    const Point start = point(input.at("start").at(0), input.at("start").at(1));
    auto found = std::make_shared<std::array<Point, 2>>();
    return {[=] {
                constexpr auto value = evaluate(surface);
                (*found)[0] = least(
                    [&](const Point& p) { return value(p, greatest<inner_forwards>(p, start)); },
                    [&](const Point& p) { return slope_of_greatest<outer_forwards, inner_forwards>(p, start); }, start);
                (*found)[1] = greatest<inner_forwards>((*found)[0], start);
            },
            [=] {
                const auto& [p, q] = *found;
                return Json{p(0), p(1), q(0), q(1)};
            }};
}

// ---- particle: the place of a charge at which a particle hits the origin ----

/// The potential at x of charges at (10, 10 - w) and (10, 0).
constexpr auto potential = [](auto w, auto x) {
    const auto across = square(slice(x, axis(0), 0, 1) - 10.0), up = slice(x, axis(0), 1, 2);
    return sum(rsqrt(across + square(up - 10.0 + w)) + rsqrt(across + square(up)));
};
constexpr double interval = 0.1;

/// A step of Euler's method from a place and a speed.
template <bool forwards>
constexpr auto next_of = [](auto x, auto v, auto w) {
    return std::tuple{x + interval * v, v - interval * slope_of<forwards>(potential)(w, x)};
};
/// The square of the place on the axis, from the first place below it.
constexpr auto miss = [](auto x, auto v) {
    const auto time = -slice(x, axis(0), 1, 2) / slice(v, axis(0), 1, 2);
    return sum(square(slice(x, axis(0), 0, 1) + time * slice(v, axis(0), 0, 1)));
};
constexpr auto last_of = [](auto x, auto v) { return miss(x + interval * v, v); };

struct State {
    Point x = point(0, 8), v = point(0.75, 0);
};
/// Returns the last state above the axis; `before` gets those before it.
template <bool forwards>
State flown(double w, std::vector<State>* before = nullptr) {
    constexpr auto next = evaluate(next_of<forwards>);
    State now;
    while (now.x(1) + interval * now.v(1) > 0) {
        if (before != nullptr) before->push_back(now);
        State later;
        next.into(later.x, later.v)(now.x, now.v, w);
        now = later;
    }
    return now;
}
template <bool outer_forwards, bool inner_forwards>
double slope_of_miss(double w) {
    constexpr auto next = next_of<inner_forwards>;
    std::vector<State> before;
    const State end = flown<inner_forwards>(w, &before);
    if constexpr (outer_forwards) {
        Point dx = point(0, 0), dv = point(0, 0);
        for (const State& s : before) {
            Point to_x, to_v;
            jvp(next).into(to_x, to_v)(s.x, s.v, w, dx, dv, 1.0);
            dx = to_x, dv = to_v;
        }
        return jvp(last_of)(end.x, end.v, dx, dv);
    } else {
        Point dx, dv;
        gradient(last_of).into(dx, dv)(end.x, end.v);
        double result = 0;
        for (std::size_t i = before.size(); i-- > 0;) {
            Point to_x, to_v;
            double to_w = 0;
            vjp(next).into(to_x, to_v, to_w)(before[i].x, before[i].v, w, dx, dv);
            dx = to_x, dv = to_v;
            result += to_w;
        }
        return result;
    }
}
template <bool outer_forwards, bool inner_forwards>
Prepared particle(const Json& input) {
    const double first = input.at("w");
    auto found = std::make_shared<double>();
    return {[=] {
                constexpr auto value = evaluate(last_of);
                *found = least(
                    [&](const Point& w) {
                        const State end = flown<inner_forwards>(w(0));
                        return value(end.x, end.v);
                    },
                    [&](const Point& w) { return point(slope_of_miss<outer_forwards, inner_forwards>(w(0)), 0); },
                    point(first, 0))(0);
            },
            [=] { return Json(*found); }};
}

}  // namespace

Module nested_modules(const std::string& name) {
    if (name == "saddle")
        return {{"ff", saddle<true, true>},
                {"fr", saddle<true, false>},
                {"rf", saddle<false, true>},
                {"rr", saddle<false, false>}};
    if (name == "particle")
        return {{"ff", particle<true, true>},
                {"fr", particle<true, false>},
                {"rf", particle<false, true>},
                {"rr", particle<false, false>}};
    return {};
}

}  // namespace gradbench
