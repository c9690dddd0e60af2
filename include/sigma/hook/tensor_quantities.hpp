// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace sigma::detail {

/// Σ f(element), with several sums at a time, which lets it become vector code.
template <class F>
double sum_of(std::size_t n, F f) {
    std::array<double, 8> part{};
    std::size_t k = 0;
    for (; k + part.size() <= n; k += part.size())
        for (std::size_t j = 0; j < part.size(); ++j) part[j] += f(k + j);
    double total = 0;
    for (const double x : part) total += x;
    for (; k < n; ++k) total += f(k);
    return total;
}

/// Each Quantity is computed from all elements of all tensors of a selection together: `of(visit)`, where visit(f)
/// calls f(count, element) for their rows.
struct EuclideanNorm {
    static double of(auto visit) {
        const double squares = scaled(visit, 1);
        if (squares > 1e-280 && squares < 1e300) return std::sqrt(squares);
        // Squares that leave the range of double: doubles only.
        const double most = magnitude(visit);
        if (!(most > 0) || std::isinf(most)) return most;
        return most * std::sqrt(scaled(visit, most));
    }
    static double magnitude(auto visit) {
        double most = 0, not_numbers = 0;
        visit([&](std::size_t n, auto x) {
            for (std::size_t k = 0; k < n; ++k) most = std::max(most, std::abs(x(k)));
            not_numbers += sum_of(n, [&](std::size_t k) { return std::isnan(x(k)) ? 1.0 : 0.0; });
        });
        return not_numbers > 0 ? std::numeric_limits<double>::quiet_NaN() : most;
    }

private:
    static double scaled(auto visit, double by) {
        double total = 0;
        if (by == 1)
            visit([&](std::size_t n, auto x) { total += sum_of(n, [&](std::size_t k) { return x(k) * x(k); }); });
        else
            visit([&](std::size_t n, auto x) {
                total += sum_of(n, [&](std::size_t k) { return x(k) / by * (x(k) / by); });
            });
        return total;
    }
};
struct LargestMagnitude {
    static double of(auto visit) { return EuclideanNorm::magnitude(visit); }
};
struct MeanOf {
    static double of(auto visit) {
        double total = 0, count = 0;
        visit([&](std::size_t n, auto x) { total += sum_of(n, x), count += static_cast<double>(n); });
        return total / count;
    }
};
struct Deviation {
    static double of(auto visit) {
        const double mean = MeanOf::of(visit);
        double total = 0, count = 0;
        visit([&](std::size_t n, auto x) {
            total += sum_of(n, [&](std::size_t k) { return (x(k) - mean) * (x(k) - mean); });
            count += static_cast<double>(n);
        });
        return std::sqrt(total / (count - 1));
    }
};
/// Those whose magnitude is at most, or at least, a bound.
template <bool small>
struct ShareOf {
    double bound = 0;
    double of(auto visit) const {
        double total = 0, count = 0;
        visit([&](std::size_t n, auto x) {
            total += sum_of(n, [&](std::size_t k) {
                return (small ? std::abs(x(k)) <= bound : std::abs(x(k)) >= bound) ? 1.0 : 0.0;
            });
            count += static_cast<double>(n);
        });
        return total / count;
    }
};

}  // namespace sigma::detail
