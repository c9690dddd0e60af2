// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/schedules.hpp>

namespace sigma {

SIGMA_IMPL double Cosine::operator()(double t) const {
    double period = total;
    if (growth == 1)
        t = std::fmod(t, total);
    else if (growth > 1)
        while (t >= period) t -= period, period *= growth;
    return t < period ? minimum + (1 - minimum) * detail::half_cosine(t / period) : minimum;
}

SIGMA_IMPL std::string Cosine::text() const {
    return sentence("cosine(", total, ", ", minimum, growth > 0 ? sentence(").restarts(", growth, ")") : ")");
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
