// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/window.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace sigma::detail {

SIGMA_IMPL void CompensatedSum::add(double x) {
    const double s = sum_ + x;
    low_ += std::abs(sum_) >= std::abs(x) ? sum_ - s + x : x - s + sum_;
    sum_ = s;
}

SIGMA_IMPL double Ring::push(double x, std::uint64_t n) {
    ++count_;
    if (n == 0) return nan;
    if (values_.size() < n) {
        if (values_.empty()) values_.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(n, 65536)));
        values_.push_back(x);
        return nan;
    }
    const double left = std::exchange(values_[static_cast<std::size_t>(at_)], x);
    at_ = at_ + 1 == n ? 0 : at_ + 1;
    return left;
}

SIGMA_IMPL void Ring::clear() {
    values_.clear();
    at_ = count_ = 0;
}

SIGMA_IMPL void Ring::archive(Archive& a, std::uint64_t n) {
    a(at_, count_);
    a.tensor(values_);
    const std::uint64_t size = values_.size();
    if (size > n || (at_ > 0 && (size < n || at_ >= n)) || size > count_)
        throw MismatchError("state of hooks", sentence("a window of at most ", n, " values"),
                            sentence(size, ", place ", at_));
}

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
