// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/function/function.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace sigma::test {

using Index = std::vector<std::size_t>;

/// Numbers in [low, high], never the same twice in a row.
template <class T, std::size_t n>
xt::xtensor<T, n> random(std::uint64_t seed, const std::array<std::size_t, n>& extents, double low = -2,
                         double high = 2) {
    std::mt19937_64 bits(seed);
    std::uniform_real_distribution<double> part(low, high);
    xt::xtensor<T, n> x(extents);
    for (auto& v : x) v = static_cast<T>(part(bits));
    return x;
}
template <class T, class... E>
auto random_of(std::uint64_t seed, E... extents) {
    return random<T>(seed, std::array<std::size_t, sizeof...(E)>{static_cast<std::size_t>(extents)...});
}

/// All numbers of an array, row after row; of a number, itself.
template <class R>
std::vector<double> flat(const R& r) {
    if constexpr (std::is_arithmetic_v<R>) return {static_cast<double>(r)};
    else return std::vector<double>(r.begin(), r.end());
}
template <class R>
Index extents_of(const R& r) {
    if constexpr (std::is_arithmetic_v<R>) return {};
    else return Index(r.shape().begin(), r.shape().end());
}
inline std::size_t count_of(const Index& extents) {
    std::size_t n = 1;
    for (auto e : extents) n *= e;
    return n;
}
inline Index index_of(std::size_t position, const Index& extents) {
    Index at(extents.size());
    for (std::size_t i = extents.size(); i-- > 0; position /= extents[i]) at[i] = position % extents[i];
    return at;
}
/// Where the element at `at` of a broadcast result comes from: missing axes and extents of one count as index 0.
inline std::size_t position_of(const Index& at, const Index& extents) {
    std::size_t p = 0;
    for (std::size_t i = 0; i < extents.size(); ++i)
        p = p * extents[i] + (extents[i] == 1 ? 0 : at[i + at.size() - extents.size()]);
    return p;
}

/// A plain-loop array in double precision, with which references are written.
struct Reference {
    Index extents;
    std::vector<double> data;

    Reference() = default;
    explicit Reference(Index e) : extents(std::move(e)), data(count_of(extents)) {}
    template <class R>
        requires requires(const R& r) { r.shape(); }
    explicit Reference(const R& r) : extents(extents_of(r)), data(flat(r)) {}

    double at(const Index& index) const { return data[position_of(index, extents)]; }
    /// Sets every element to `f(its index)`.
    template <class F>
    Reference& each(F f) {
        for (std::size_t p = 0; p < data.size(); ++p) data[p] = f(index_of(p, extents));
        return *this;
    }
};

/// The greatest of |found - wanted| / max(|wanted|, floor); infinite where shapes, NaN or infinities differ.
template <class R>
double relative_error(const R& found, const Reference& wanted, double floor = 1e-30) {
    constexpr double wrong = std::numeric_limits<double>::infinity();
    if (extents_of(found) != wanted.extents) return wrong;
    const auto values = flat(found);
    double greatest = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double x = values[i], y = wanted.data[i];
        if (std::isnan(x) && std::isnan(y)) continue;
        if (x == y) continue;
        if (!std::isfinite(x) || !std::isfinite(y)) return wrong;
        greatest = std::max(greatest, std::abs(x - y) / std::max(std::abs(y), floor));
    }
    return greatest;
}
template <class T>
constexpr double epsilon = std::numeric_limits<T>::epsilon();

/// Compares gradients with central differences. `f` returns the value first, then the gradients of all arguments.
/// h = 1e-5 leaves an error of h² f'''/6 (1e-11) and of rounding, 1e-16 |f| / h (1e-11 for |f| < 1); functions here
/// have values and third derivatives up to a few hundred, so 1e-7 is far above the noise and far below a wrong rule.
template <class F, class... X>
double gradient_error(F f, X... x) {
    const auto result = f(x...);
    double greatest = 0;
    const auto one = [&]<std::size_t i>(std::integral_constant<std::size_t, i>, auto& argument) {
        const auto gradient = flat(std::get<i + 1>(result));
        if (extents_of(argument) != extents_of(std::get<i + 1>(result)))
            greatest = std::numeric_limits<double>::infinity();
        std::size_t p = 0;
        for (double& v : argument) {
            constexpr double h = 1e-5;
            const double kept = v;
            v = kept + h;
            const double above = std::get<0>(f(x...));
            v = kept - h;
            const double below = std::get<0>(f(x...));
            v = kept;
            const double wanted = (above - below) / (2 * h), found = gradient[p++];
            const double error = std::abs(found - wanted) / std::max(1.0, std::abs(wanted));
            if (!(error <= greatest)) greatest = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
        }
    };
    [&]<std::size_t... i>(std::index_sequence<i...>) {
        (one(std::integral_constant<std::size_t, i>{}, x), ...);
    }(std::index_sequence_for<X...>{});
    return greatest;
}
inline constexpr double gradient_tolerance = 1e-7;

/// Σ w·y with the k-th row of random weights.
template <int k>
constexpr auto weighted(auto w, auto y) {
    const int n = static_cast<int>(y.shape().count());
    const Tensor row = reshape(y, Shape{n});  // the order of operands is the compiler's choice
    return sum(row * reshape(slice(slice(w, axis(0), k, k + 1), axis(1), 0, n), Shape{n}));
}
template <int first = 0>
constexpr auto weighted_all(auto w, auto y) {
    return weighted<first>(w, y);
}
template <int first = 0>
constexpr auto weighted_all(auto w, auto y, auto z, auto... more) {
    return weighted<first>(w, y) + weighted_all<first + 1>(w, z, more...);
}
/// What the results are weighted with: one row for each.
template <int rows, int n>
auto weights() {
    return random<double, 2>(99, {rows, n}, 0.5, 2);
}

}  // namespace sigma::test
