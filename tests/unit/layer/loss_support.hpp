// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/function/function.hpp>
#include <sigma/layer/reduction.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

/// Losses against references in plain loops: the value, and the gradient against central differences of the reference.
namespace sigma::test {

using Numbers_ = std::vector<double>;

inline Numbers_ random_numbers(std::uint64_t seed, std::size_t count, double low = -2, double high = 2) {
    std::mt19937_64 bits(seed);
    std::uniform_real_distribution<double> part(low, high);
    Numbers_ x(count);
    for (double& v : x) v = part(bits);
    return x;
}
/// Rows of `n` positive numbers with sum 1.
inline Numbers_ random_distributions(std::uint64_t seed, std::size_t rows, std::size_t n) {
    Numbers_ q = random_numbers(seed, rows * n, 0.05, 1);
    for (std::size_t r = 0; r < rows; ++r) {
        double total = 0;
        for (std::size_t i = 0; i < n; ++i) total += q[r * n + i];
        for (std::size_t i = 0; i < n; ++i) q[r * n + i] /= total;
    }
    return q;
}

/// What Reduction and Ignored mean, spelled out for losses `l` of elements or rows.
inline double reduced(const Numbers_& l, const std::vector<bool>& counts, std::size_t per_record, Reduction how) {
    double total = 0, elements = 0, records = 0;
    for (std::size_t r = 0; r < l.size(); r += per_record) {
        bool any = false;
        for (std::size_t i = r; i < r + per_record; ++i) {
            if (!counts[i]) continue;
            total += l[i];
            elements += 1;
            any = true;
        }
        records += any;
    }
    if (how == Reduction::total) return total;
    const double divisor = how == Reduction::over_elements ? elements : records;
    return divisor == 0 ? 0 : total / divisor;
}

struct Differentiated {
    double value;
    Numbers_ gradient;
};
template <Shape S, class T>
xt::xarray<T> array_of(const Numbers_& numbers) {
    std::vector<std::size_t> extents;
    for (int i = 0; i < S.rank; ++i)
        extents.push_back(S[i] > 0 ? static_cast<std::size_t>(S[i])
                                   : numbers.size() / static_cast<std::size_t>(S.count()));
    xt::xarray<T> a(extents);
    std::transform(numbers.begin(), numbers.end(), a.begin(), [](double v) { return static_cast<T>(v); });
    return a;
}
/// `factor` times the loss, and its gradient in the outputs z.
template <auto layer, Shape Z, Shape Y, class T = double>
Differentiated differentiated(const Numbers_& z, const Numbers_& y, double factor = 1) {
    const auto f = [](auto w, auto a, auto b) { return w * layer.loss(a, b); };
    const xt::xarray<T> za = array_of<Z, T>(z), ya = array_of<Y, T>(y);
    const auto [value, gradient] =
        value_and_gradient(f, wrt<1>)(static_cast<T>(factor), sigma::detail::Shaped<Z, xt::xarray<T>>{za},
                                      sigma::detail::Shaped<Y, xt::xarray<T>>{ya});
    return {static_cast<double>(value), Numbers_(gradient.begin(), gradient.end())};
}
template <auto layer, Shape Z>
Numbers_ predicted(const Numbers_& z) {
    const auto f = [](auto a) { return layer.predict(a); };
    const xt::xarray<double> za = array_of<Z, double>(z);
    const auto p = evaluate(f)(sigma::detail::Shaped<Z, xt::xarray<double>>{za});
    return Numbers_(p.begin(), p.end());
}

/// Compares with `reference(z)`. Central differences with h = 1e-5 err by h² f'''/6 and 1e-16 f/h, both below 1e-9
/// here.
template <auto layer, Shape Z, Shape Y, class F>
void check_loss(Numbers_ z, const Numbers_& y, F reference) {
    constexpr double factor = -1.7320508, h = 1e-5;
    const Differentiated found = differentiated<layer, Z, Y>(z, y, factor);
    CHECK(found.value == Approx(factor * reference(z)).epsilon(1e-12).margin(1e-14));
    double worst = 0;
    for (std::size_t i = 0; i < z.size(); ++i) {
        const double kept = z[i];
        z[i] = kept + h;
        const double above = reference(z);
        z[i] = kept - h;
        const double below = reference(z);
        z[i] = kept;
        const double error = std::abs(found.gradient[i] - factor * (above - below) / (2 * h));
        worst = std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(worst, error);
    }
    CHECK(worst < 1e-7);
}
/// A loss of single elements, with the options it has: `l(z, y)` is the loss of one element.
template <auto layer, Shape Z, class L>
void check_elements(const Numbers_& z, const Numbers_& y, L l) {
    constexpr auto options = layer.options;
    check_loss<layer, Z, Z>(z, y, [&](const Numbers_& x) {
        Numbers_ losses(x.size());
        std::vector<bool> counts(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) {
            losses[i] = l(x[i], y[i]);
            counts[i] = !(options.ignore.exists && y[i] == options.ignore.value);
        }
        return reduced(losses, counts, static_cast<std::size_t>(Z.count()), options.reduction);
    });
}
/// A loss of rows with targets of the same shape: `l(row of z, row of y, n)`.
template <auto layer, Shape Z, class L>
void check_rows(const Numbers_& z, const Numbers_& y, L l) {
    constexpr auto options = layer.options;
    constexpr std::size_t n = static_cast<std::size_t>(Z.last());
    check_loss<layer, Z, Z>(z, y, [&](const Numbers_& x) {
        Numbers_ losses;
        std::vector<bool> counts;
        for (std::size_t r = 0; r < x.size(); r += n) {
            bool any = !options.ignore.exists;
            Numbers_ target(y.begin() + static_cast<std::ptrdiff_t>(r), y.begin() + static_cast<std::ptrdiff_t>(r + n));
            for (double& t : target)
                if (options.ignore.exists && t == options.ignore.value) t = 0;
                else any = true;
            losses.push_back(l(x.data() + r, target.data(), n));
            counts.push_back(any);
        }
        return reduced(losses, counts, static_cast<std::size_t>(Z.count()) / n, options.reduction);
    });
}
/// A loss of rows against class numbers: `l(row of z, class, n)`.
template <auto layer, Shape Z, class L>
void check_classes(const Numbers_& z, const Numbers_& y, L l) {
    constexpr auto options = layer.options;
    constexpr std::size_t n = static_cast<std::size_t>(Z.last());
    check_loss<layer, Z, Z.without(Z.rank - 1)>(z, y, [&](const Numbers_& x) {
        Numbers_ losses;
        std::vector<bool> counts;
        for (std::size_t r = 0; r < y.size(); ++r) {
            counts.push_back(!(options.ignore.exists && y[r] == options.ignore.value));
            losses.push_back(counts.back() ? l(x.data() + r * n, static_cast<std::size_t>(y[r]), n) : NAN);
        }
        return reduced(losses, counts, static_cast<std::size_t>(Z.count()) / n, options.reduction);
    });
}
inline Numbers_ log_softmax_of(const double* z, std::size_t n) {
    const double most = *std::max_element(z, z + n);
    double total = 0;
    for (std::size_t i = 0; i < n; ++i) total += std::exp(z[i] - most);
    Numbers_ p(n);
    for (std::size_t i = 0; i < n; ++i) p[i] = z[i] - most - std::log(total);
    return p;
}
/// -Σ w·t·log softmax(z) of one row, t the smoothed target.
template <auto layer>
double softmax_row_loss(const double* z, std::size_t label, std::size_t n) {
    const Numbers_ p = log_softmax_of(z, n);
    double total = 0;
    for (std::size_t c = 0; c < n; ++c) {
        const double t =
            layer.options.smoothing / static_cast<double>(n) + (1 - layer.options.smoothing) * (c == label);
        if constexpr (requires { layer.weights; }) total -= layer.weights[c] * t * p[c];
        else total -= t * p[c];
    }
    return total;
}

}  // namespace sigma::test
