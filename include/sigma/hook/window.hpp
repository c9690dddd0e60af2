// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/hook/archive.hpp>

#include <cmath>
#include <limits>

namespace sigma::detail {

/// A sum that keeps what rounding takes away. Neumaier 1974, "Rundungsfehleranalyse einiger Verfahren zur Summation
/// endlicher Summen". Sums of integers below 2^53 are exact. Infinities and NaN are summed apart, so that they can
/// leave.
class CompensatedSum {
public:
    void add(double x);
    double value() const { return std::isfinite(sum_) ? sum_ + low_ : sum_; }
    void archive(Archive& a) { a(sum_, low_); }

private:
    double sum_ = 0, low_ = 0;
};

/// The last n numbers, or all where n is 0, of which none is kept then.
class Ring {
public:
    /// Puts x in; returns the number that leaves, NaN where none does.
    double push(double x, std::uint64_t n);
    /// Has the ring of n just gone round?
    bool round(std::uint64_t n) const { return n > 0 && at_ == 0 && values_.size() == n; }
    const std::vector<double>& values() const { return values_; }
    std::uint64_t count(std::uint64_t n) const { return n == 0 ? count_ : values_.size(); }
    void clear();
    void archive(Archive& a, std::uint64_t n);

private:
    static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> values_;
    std::uint64_t at_ = 0, count_ = 0;
};

/// Sum of the numbers in a ring, in constant time: a running sum, which is made anew each time the ring has gone round.
class WindowSum {
public:
    void add(double x, std::uint64_t n);
    double total() const { return infinite_ == 0 ? sum_.value() : special(); }
    double mean(std::uint64_t n) const { return total() / static_cast<double>(ring_.count(n)); }
    void clear() { *this = {}; }
    void archive(Archive& a, std::uint64_t n);

private:
    Ring ring_;
    CompensatedSum sum_;
    std::int64_t infinite_ = 0, up_ = 0, down_ = 0;

    void enter(double x, int sign);
    void sum_again();
    double special() const;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/window.ipp>
#endif
