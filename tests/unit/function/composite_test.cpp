// SPDX-License-Identifier: BSL-1.0
// softmax, log_softmax and logsumexp: along any axis, and stable where exp overflows.
#include "support.hpp"

using namespace sigma;
using namespace sigma::test;

namespace {

constexpr auto along_last = [](auto x) { return std::tuple{softmax(x), log_softmax(x), logsumexp(x)}; };
constexpr auto along_first = [](auto x) {
    return std::tuple{softmax(x, axis(0)), log_softmax(x, axis(0)), logsumexp(x, axis(0))};
};

/// log Σ exp along one axis of a matrix, in long double, for each row or column.
std::vector<long double> log_sums(const Reference& x, std::size_t axis) {
    std::vector<long double> greatest(x.extents[1 - axis], -1e4000L), total(x.extents[1 - axis], 0);
    for (std::size_t p = 0; p < x.data.size(); ++p) {
        auto& g = greatest[index_of(p, x.extents)[1 - axis]];
        g = std::max(g, static_cast<long double>(x.data[p]));
    }
    for (std::size_t p = 0; p < x.data.size(); ++p) {
        const auto i = index_of(p, x.extents)[1 - axis];
        total[i] += std::exp(static_cast<long double>(x.data[p]) - greatest[i]);
    }
    for (std::size_t i = 0; i < total.size(); ++i) total[i] = std::log(total[i]) + greatest[i];
    return total;
}
template <class T, class R>
void examine(const R& r, const Reference& x, std::size_t axis) {
    const auto sums = log_sums(x, axis);
    Reference soft(x.extents), log_soft(x.extents), total(Index{x.extents[1 - axis]});
    log_soft.each(
        [&](const Index& at) { return static_cast<double>(static_cast<long double>(x.at(at)) - sums[at[1 - axis]]); });
    soft.each([&](const Index& at) {
        return static_cast<double>(std::exp(static_cast<long double>(x.at(at)) - sums[at[1 - axis]]));
    });
    total.each([&](const Index& at) { return static_cast<double>(sums[at[0]]); });
    // x - max is rounded once: an absolute error of half an ulp of 20 in the exponent, that is 10 eps; exp, sum and
    // division add a few. Relative to the logarithms' greatest terms.
    CHECK(relative_error(std::get<0>(r), soft) < 20 * epsilon<T>);
    CHECK(relative_error(std::get<1>(r), log_soft, 1.0) < 20 * epsilon<T>);
    CHECK(relative_error(std::get<2>(r), total, 1.0) < 20 * epsilon<T>);
}

}  // namespace

TEMPLATE_TEST_CASE("softmax and its logarithms along rows and columns", "[function]", float, double) {
    using T = TestType;
    for (std::size_t n = 1; n <= 17; ++n) {
        CAPTURE(n);
        const auto x = random<T, 2>(n, {n, 11}, -10, 10);
        examine<T>(evaluate(along_last)(shaped<batch, 11>(x)), Reference(x), 1);
        examine<T>(evaluate(along_first)(shaped<batch, 11>(x)), Reference(x), 0);
    }
}

TEMPLATE_TEST_CASE("softmax of huge and infinite numbers", "[function]", float, double) {
    using T = TestType;
    constexpr T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
    const xt::xtensor<T, 2> x{{T(1e4), T(1e4) - 1, -T(1e4)}, {-T(1e4), -T(1e4), -T(1e4)}, {0, -inf, 0}, {0, nan, 1}};
    const auto r = evaluate(along_last)(shaped<batch, 3>(x));
    const auto& [soft, log_soft, total] = r;
    const double e = std::exp(-1.0);
    CHECK(soft(0, 0) == Approx(1 / (1 + e)));
    CHECK(soft(0, 1) == Approx(e / (1 + e)));
    CHECK(soft(0, 2) == 0);
    CHECK(log_soft(0, 2) == Approx(-2e4 - std::log1p(e)).epsilon(1e-6));
    CHECK(total(0) == Approx(1e4 + std::log1p(e)));
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(soft(1, i) == Approx(1.0 / 3));
        CHECK(log_soft(1, i) == Approx(-std::log(3.0)));
        CHECK(std::isnan(soft(3, i)));
    }
    CHECK(total(1) == Approx(-1e4 + std::log(3.0)));
    CHECK(soft(2, 0) == T(0.5));
    CHECK(soft(2, 1) == 0);
    CHECK(log_soft(2, 1) == -inf);
    CHECK(total(2) == Approx(std::log(2.0)));
    CHECK(std::isnan(total(3)));
}

TEST_CASE("a middle axis, and a vector", "[function]") {
    const auto x = random_of<double>(1, 3, 4, 5);
    const auto r = evaluate([](auto v) {
        return std::tuple{softmax(v, axis(1)), logsumexp(v, axis(1)), softmax(v, axis(-3))};
    })(shaped<batch, 4, 5>(x));
    const Reference a(x);
    for (std::size_t n = 0; n < 3; ++n)
        for (std::size_t j = 0; j < 5; ++j) {
            double total = 0;
            for (std::size_t i = 0; i < 4; ++i) total += std::exp(x(n, i, j));
            CHECK(std::get<1>(r)(n, j) == Approx(std::log(total)).epsilon(1e-13));
            for (std::size_t i = 0; i < 4; ++i)
                CHECK(std::get<0>(r)(n, i, j) == Approx(std::exp(x(n, i, j)) / total).epsilon(1e-13));
        }
    double column = 0;
    for (std::size_t n = 0; n < 3; ++n) column += std::exp(x(n, 2, 3));
    CHECK(std::get<2>(r)(1, 2, 3) == Approx(std::exp(x(1, 2, 3)) / column).epsilon(1e-13));

    const xt::xtensor<double, 1> v{1.0, 2.0, 3.0};
    const double total = std::exp(1.0) + std::exp(2.0) + std::exp(3.0);
    const auto s = evaluate(along_last)(v);
    CHECK(std::get<0>(s)(2) == Approx(std::exp(3.0) / total).epsilon(1e-14));
    CHECK(std::get<2>(s) == Approx(std::log(total)).epsilon(1e-14));
}

TEMPLATE_TEST_CASE("logsumexp of infinite rows", "[function]", float, double) {
    using T = TestType;
    constexpr T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
    const xt::xtensor<T, 2> x{{-inf, -inf, -inf}, {1, inf, -2},  {-inf, inf, inf},
                              {-inf, 3, -inf},    {inf, nan, 0}, {0, 0, 1000}};
    const auto [value, slope] = evaluate([](auto v) {
        return std::tuple{logsumexp(v), gradient([](auto w) { return sum(logsumexp(w)); })(v)};
    })(shaped<batch, 3>(x));
    CHECK(value(0) == -inf);
    CHECK(value(1) == inf);
    CHECK(value(2) == inf);
    CHECK(value(3) == 3);
    CHECK(std::isnan(value(4)));
    CHECK(value(5) == 1000);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(slope(0, i) == 0);
        CHECK(slope(3, i) == (i == 1 ? 1 : 0));
        CHECK(slope(5, i) == (i == 2 ? 1 : 0));
    }
    CHECK(slope(1, 0) == 0);
    CHECK(std::isnan(slope(1, 1)));  // inf / inf
    CHECK(slope(1, 2) == 0);

    const auto columns =
        evaluate([](auto v) { return logsumexp(v, axis(0)); })(shaped<batch, 3>(xt::xtensor<T, 2>{{-inf, 1, inf}}));
    CHECK(columns(0) == -inf);
    CHECK(columns(1) == 1);
    CHECK(columns(2) == inf);
}
