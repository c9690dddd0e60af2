// SPDX-License-Identifier: BSL-1.0
// Functions of arrays: hello, lse, llsq, gmm, kmeans, det, ode.
#include "evaluation.hpp"

#include <sigma/derivatives.hpp>
#include <sigma/tape/along_axis.hpp>
#include <sigma/tape/linear_algebra.hpp>

#include <cmath>
#include <numbers>

using namespace sigma;

namespace gradbench {

namespace {

/// The logarithm of a sum of exponentials along the last axis, from its elements.
constexpr auto log_sum_exp = [](auto x) {
    const auto greatest = stop_gradient(max(x, axis(-1), keep));
    return log(sum(exp(x - greatest), axis(-1))) + reshape(greatest, x.shape().without(x.shape().rank - 1));
};

constexpr auto squared = [](auto x) { return x * x; };

/// The error of a polynomial with the coefficients x at points t, of which s are the signs.
constexpr auto polynomial_error = [](auto x, auto t) {
    const int coefficients = x.shape()[0], points = t.shape()[0];
    const auto column = reshape(t, {points, 1});
    auto powers = filled(t, 1, {points, 1});
    auto step = column;  // t to the power of the number of columns that are there
    for (int have = 1; have < coefficients; have = powers.shape()[1]) {
        const int more = std::min(have, coefficients - have);
        powers = concatenate(axis(1), powers, slice(powers, axis(1), 0, more) * step);
        step = step * step;
    }
    return 0.5 * sum(square(sign(t) - dot(powers, x)));
};

/// The logarithm of the density of a Gaussian mixture with a Wishart prior. The lower triangle of each matrix Q is
/// gathered from `l` at `places`; the place after the last is 0.
struct Mixture {
    double gamma = 1;
    int m = 0;

    Tensor operator()(Tensor alpha, Tensor mu, Tensor q, Tensor l, Tensor x, Tensor places) const {
        const int k = mu.shape()[0], d = mu.shape()[1], n = x.shape()[0];
        const Tensor diagonal = exp(q), sums = sum(q, axis(1));
        const Tensor below = gather(pad(l, axis(1), 0, 1), places, axis(1));
        const Tensor unit = one_hot(iota_beside(x, d), d);
        const Tensor matrices = reshape(below, {k, d, d}) + reshape(diagonal, {k, d, 1}) * unit;
        const Tensor rows = reshape(matrices, {k * d, d});
        const Tensor centres = sum(matrices * reshape(mu, {k, 1, d}), axis(2));
        const Tensor moved = reshape(dot(x, transpose(rows)), {n, k, d}) - centres;
        const Tensor terms = alpha + sums - 0.5 * sum(square(moved), axis(2));
        const double halves = 0.5 * (d + m + 1);
        double log_gamma = 0.25 * d * (d - 1) * std::log(std::numbers::pi);
        for (int j = 1; j <= d; ++j) log_gamma += std::lgamma(halves + 0.5 * (1 - j));
        const double normal = -0.5 * n * d * std::log(2 * std::numbers::pi);
        const double wishart = 2 * halves * d * (std::log(gamma) - 0.5 * std::log(2.0)) - log_gamma;
        const Tensor prior = 0.5 * gamma * gamma * (sum(square(diagonal)) + sum(square(l))) - double(m) * sum(sums);
        return sum(log_sum_exp(terms)) - double(n) * log_sum_exp(alpha) - prior + (normal + k * wishart);
    }
};

Numbers places_of_triangle(std::size_t d) {
    Numbers places = Numbers::from_shape({1, d * d});
    places.fill(static_cast<double>(d * (d - 1) / 2));
    std::size_t next = 0;
    for (std::size_t column = 0; column < d; ++column)
        for (std::size_t row = column + 1; row < d; ++row) places(0, row * d + column) = static_cast<double>(next++);
    return places;
}

template <bool derive>
Prepared mixture(const Json& input) {
    const Mixture f{input.at("gamma"), input.at("m")};
    const Numbers alpha = array_of(input.at("alpha")), mu = array_of(input.at("mu")), q = array_of(input.at("q")),
                  l = array_of(input.at("l")), x = array_of(input.at("x")), places = places_of_triangle(mu.shape(1));
    if constexpr (!derive) return prepared(evaluate(f), alpha, mu, q, l, x, places);
    else {
        const auto slopes = gradient(f, wrt<0, 1, 2, 3>);
        auto found = std::make_shared<std::tuple<Numbers, Numbers, Numbers, Numbers>>();
        return {[=] { *found = slopes(alpha, mu, q, l, x, places); },
                [=] {
                    const auto& [to_alpha, to_mu, to_q, to_l] = *found;
                    return Json{{"alpha", lists_of(to_alpha)},
                                {"mu", lists_of(to_mu)},
                                {"q", lists_of(to_q)},
                                {"l", lists_of(to_l)}};
                }};
    }
}

/// The sum of squared distances of points from the nearest centre.
constexpr auto nearest = [](auto points, auto centres) {
    const auto beside = sum(square(centres), axis(1)) - 2.0 * dot(points, transpose(centres));
    return sum(square(points)) + sum(min(beside, axis(1)));
};
/// The step of Newton's method with the diagonal of the Hessian. Other elements are 0, so its product with ones is the
/// diagonal.
constexpr auto newton_step = [](auto points, auto centres) {
    const auto slope = gradient(nearest, wrt<1>)(points, centres);
    const auto diagonal = hvp(nearest, wrt<1>)(points, centres, filled(centres, 1, centres.shape()));
    return slope / diagonal;
};

/// The solution at t = 2 of y'[0] = x[0], y'[i] = x[i]·y[i-1] by so many steps of the method of Runge and Kutta.
struct Solution {
    int steps;

