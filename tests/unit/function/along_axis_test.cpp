// SPDX-License-Identifier: BSL-1.0
// What goes along one axis, and systems of linear equations, against plain loops in double precision.
#include "support.hpp"

#include <sigma/tape/along_axis.hpp>
#include <sigma/tape/linear_algebra.hpp>

#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

using namespace sigma;
using namespace sigma::test;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Changes each row along an axis: f(values of the row).
template <class F>
Reference along(Reference x, std::size_t axis, F f) {
    Index first = x.extents;
    first[axis] = 1;
    for (std::size_t p = 0; p < count_of(first); ++p) {
        Index at = index_of(p, first);
        std::vector<double*> row;
        std::vector<double> values;
        for (at[axis] = 0; at[axis] < x.extents[axis]; ++at[axis]) {
            row.push_back(&x.data[position_of(at, x.extents)]);
            values.push_back(*row.back());
        }
        f(values);
        for (std::size_t i = 0; i < row.size(); ++i) *row[i] = values[i];
    }
    return x;
}
const auto sums = [](std::vector<double>& v) { std::partial_sum(v.begin(), v.end(), v.begin()); };
const auto products = [](std::vector<double>& v) {
    std::partial_sum(v.begin(), v.end(), v.begin(), std::multiplies<double>{});
};
/// Backwards, without the element itself.
const auto rests = [](std::vector<double>& v) {
    double total = 0;
    for (std::size_t i = v.size(); i-- > 0;) v[i] = std::exchange(total, total + v[i]);
};
const auto positions = [](std::vector<double>& v) {
    std::vector<double> order(v.size());
    std::iota(order.begin(), order.end(), 0.0);
    std::sort(order.begin(), order.end(), [&](double i, double j) {
        const double x = v[static_cast<std::size_t>(i)], y = v[static_cast<std::size_t>(j)];
        if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y) ? i < j : std::isnan(y);
        return x < y || (x == y && i < j);
    });
    v = order;
};
const auto sorted = [](std::vector<double>& v) {
    const std::vector<double> from = v;
    positions(v);
    for (double& x : v) x = from[static_cast<std::size_t>(x)];
};

}  // namespace

TEMPLATE_TEST_CASE("sums, products and orders along each axis", "[function]", float, double) {
    using T = TestType;
    const auto x = random_of<T>(1, 5, 3, 17);
    const Reference given(x);
    const auto f = evaluate([](auto v) {
        return std::tuple{cumsum(v, axis(1)), cumsum(v, {.exclusive = true, .reverse = true}),
                          cumprod(v),         sort(v),
                          sort(v, axis(1)),   argsort(v)};
    });
    const auto [middle, rest, product, order, other, indices] = f(shaped<batch, 3, 17>(x));
    CHECK(relative_error(middle, along(given, 1, sums), 1.0) < 20 * epsilon<T>);
    CHECK(relative_error(rest, along(given, 2, rests), 1.0) < 40 * epsilon<T>);
    CHECK(relative_error(product, along(given, 2, products)) < 20 * epsilon<T>);
    CHECK(relative_error(order, along(given, 2, sorted)) == 0);
    CHECK(relative_error(other, along(given, 1, sorted)) == 0);
    CHECK(relative_error(indices, along(given, 2, positions)) == 0);
    const auto first = evaluate([](auto v) { return std::tuple{cumsum(v, axis(0)), sort(v, axis(0))}; });
    const auto [sum_first, sort_first] = first(shaped<5, 3, 17>(x));
    CHECK(relative_error(sum_first, along(given, 0, sums), 1.0) < 20 * epsilon<T>);
    CHECK(relative_error(sort_first, along(given, 0, sorted)) == 0);
}

TEST_CASE("a long row is sorted, and what is equal stays in its order", "[function]") {
    xt::xtensor<float, 1> x = xt::xtensor<float, 1>::from_shape({1000});
    for (std::size_t i = 0; i < 1000; ++i) x(i) = static_cast<float>(i * 7919 % 13);
    CHECK(relative_error(evaluate([](auto v) { return argsort(v); })(shaped<1000>(x)),
                         along(Reference(x), 0, positions)) == 0);
}

