// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/accumulate.hpp>

namespace sigma {

namespace detail {

struct SmoothRule {
    static constexpr bool restarts = false;
    double share = 0;

    class Memory {
    public:
        void add(double x, const SmoothRule& rule);
        double result(const SmoothRule&) const { return sum_ / weight_; }
        void clear() { sum_ = weight_ = 0; }
        void archive(Archive& a, const SmoothRule&) { a(sum_, weight_); }

    private:
        double sum_ = 0, weight_ = 0;  ///< the weight is 1 − shareᵗ
    };
    std::string text(const std::string& source) const { return sentence("smoothed(", source, ", ", share, ")"); }
    friend bool operator==(const SmoothRule&, const SmoothRule&) = default;
};

}  // namespace detail

/// Exponential moving average: m ← share · m + (1 − share) · x, divided by 1 − shareᵗ after t values, so that it does not
/// begin near 0 (Kingma and Ba 2015, "Adam"). Throws ArgumentError unless 0 ≤ share < 1.
template <AnyValue V>
auto smoothed(V v, double share) {
    if (!(share >= 0 && share < 1)) throw ArgumentError("smoothed", "a share to keep from 0 to below 1", sentence(share));
    return Accumulated<V, detail::SmoothRule>(v, {share});
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/smoothed.ipp>
#endif
