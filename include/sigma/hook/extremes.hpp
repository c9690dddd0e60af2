// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/accumulate.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sigma {

namespace detail {

template <bool greatest>
struct ExtremeRule {
    static constexpr bool restarts = true;
    std::uint64_t window = 0;  ///< looks; 0 for all

    class Memory {
    public:
        void add(double x, const ExtremeRule& rule) {
            const double left = ring_.push(x, rule.window);
            if (std::isnan(best_) || better(x, best_)) best_ = x;
            else if (left == best_) best_ = greatest ? *std::ranges::max_element(ring_.values()) : *std::ranges::min_element(ring_.values());
        }
        double result(const ExtremeRule&) const { return best_; }
        void clear() { ring_.clear(), best_ = std::numeric_limits<double>::quiet_NaN(); }
        void archive(Archive& a, const ExtremeRule& rule) { a(best_), ring_.archive(a, rule.window); }

    private:
        Ring ring_;
        double best_ = std::numeric_limits<double>::quiet_NaN();
    };
    std::string text(const std::string& source) const {
        return sentence(greatest ? "largest(" : "smallest(", source, window > 0 ? sentence(", ", window, ")") : ")");
    }
    friend bool operator==(const ExtremeRule&, const ExtremeRule&) = default;

private:
    static bool better(double a, double b) { return greatest ? a > b : a < b; }
};

}  // namespace detail

/// The largest of the last n values, of all, or of a period: `largest(loss, 100)`, `largest(loss).per(epoch)`. Throws
/// ArgumentError where n is below 1.
template <AnyValue V>
auto largest(V v) {
    return Accumulated<V, detail::ExtremeRule<true>>(v, {});
}
template <AnyValue V>
auto largest(V v, std::integral auto n) {
    return Accumulated<V, detail::ExtremeRule<true>>(v, {detail::positive("largest", n)});
}
/// The smallest.
template <AnyValue V>
auto smallest(V v) {
    return Accumulated<V, detail::ExtremeRule<false>>(v, {});
}
template <AnyValue V>
auto smallest(V v, std::integral auto n) {
    return Accumulated<V, detail::ExtremeRule<false>>(v, {detail::positive("smallest", n)});
}

}  // namespace sigma