    Tensor operator()(Tensor x) const {
        const int n = x.shape()[0];
        const double h = 2.0 / steps;
        const Tensor first = pad(slice(x, axis(0), 0, 1), axis(0), 0, n - 1);
        const Tensor rest = slice(x, axis(0), 1, n);
        const auto slope = [&](Tensor y) { return first + pad(rest * slice(y, axis(0), 0, n - 1), axis(0), 1, 0); };
        Tensor y = filled(x, 0, Shape{n});
        for (int i = 0; i < steps; ++i) {
            const Tensor k1 = slope(y), k2 = slope(y + 0.5 * h * k1), k3 = slope(y + 0.5 * h * k2),
                         k4 = slope(y + h * k3);
            y = y + h / 6 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
        }
        return y;
    }
};

Numbers points_of(const Json& input) {
    const std::size_t n = input.at("n");
    Numbers t = Numbers::from_shape({n});
    for (std::size_t i = 0; i < n; ++i) t(i) = -1 + 2 * double(i) / double(n - 1);
    return t;
}
Numbers matrix_of(const Json& input) {
    Numbers a = array_of(input.at("A"));
    const std::size_t n = input.at("ell");
    a.reshape({n, n});
    return a;
}

}  // namespace

Module plain_modules(const std::string& name) {
    if (name == "hello")
        return {{"square", [](const Json& x) { return prepared(evaluate(squared), x.get<double>()); }},
                {"double", [](const Json& x) { return prepared(gradient(squared), x.get<double>()); }}};
    if (name == "lse")
        return {{"primal", [](const Json& x) { return prepared(evaluate(log_sum_exp), array_of(x.at("x"))); }},
                {"gradient", [](const Json& x) { return prepared(gradient(log_sum_exp), array_of(x.at("x"))); }}};
    if (name == "llsq")
        return {{"primal",
                 [](const Json& x) { return prepared(evaluate(polynomial_error), array_of(x.at("x")), points_of(x)); }},
                {"gradient", [](const Json& x) {
                     return prepared(gradient(polynomial_error, wrt<0>), array_of(x.at("x")), points_of(x));
                 }}};
    if (name == "gmm") return {{"objective", mixture<false>}, {"jacobian", mixture<true>}};
    if (name == "kmeans")
        return {{"cost",
                 [](const Json& x) {
                     return prepared(evaluate(nearest), array_of(x.at("points")), array_of(x.at("centroids")));
                 }},
                {"dir", [](const Json& x) {
                     return prepared(evaluate(newton_step), array_of(x.at("points")), array_of(x.at("centroids")));
                 }}};
    if (name == "det")
        return {{"primal",
                 [](const Json& x) { return prepared(evaluate([](auto a) { return determinant(a); }), matrix_of(x)); }},
                {"gradient", [](const Json& x) {
                     const Numbers a = matrix_of(x);
                     return prepared(
                         [f = gradient([](auto m) { return determinant(m); })](const Numbers& m) {
                             Numbers slope = f(m);
                             slope.reshape({slope.size()});
                             return slope;
                         },
                         a);
                 }}};
    if (name == "ode")
        return {{"primal", [](const Json& x) { return prepared(evaluate(Solution{x.at("s")}), array_of(x.at("x"))); }},
                {"gradient", [](const Json& x) {
                     const Solution f{x.at("s")};
                     return prepared(gradient([f](Tensor v) {
                                         const int n = v.shape()[0];
                                         return sum(slice(f(v), axis(0), n - 1, n));
                                     }),
                                     array_of(x.at("x")));
                 }}};
    return {};
}

}  // namespace gradbench
