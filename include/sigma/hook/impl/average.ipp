// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/average.hpp>

#include <cmath>
#include <limits>

namespace sigma::detail {

SIGMA_IMPL void WindowSum::add(double x, std::uint64_t n) {
    const double left = ring_.push(x, n);
    if (ring_.round(n) || (n > 0 && !std::isfinite(sum_.value()))) return sum_again();
    enter(x, +1);
    if (!std::isnan(left)) enter(left, -1);
}

SIGMA_IMPL void WindowSum::archive(Archive& a, std::uint64_t n) {
    sum_.archive(a);
    a(infinite_, up_, down_);
    ring_.archive(a, n);
}

SIGMA_IMPL void WindowSum::enter(double x, int sign) {
    if (std::isfinite(x)) return sum_.add(sign * x);
    infinite_ += sign;
    (x > 0 ? up_ : down_) += sign;
}

SIGMA_IMPL void WindowSum::sum_again() {
    sum_ = {};
    infinite_ = up_ = down_ = 0;
    for (const double y : ring_.values()) enter(y, +1);
}

SIGMA_IMPL double WindowSum::special() const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return up_ > 0 && down_ > 0 ? std::numeric_limits<double>::quiet_NaN() : up_ > 0 ? infinity : -infinity;
}

}  // namespace sigma::detail
