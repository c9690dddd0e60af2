// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/accumulate.hpp>

namespace sigma {

namespace detail {

struct SmoothRule {
    static constexpr bool restarts = false;
    double keep = 0;

    class Memory {
    public:
        void add(double x, const SmoothRule& rule) {
            sum_ = rule.keep * sum_ + (1 - rule.keep) * x;
            weight_ = rule.keep * weight_ + (1 - rule.keep);
        }
        double result(const SmoothRule&) const { return sum_ / weight_; }
        void clear() { sum_ = weight_ = 0; }
        void archive(Archive& a, const SmoothRule&) { a(sum_, weight_); }

    private:
        double sum_ = 0, weight_ = 0;  ///< the weight is 1 − keepᵗ
    };
    std::string text(const std::string& source) const { return sentence("smoothed(", source, ", ", keep, ")"); }
    friend bool operator==(const SmoothRule&, const SmoothRule&) = default;
};

}  // namespace detail

/// Exponential moving average: m ← keep · m + (1 − keep) · x, divided by 1 − keepᵗ after t values, so that it does not
/// begin near 0 (Kingma and Ba 2015, "Adam"). Throws ArgumentError unless 0 ≤ keep < 1.
template <AnyValue V>
auto smoothed(V v, double keep) {
    if (!(keep >= 0 && keep < 1)) throw ArgumentError("smoothed", "a share to keep from 0 to below 1", sentence(keep));
    return Accumulated<V, detail::SmoothRule>(v, {keep});
}

}  // namespace sigma
