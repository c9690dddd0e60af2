// SPDX-License-Identifier: BSL-1.0
// Gradients of what changes shapes against central finite differences in double. Each result is multiplied by random
// numbers of its own and summed, so that what flows back is never 1 and no two rules can hide each other's mistakes.
#include "support.hpp"

using namespace sigma;
using namespace sigma::test;

namespace {
constexpr double tolerance = gradient_tolerance;
}

TEST_CASE("gradients of reductions", "[gradient]") {
    const auto x = random<double, 3>(1, {3, 4, 5});
    const auto w = weights<12, 60>();
    auto sums = value_and_gradient(
        [](auto v, auto r) {
            return weighted_all(r, sum(v), sum(v, axis(0)), sum(v, axis(1), keep), sum(v, axes(0, 2)),
                                sum(v, axes(1, 2)), mean(v), mean(v, axis(2)), mean(v, axes(0, 1), keep),
                                variance(v, axis(1)));
        },
        wrt<0>);
    auto extremes = value_and_gradient(
        [](auto v, auto r) {
            return weighted_all(r, max(v), max(v, axis(0)), max(v, axis(1), keep), max(v, axes(0, 2)), min(v),
                                min(v, axis(2)), min(v, axes(1, 2), keep));
        },
        wrt<0>);
    auto soft = value_and_gradient(
        [](auto v, auto r) {
            return weighted_all(r, softmax(v), log_softmax(v, axis(1)), logsumexp(v, axis(0)), logsumexp(v),
                                softmax(v, axis(0)));
        },
        wrt<0>);
    const auto at = [&](auto f) { return [f, &w](const auto& v) { return f(shaped<3, 4, 5>(v), shaped<12, 60>(w)); }; };
    CHECK(gradient_error(at(sums), x) < tolerance);
    CHECK(gradient_error(at(extremes), x) < tolerance);
    CHECK(gradient_error(at(soft), x) < tolerance);
}

TEST_CASE("gradients of movements", "[gradient]") {
    const auto x = random<double, 3>(1, {3, 4, 5}), y = random<double, 3>(2, {3, 2, 5});
    const auto w = weights<10, 150>();
    auto f = value_and_gradient(
        [](auto a, auto b, auto r) {
            return weighted_all(r, permute(a, {1, 2, 0}), permute(a, {0, 2, 1}) * 2.0, reshape(a, {12, 5}),
                                slice(a, axis(1), 1, 3), slice(b, axis(2), 0, 2), concatenate(axis(1), a, b),
                                concatenate(axis(1), b, a, a), transpose(b), broadcast_to(b, {3, 3, 2, 5}), flatten(a));
        },
        wrt<0, 1>);
    CHECK(gradient_error([&](const auto& a,
                             const auto& b) { return f(shaped<3, 4, 5>(a), shaped<3, 2, 5>(b), shaped<10, 150>(w)); },
                         x, y) < tolerance);
}

TEST_CASE("gradients of matrix products of all ranks", "[gradient]") {
    const auto m = random<double, 2>(1, {4, 5}), u = random<double, 2>(2, {5, 3});
    const auto v = random<double, 1>(3, {5});
    const auto t = random<double, 3>(4, {2, 4, 5}), q = random<double, 3>(5, {2, 5, 3});
    const auto w = weights<8, 25>();
    auto flat_products = value_and_gradient(
        [](auto a, auto b, auto c, auto r) {
            return weighted_all(r, dot(a, b), dot(a, c), dot(c, b), dot(c, c), dot(transpose(b), c),
                                dot(transpose(a), a), dot(a, transpose(a)));
        },
        wrt<0, 1, 2>);
    const auto flat_at = [&](const auto& a, const auto& b, const auto& c) {
        return flat_products(shaped<4, 5>(a), shaped<5, 3>(b), shaped<5>(c), shaped<8, 25>(w));
    };
    CHECK(gradient_error(flat_at, m, u, v) < tolerance);
    auto stacked = value_and_gradient(
        [](auto a, auto b, auto c, auto d, auto r) {
            return weighted_all(r, dot(a, b), dot(a, c), dot(a, d), dot(tanh(a), tanh(b)));
        },
        wrt<0, 1, 2, 3>);
    const auto stacked_at = [&](const auto& a, const auto& b, const auto& c, const auto& d) {
        return stacked(shaped<2, 4, 5>(a), shaped<2, 5, 3>(b), shaped<5, 3>(c), shaped<5>(d), shaped<8, 25>(w));
    };
    CHECK(gradient_error(stacked_at, t, q, u, v) < tolerance);
}

TEST_CASE("gradients over a batch of any size", "[gradient]") {
    auto f = value_and_gradient(
        [](auto x, auto w, auto b, auto r) {
            const auto h = tanh(dot(x, w) + b);
            return mean(h * r) + sum(mean(h, axis(0)) * 0.7) + mean(sum(square(h) * r, axis(1))) +
                   sum(max(h * r, axis(0))) + sum(square(h - mean(h, axis(0), keep)) * r) / 3.0;
        },
        wrt<0, 1, 2>);
    for (const std::size_t n : {1u, 2u, 5u, 8u, 13u}) {
        CAPTURE(n);
        const auto r = random<double, 2>(n, {n, 6}, 0.5, 2);
        const auto at = [&](const auto& x, const auto& w, const auto& b) {
            return f(shaped<batch, 4>(x), shaped<4, 6>(w), shaped<6>(b), shaped<batch, 6>(r));
        };
        CHECK(gradient_error(at, random<double, 2>(n + 10, {n, 4}), random<double, 2>(3, {4, 6}),
                             random<double, 1>(4, {6})) < tolerance);
    }
}

TEST_CASE("gradients in float agree with those in double", "[gradient]") {
    constexpr auto f = [](auto x, auto w, auto r) {
        return sum(softmax(dot(x, w)) * r) + sum(exp(-square(x)) * tanh(x)) + sum(sigmoid(x) * log1p(exp(x)));
    };
    const auto x = random_of<float>(1, 5, 7), w = random_of<float>(2, 7, 9), r = random_of<float>(3, 5, 9);
    const xt::xtensor<double, 2> xd = x, wd = w, rd = r;
    const auto g = gradient(f)(shaped<batch, 7>(x), shaped<7, 9>(w), shaped<batch, 9>(r));
    const auto wanted = gradient(f)(shaped<batch, 7>(xd), shaped<7, 9>(wd), shaped<batch, 9>(rd));
    // Some hundred operations of a few ulp each, on terms of size up to about 10.
    const double agree = 300 * epsilon<float>;
    CHECK(relative_error(std::get<0>(g), Reference(std::get<0>(wanted)), 1.0) < agree);
    CHECK(relative_error(std::get<1>(g), Reference(std::get<1>(wanted)), 1.0) < agree);
    CHECK(relative_error(std::get<2>(g), Reference(std::get<2>(wanted)), 1.0) < agree);
}