TEST_CASE("NaN counts as greatest, and equal elements keep their order", "[function]") {
    const double inf = std::numeric_limits<double>::infinity();
    const xt::xtensor<double, 1> x{2, not_a_number, -0.0, 0, not_a_number, -inf, 2, inf};
    const auto f = evaluate([](auto v) {
        return std::tuple{argsort(v), argsort(v, SortOrder::descending), top_k(v, 3).indices, top_k(v, 3).values};
    });
    const auto [up, down, first, values] = f(shaped<8>(x));
    CHECK(flat(up) == std::vector<double>{5, 2, 3, 0, 6, 7, 1, 4});
    CHECK(flat(down) == std::vector<double>{1, 4, 7, 0, 6, 2, 3, 5});
    CHECK(flat(first) == std::vector<double>{1, 4, 7});
    CHECK((std::isnan(values(0)) && std::isnan(values(1)) && values(2) == inf));
}

TEST_CASE("gather along an axis", "[function]") {
    const xt::xtensor<double, 2> x{{10, 11, 12}, {20, 21, 22}};
    const xt::xtensor<double, 2> columns{{2, 0}, {1, 1}}, rows{{1, 0, 1}}, wrong{{3, -1}, {not_a_number, 1e30}};
    const auto f = evaluate([](auto v, auto i) { return gather(v, i, axis(1)); });
    CHECK(flat(f(shaped<batch, 3>(x), shaped<batch, 2>(columns))) == std::vector<double>{12, 10, 21, 21});
    CHECK(flat(evaluate([](auto v, auto i) { return gather(v, i, axis(0)); })(shaped<2, 3>(x), shaped<1, 3>(rows))) ==
          std::vector<double>{20, 11, 22});
    for (double v : flat(f(shaped<batch, 3>(x), shaped<batch, 2>(wrong)))) CHECK(std::isnan(v));
}

TEST_CASE("the gradient of a product of zeros", "[function]") {
    const xt::xtensor<double, 1> one{2, 0, 3}, two{0, 5, 0};
    const auto f = gradient([](auto v) { return sum(cumprod(v)); });
    CHECK(flat(f(shaped<3>(one))) == std::vector<double>{1, 2 + 2 * 3, 0});
    CHECK(flat(f(shaped<3>(two))) == std::vector<double>{1 + 5, 0, 0});
}

TEST_CASE("a linear recurrence", "[function]") {
    const auto a = random_of<double>(3, 4, 6), b = random_of<double>(4, 4, 6);
    Reference wanted(b);
    for (std::size_t r = 0; r < 4; ++r)
        for (std::size_t i = 1; i < 6; ++i) wanted.data[r * 6 + i] += a(r, i) * wanted.data[r * 6 + i - 1];
    const auto f = evaluate([](auto x, auto y) { return linear_recurrence(x, y); });
    CHECK(relative_error(f(shaped<batch, 6>(a), shaped<batch, 6>(b)), wanted, 1.0) < 1e-14);
}

TEMPLATE_TEST_CASE("systems of linear equations", "[function]", float, double) {
    using T = TestType;
    for (const int n : {1, 2, 5, 8}) {
        const auto run = [&]<int size>(std::integral_constant<int, size>) {
            const auto a = random_of<T>(1, 3, size, size), b = random_of<T>(2, 3, size, 4);
            const auto f = evaluate([](auto x, auto y) {
                const auto z = solve(x, y);
                return std::tuple{dot(x, z), dot(x, inverse(x)), determinant(x) * determinant(inverse(x))};
            });
            const auto [again, unit, one] = f(shaped<batch, size, size>(a), shaped<batch, size, 4>(b));
            const double tolerance = 4000 * epsilon<T>;  // condition numbers up to some hundreds
            CHECK(relative_error(again, Reference(b), 1.0) < tolerance);
            CHECK(relative_error(unit, Reference(unit).each([](const Index& at) { return at[1] == at[2]; }), 1.0) <
                  tolerance);
            CHECK(relative_error(one, Reference(one).each([](const Index&) { return 1; })) < tolerance);
        };
        if (n == 1) run(std::integral_constant<int, 1>{});
        else if (n == 2) run(std::integral_constant<int, 2>{});
        else if (n == 5) run(std::integral_constant<int, 5>{});
        else run(std::integral_constant<int, 8>{});
    }
}

