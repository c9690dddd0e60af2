// SPDX-License-Identifier: BSL-1.0
// Functions of two and three operands, with NumPy's broadcasting over ranks 0 to 6.
#include "support.hpp"

using namespace sigma;
using namespace sigma::test;

namespace {

constexpr auto all = [](auto x, auto y) {
    return std::tuple{x + y,
                      x - y,
                      x * y,
                      x / y,
                      max(x, y),
                      min(x, y),
                      x<y, x <= y, x>
                          y,
                      x >= y,
                      equal(x, y),
                      not_equal(x, y),
                      where(x < y, x, y),
                      where(x - y, y, 0.5)};
};

Index broadcast_extents(const Index& a, const Index& b) {
    Index e(std::max(a.size(), b.size()));
    for (std::size_t i = 1; i <= e.size(); ++i) {
        const std::size_t x = i <= a.size() ? a[a.size() - i] : 1, y = i <= b.size() ? b[b.size() - i] : 1;
        e[e.size() - i] = x == 1 ? y : x;
    }
    return e;
}
template <class R, class F>
void expect(const R& found, const Reference& x, const Reference& y, F f, double tolerance = 0) {
    Reference wanted(broadcast_extents(x.extents, y.extents));
    wanted.each([&](const Index& at) { return f(x.at(at), y.at(at)); });
    CHECK(relative_error(found, wanted) <= tolerance);
}

/// `x` and `y` are arguments, `a` and `b` the arrays behind them.
template <class T, class X, class Y, class A, class B>
void check_all(const X& x, const Y& y, const A& a, const B& b) {
    const Reference p(a), q(b);
    const double half_ulp = epsilon<T> / 2;  // one operation, correctly rounded
    const auto r = evaluate(all)(x, y);
    expect(std::get<0>(r), p, q, [](double u, double v) { return u + v; }, half_ulp);
    expect(std::get<1>(r), p, q, [](double u, double v) { return u - v; }, half_ulp);
    expect(std::get<2>(r), p, q, [](double u, double v) { return u * v; }, half_ulp);
    expect(std::get<3>(r), p, q, [](double u, double v) { return u / v; }, half_ulp);
    expect(std::get<4>(r), p, q, [](double u, double v) { return std::max(u, v); });
    expect(std::get<5>(r), p, q, [](double u, double v) { return std::min(u, v); });
    expect(std::get<6>(r), p, q, [](double u, double v) { return u < v; });
    expect(std::get<7>(r), p, q, [](double u, double v) { return u <= v; });
    expect(std::get<8>(r), p, q, [](double u, double v) { return u > v; });
    expect(std::get<9>(r), p, q, [](double u, double v) { return u >= v; });
    expect(std::get<10>(r), p, q, [](double u, double v) { return u == v; });
    expect(std::get<11>(r), p, q, [](double u, double v) { return u != v; });
    expect(std::get<12>(r), p, q, [](double u, double v) { return u < v ? u : v; });
    expect(std::get<13>(r), p, q, [](double u, double v) { return u - v != 0 ? v : 0.5; });
}

/// Small whole numbers, never 0: equal ones occur.
template <class T, class... E>
auto dice(std::uint64_t seed, E... extents) {
    auto x = random_of<T>(seed, extents...);
    for (auto& v : x) v = std::round(v) + T(v < 0 ? -1 : 1);
    return x;
}

}  // namespace

TEMPLATE_TEST_CASE("equal shapes, for every length of tail", "[function]", float, double) {
    using T = TestType;
    for (std::size_t n = 1; n <= 33; ++n) {
        CAPTURE(n);
        const auto x = dice<T>(n, n), y = dice<T>(n + 50, n);
        check_all<T>(x, y, x, y);
    }
}

TEST_CASE("rows, columns and scalars broadcast", "[function]") {
    for (const int n : {1, 2, 7, 12}) {
        CAPTURE(n);
        const auto m = dice<float>(1, n, 13), column = dice<float>(3, n, 1), lead = dice<float>(4, 1, 13);
        const auto row = dice<float>(2, 13);
        check_all<float>(shaped<batch, 13>(m), shaped<13>(row), m, row);
        check_all<float>(shaped<batch, 1>(column), shaped<1, 13>(lead), column, lead);
        const xt::xtensor<float, 0> two{2.0f};
        check_all<float>(2.0f, shaped<batch, 13>(m), two, m);
    }
}

TEST_CASE("two scalars, and rank 0", "[function]") {
    const xt::xtensor<double, 0> three{3.0}, four{4.0};
    const auto r = evaluate([](auto x, auto y) { return std::tuple{x + y, x / y, x < y}; })(3.0, 4.0);
    CHECK(r == std::tuple{7.0, 0.75, 1.0});
    check_all<double>(3.0, 4.0, three, four);
}

TEST_CASE("rank 6 broadcasts along alternating axes", "[function]") {
    const auto x = dice<double>(1, 2, 1, 3, 1, 2, 5);
    const auto y = dice<double>(2, 3, 1, 4, 1, 5);
    check_all<double>(shaped<2, 1, 3, 1, 2, 5>(x), shaped<3, 1, 4, 1, 5>(y), x, y);
    const auto u = dice<double>(3, 2, 3, 1, 2, 1, 1), v = dice<double>(4, 1, 3, 2, 1, 2, 3);
    check_all<double>(shaped<batch, 3, 1, 2, 1, 1>(u), shaped<1, 3, 2, 1, 2, 3>(v), u, v);
}

