// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <algorithm>
#include <chrono>

namespace sigma::monitor {

/// A rate limit: an amount per second, with a larger burst.
class Allowance {
public:
    using Clock = std::chrono::steady_clock;

    Allowance(double a_second, double at_once) : rate_(a_second), most_(at_once), left_(at_once) {}
    /// Takes one unit. Returns false if less than one is left.
    bool take() {
        if (left() < 1) return false;
        use(1);
        return true;
    }
    /// Uses an amount, which may exceed what is left; later calls wait for it to recover.
    void use(double amount) {
        left_ = left() - amount;
        before_ = Clock::now();
    }
    double left() const {
        return std::min(most_, left_ + rate_ * std::chrono::duration<double>(Clock::now() - before_).count());
    }
    /// Returns whether the full burst is available.
    bool whole() const { return left() >= most_; }

private:
    double rate_, most_, left_;
    Clock::time_point before_ = Clock::now();
};

}  // namespace sigma::monitor
