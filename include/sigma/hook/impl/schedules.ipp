// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/schedules.hpp>

#include <cmath>
#include <numbers>

namespace sigma {

namespace detail {
/// Returns half a cosine from 1 at s = 0 to 0 at s = 1.
inline double half_cosine(double s) { return 0.5 * (1 + std::cos(std::numbers::pi * s)); }
SIGMA_IMPL double Exponential::operator()(double t) const { return std::pow(factor, t); }

SIGMA_IMPL double Cosine::operator()(double t) const {
    double period = total;
    if (growth == 1) t = std::fmod(t, total);
    else if (growth > 1)
        while (t >= period) t -= period, period *= growth;
    return t < period ? minimum + (1 - minimum) * detail::half_cosine(t / period) : minimum;
}

SIGMA_IMPL std::string Cosine::text() const {
    return sentence("cosine(", total, ", ", minimum, growth > 0 ? sentence(").restarts(", growth, ")") : ")");
}

}  // namespace detail

SIGMA_IMPL double StepDecay::operator()(double t) const { return std::pow(factor, std::floor(t / interval)); }

SIGMA_IMPL double PolynomialDecay::operator()(double t) const {
    return t < total ? end + (1 - end) * std::pow(1 - t / total, power) : end;
}

SIGMA_IMPL double OneCycle::operator()(double t) const {
    const double top = shape.rise * total;
    if (t < top) return 1 + (shape.start - 1) * detail::half_cosine(t / top);
    return t < total ? shape.end + (1 - shape.end) * detail::half_cosine((t - top) / (total - top)) : shape.end;
}

SIGMA_IMPL std::string OneCycle::text() const {
    const OneCycleShape usual;
    const bool other = shape.start != usual.start || shape.end != usual.end || shape.rise != usual.rise;
    return sentence("one_cycle(", total, other ? sentence(", ", shape.start, ", ", shape.end, ", ", shape.rise) : "",
                    ")");
}

SIGMA_IMPL double InverseSqrt::operator()(double t) const {
    const double s = t + 1;
    return s < steps ? s / steps : std::sqrt(steps / s);
}

}  // namespace sigma