TEMPLATE_TEST_CASE("where with three shapes", "[function]", float, double) {
    using T = TestType;
    for (const int n : {1, 5, 9}) {
        auto c = random_of<T>(1, n, 1);
        for (auto& v : c) v = v > 0 ? T(3) : T(0);  // anything but zero is true
        const auto x = random_of<T>(2, 11);
        const auto y = random_of<T>(3, n, 11);
        const auto r = evaluate([](auto p, auto a, auto b) {
            return std::tuple{where(p, a, b), where(p, b, 2.0), where(p, -1.0, a)};
        })(shaped<batch, 1>(c), shaped<11>(x), shaped<batch, 11>(y));
        const Reference p(c), a(x), b(y);
        Reference wanted(Index{static_cast<std::size_t>(n), 11});
        CHECK(relative_error(std::get<0>(r),
                             wanted.each([&](const Index& at) { return p.at(at) != 0 ? a.at(at) : b.at(at); })) == 0);
        CHECK(relative_error(std::get<1>(r),
                             wanted.each([&](const Index& at) { return p.at(at) != 0 ? b.at(at) : 2.0; })) == 0);
        CHECK(relative_error(std::get<2>(r),
                             wanted.each([&](const Index& at) { return p.at(at) != 0 ? -1.0 : a.at(at); })) == 0);
    }
}

TEMPLATE_TEST_CASE("constant exponents and operands", "[function]", float, double) {
    using T = TestType;
    const auto x = random<T, 1>(1, {21}, 0.1, 4);
    const auto r = evaluate([](auto v) {
        return std::tuple{pow(v, 1.0),  pow(v, 2.0),  pow(v, 3.0), pow(v, 0.5),
                          pow(v, -0.5), pow(v, -1.0), pow(v, 2.7), pow(1.5, v)};
    })(x);
    const double exponents[] = {1, 2, 3, 0.5, -0.5, -1, 2.7};
    int i = 0;
    const auto examine = [&](const auto& found, bool swapped = false) {
        Reference wanted(x);
        const double p = swapped ? 1.5 : exponents[i++];
        for (double& v : wanted.data) v = swapped ? std::pow(p, v) : std::pow(v, p);
        CAPTURE(p);
        // At most two roundings and that of the exponent 2.7 itself (relative 2⁻²⁵·2.7·log 4).
        CHECK(relative_error(found, wanted) < 3 * epsilon<T>);
    };
    std::apply([&](const auto&... y) { (examine(y, i == 7), ...); }, r);
    const auto s = evaluate([](auto v) {
        return std::tuple{1.0 - v, v - 1.0, 2.0 / v, v / 4.0, max(v, 1.0), min(2.0, v), v < 1.0, 1.0 <= v};
    })(x);
    for (std::size_t k = 0; k < x.size(); ++k) {
        CHECK(std::get<0>(s)(k) == 1 - x(k));
        CHECK(std::get<1>(s)(k) == x(k) - 1);
        CHECK(std::get<2>(s)(k) == 2 / x(k));
        CHECK(std::get<3>(s)(k) == x(k) / 4);
        CHECK(std::get<4>(s)(k) == std::max(x(k), T(1)));
        CHECK(std::get<5>(s)(k) == std::min(x(k), T(2)));
        CHECK(std::get<6>(s)(k) == (x(k) < 1 ? 1 : 0));
        CHECK(std::get<7>(s)(k) == (x(k) >= 1 ? 1 : 0));
    }
}

TEMPLATE_TEST_CASE("pow of two arrays", "[function]", float, double) {
    using T = TestType;
    const auto x = random<T, 2>(1, {4, 1}, 0.01, 5), p = random<T, 2>(2, {4, 9}, -4, 4);
    const auto found = evaluate([](auto a, auto b) { return pow(a, b); })(shaped<batch, 1>(x), shaped<batch, 9>(p));
    const Reference a(x), b(p);
    Reference wanted(Index{4, 9});
    wanted.each([&](const Index& at) { return std::pow(a.at(at), b.at(at)); });
    CHECK(relative_error(found, wanted) < epsilon<T>);  // the C library's pow is within 1 ulp
}

TEMPLATE_TEST_CASE("NaN wins max and min on either side, and against constants", "[function]", float, double) {
    using T = TestType;
    constexpr T nan = std::numeric_limits<T>::quiet_NaN();
    const xt::xtensor<T, 1> x{nan, 1, nan, 2}, y{1, nan, nan, 3};
    const auto r = evaluate([](auto a, auto b) {
        return std::tuple{max(a, b),   min(a, b),   max(a, 0.0),           max(0.0, a),
                          min(a, 0.0), min(0.0, a), where(a < b, 1.0, 2.0)};
    })(x, y);
    const auto nans = [](const auto& v) {
        std::vector<bool> is;
        for (auto e : v) is.push_back(std::isnan(e));
        return is;
    };
    const std::vector<bool> either{true, true, true, false}, first{true, false, true, false};
    CHECK(nans(std::get<0>(r)) == either);
    CHECK(nans(std::get<1>(r)) == either);
    CHECK(nans(std::get<2>(r)) == first);
    CHECK(nans(std::get<3>(r)) == first);
    CHECK(nans(std::get<4>(r)) == first);
    CHECK(nans(std::get<5>(r)) == first);
    CHECK(flat(std::get<6>(r)) == std::vector<double>{2, 2, 2, 1});  // comparisons with NaN are false
}
