// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <algorithm>
#include <chrono>

namespace sigma::monitor {

/// So much a second, and more at once.
class Allowance {
public:
    using Clock = std::chrono::steady_clock;

    Allowance(double a_second, double at_once) : rate_(a_second), most_(at_once), left_(at_once) {}
    /// One, where it is left.
    bool take() {
        if (left() < 1) return false;
        use(1);
        return true;
    }
    /// Also more than is left: later ones wait for it.
    void use(double amount) {
        left_ = left() - amount;
        before_ = Clock::now();
    }
    double left() const {
        return std::min(most_, left_ + rate_ * std::chrono::duration<double>(Clock::now() - before_).count());
    }
    /// As if nobody had ever taken.
    bool whole() const { return left() >= most_; }

private:
    double rate_, most_, left_;
    Clock::time_point before_ = Clock::now();
};

}  // namespace sigma::monitor