TEST_CASE("one matrix for all records, and vectors", "[function]") {
    const xt::xtensor<double, 2> a{{0, 2}, {4, 0}}, b{{2, 4}, {6, 8}, {10, 12}};
    const auto f = evaluate([](auto x, auto y) { return solve(x, transpose(y)); });
    CHECK(flat(f(shaped<2, 2>(a), shaped<3, 2>(b))) == std::vector<double>{1, 2, 3, 1, 3, 5});
    const auto vectors = evaluate([](auto x, auto y) { return solve(reshape(x, {1, 2, 2}), y); });
    CHECK(flat(vectors(shaped<2, 2>(a), shaped<batch, 2>(b))) == std::vector<double>{1, 1, 2, 3, 3, 5});
}

TEST_CASE("determinants of singular matrices have gradients", "[function]") {
    const auto f = value_and_gradient([](auto x) { return determinant(x); });
    const auto examine = [&](const xt::xtensor<double, 2>& a, double value, const std::vector<double>& cofactors) {
        const auto [d, g] = f(shaped<3, 3>(a));
        CHECK(d == Approx(value).margin(1e-12));
        for (std::size_t i = 0; i < 9; ++i) CHECK(flat(g)[i] == Approx(cofactors[i]).margin(1e-12));
    };
    examine({{0, 2, 1}, {3, 1, 0}, {1, 0, 4}}, -25, {4, -12, -1, -8, -1, 2, -1, 3, -6});
    examine({{1, 2, 3}, {2, 4, 6}, {1, 0, 1}}, 0, {4, 4, -4, -2, -2, 2, 0, 0, 0});
    examine({{1, 2, 3}, {2, 4, 6}, {3, 6, 9}}, 0, std::vector<double>(9));
    examine({{0, 0, 0}, {0, 2, 1}, {0, 1, 3}}, 0, {5, 0, 0, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("a singular matrix has no inverse", "[function]") {
    const xt::xtensor<double, 2> a{{1, 2}, {2, 4}};
    for (double v : flat(evaluate([](auto x) { return inverse(x); })(shaped<2, 2>(a)))) CHECK(!std::isfinite(v));
}

TEMPLATE_TEST_CASE("signs and logarithms of determinants", "[function]", float, double) {
    using T = TestType;
    const auto f = evaluate([](auto x) {
        const auto [sign, logarithm] = slogdet(x);
        return std::tuple{sign, logarithm};
    });
    // Of the determinants 1e60, -1e-60, 0 and -2 only one is a float.
    const xt::xtensor<T, 3> a{
        {{T(1e30), 0}, {T(1e30), T(1e30)}}, {{0, T(1e-30)}, {T(1e-30), 0}}, {{1, 2}, {2, 4}}, {{1, 2}, {3, 4}}};
    const auto [sign, logarithm] = f(shaped<batch, 2, 2>(a));
    CHECK(flat(sign) == std::vector<double>{1, -1, 0, -1});
    CHECK(logarithm(0) == Approx(60 * std::log(10.0)));
    CHECK(logarithm(1) == Approx(-60 * std::log(10.0)));
    CHECK(logarithm(2) == -std::numeric_limits<T>::infinity());
    CHECK(logarithm(3) == Approx(std::log(2.0)));
    const xt::xtensor<T, 2> one{{1, 2}, {3, 4}};
    const auto slope = flat(gradient([](auto x) { return slogdet(x).logarithm; })(shaped<2, 2>(one)));
    const std::vector<double> wanted{-2, 1.5, 1, -0.5};  // the inverse, transposed
    for (std::size_t i = 0; i < 4; ++i) CHECK(slope[i] == Approx(wanted[i]));
}
