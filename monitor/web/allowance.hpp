// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <algorithm>
#include <chrono>

namespace sigma::monitor {

/// So many a second, and more at once.
class Allowance {
public:
    using Clock = std::chrono::steady_clock;

    Allowance(double a_second, double at_once) : rate_(a_second), most_(at_once), left_(at_once) {}
    bool take() {
        const auto now = Clock::now();
        left_ = left_at(now);
        before_ = now;
        if (left_ < 1) return false;
        left_ -= 1;
        return true;
    }
    /// As if nobody had ever taken.
    bool whole() const { return left_at(Clock::now()) >= most_; }

private:
    double left_at(Clock::time_point now) const {
        return std::min(most_, left_ + rate_ * std::chrono::duration<double>(now - before_).count());
    }

    double rate_, most_, left_;
    Clock::time_point before_ = Clock::now();
};

}  // namespace sigma::monitor
