// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/window.hpp>

#include <algorithm>

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

}  // namespace sigma::detail
