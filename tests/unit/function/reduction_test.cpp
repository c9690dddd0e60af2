// SPDX-License-Identifier: BSL-1.0
// sum, mean, max, min, variance and argmax over any set of axes, with and without the reduced axes kept.
#include "support.hpp"

using namespace sigma;
using namespace sigma::test;

namespace {

enum class Fold { sum, mean, max, min };

/// Reduces over the axes whose bits are set.
Reference folded(const Reference& x, unsigned axes, Fold how, bool keep) {
    Index kept = x.extents, dropped;
    for (std::size_t i = 0; i < kept.size(); ++i) {
        if (axes >> i & 1) kept[i] = 1;
        else dropped.push_back(kept[i]);
    }
    Reference r(kept);
    constexpr double inf = std::numeric_limits<double>::infinity();
    for (double& v : r.data) v = how == Fold::max ? -inf : how == Fold::min ? inf : 0;
    for (std::size_t p = 0; p < x.data.size(); ++p) {
        double& total = r.data[position_of(index_of(p, x.extents), kept)];
        const double v = x.data[p];
        if (how == Fold::max) total = v > total || std::isnan(v) ? v : total;
        else if (how == Fold::min) total = v < total || std::isnan(v) ? v : total;
        else total += v;
    }
    if (how == Fold::mean)
        for (double& v : r.data) v *= static_cast<double>(r.data.size()) / static_cast<double>(x.data.size());
    if (!keep) r.extents = dropped;
    return r;
}

template <class T, unsigned set, class R>
void examine(const R& r, const Reference& x) {
    // n additions of numbers up to 2 lose at most n·2·n/2 ulp; over 16 interleaved sums far less. 60 ulp hold for all
    // shapes here (at most 4·33·9 numbers), relative to sums that may cancel: to 1 at least.
    const double tolerance = 60 * epsilon<T>;
    CAPTURE(set);
    CHECK(relative_error(std::get<0>(r), folded(x, set, Fold::sum, false), 1.0) < tolerance);
    CHECK(relative_error(std::get<1>(r), folded(x, set, Fold::sum, true), 1.0) < tolerance);
    CHECK(relative_error(std::get<2>(r), folded(x, set, Fold::mean, false), 1.0) < tolerance);
    CHECK(relative_error(std::get<3>(r), folded(x, set, Fold::max, true)) == 0);
    CHECK(relative_error(std::get<4>(r), folded(x, set, Fold::min, false)) == 0);
}
template <class T, unsigned set, int... numbers, class A>
void over(const A& argument, const Reference& x) {
    examine<T, set>(evaluate([](auto v) {
                        const Axes a = axes(numbers...);
                        return std::tuple{sum(v, a), sum(v, a, keep), mean(v, a), max(v, a, keep), min(v, a)};
                    })(argument),
                    x);
}

}  // namespace

TEMPLATE_TEST_CASE("every set of axes of a batched rank 3", "[function]", float, double) {
    using T = TestType;
    for (const int n : {1, 3, 8, 33}) {
        CAPTURE(n);
        const auto x = random_of<T>(static_cast<std::uint64_t>(n), n, 4, 9);
        const Reference r(x);
        const auto a = shaped<batch, 4, 9>(x);
        over<T, 1, 0>(a, r);
        over<T, 2, 1>(a, r);
        over<T, 4, -1>(a, r);
        over<T, 3, 0, 1>(a, r);
        over<T, 5, 0, 2>(a, r);
        over<T, 6, 1, 2>(a, r);
        over<T, 7, 0, 1, 2>(a, r);
    }
}

TEMPLATE_TEST_CASE("rows and columns of every odd length", "[function]", float, double) {
    using T = TestType;
    for (std::size_t n = 1; n <= 33; ++n) {
        const auto x = random<T, 1>(n, {n});
        examine<T, 1>(evaluate([](auto v) {
                          return std::tuple{sum(v), sum(v, axis(0), keep), mean(v), max(v, axis(0), keep), min(v)};
                      })(x),
                      Reference(x));
        const auto columns = random<T, 2>(n, {n, 21});  // 21: whole vectors and a tail of 5 (or 1)
        over<T, 1, 0>(shaped<batch, 21>(columns), Reference(columns));
        const auto rows = random<T, 2>(n, {n, 21});
        over<T, 2, 1>(shaped<batch, 21>(rows), Reference(rows));
    }
}

TEST_CASE("rank 6, axes apart and of extent 1", "[function]") {
    const auto x = random_of<float>(1, 2, 3, 1, 4, 2, 5);
    const Reference r(x);
    const auto a = shaped<2, 3, 1, 4, 2, 5>(x);
    over<float, 0b010101, 0, 2, 4>(a, r);
    over<float, 0b101010, 1, 3, 5>(a, r);
    over<float, 0b000100, 2>(a, r);
    over<float, 0b111111, 0, 1, 2, 3, 4, 5>(a, r);
    const auto scalar = evaluate([](auto v) { return std::tuple{sum(v), mean(v), max(v), min(v)}; })(2.5);
    CHECK(scalar == std::tuple{2.5, 2.5, 2.5, 2.5});
}

TEMPLATE_TEST_CASE("extremes of infinities and NaN", "[function]", float, double) {
    using T = TestType;
    constexpr T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
    constexpr auto extremes = [](auto v) {
        return std::tuple{max(v, axis(0)), min(v, axis(0)), max(v, axis(1)), min(v, axis(1)), sum(v, axis(1))};
    };
    for (std::size_t at = 0; at < 19; ++at) {  // the NaN in every lane and in the tail
        xt::xtensor<T, 2> x = random<T, 2>(at, {3, 19});
        x(1, at) = nan;
        for (std::size_t i = 0; i < 19; ++i) x(2, i) = i == at ? -inf : inf;
        const auto r = evaluate(extremes)(shaped<batch, 19>(x));
        CHECK(std::isnan(std::get<0>(r)(at)));
        CHECK(std::isnan(std::get<1>(r)(at)));
        CHECK(std::get<0>(r)((at + 1) % 19) == inf);
        CHECK(std::isnan(std::get<2>(r)(1)));
        CHECK(std::isnan(std::get<3>(r)(1)));
        CHECK(std::isnan(std::get<4>(r)(1)));
        CHECK(std::get<2>(r)(2) == inf);
        CHECK(std::get<3>(r)(2) == -inf);
        CHECK(std::isnan(std::get<4>(r)(2)));
        CHECK(std::get<2>(r)(0) < 2);
    }
    const xt::xtensor<T, 2> lowest(std::array<std::size_t, 2>{2, 19}, -inf);
    const auto r = evaluate(extremes)(shaped<batch, 19>(lowest));
    CHECK(std::get<0>(r)(3) == -inf);
    CHECK(std::get<2>(r)(1) == -inf);
}

TEMPLATE_TEST_CASE("extremes of long rows see a NaN wherever it is", "[function]", float, double) {
    using T = TestType;
    constexpr std::size_t n = 333;
    constexpr auto extremes = [](auto v) { return std::tuple{max(v, axis(1)), min(v, axis(1)), sum(v, axis(1))}; };
    for (std::size_t at = 0; at < n; ++at) {
        xt::xtensor<T, 2> x = random<T, 2>(at, {3, n});
        x(0, at) = 5, x(1, at) = std::numeric_limits<T>::quiet_NaN(), x(2, at) = -5;
        const auto [greatest, least, total] = evaluate(extremes)(shaped<batch, n>(x));
        const bool right = greatest(0) == 5 && std::isnan(greatest(1)) && greatest(2) < 2 && least(2) == -5 &&
                           std::isnan(least(1)) && least(0) > -2 && std::isnan(total(1)) && !std::isnan(total(2));
        CHECK(right);
    }
}

TEMPLATE_TEST_CASE("a long sum keeps its accuracy", "[function]", float, double) {
    using T = TestType;
    // One million times 0.1 into one float is 100958, 1 % too much. A sum of sums of 256 is off by at most
    // (256 + 10⁶ / 256) half ulps: 2.5e-4.
    constexpr double bound = (256 + 1e6 / 256) * std::numeric_limits<T>::epsilon() / 2;
    const auto expected = Approx(1e6 * static_cast<double>(T(0.1))).margin(0).epsilon(bound);
    constexpr auto total = [](auto v) { return sum(v); };
    CHECK(evaluate(total)(xt::xtensor<T, 1>(std::array<std::size_t, 1>{1000000}, T(0.1))) == expected);
    const xt::xtensor<T, 2> tall(std::array<std::size_t, 2>{1000000, 2}, T(0.1));
    for (const T column : evaluate([](auto v) { return sum(v, axis(0)); })(shaped<batch, 2>(tall)))
        CHECK(column == expected);
    // Many short loops in one.
    const xt::xtensor<T, 3> planes(std::array<std::size_t, 3>{125000, 3, 8}, T(0.1));
    for (const T plane : evaluate([](auto v) { return sum(v, axes(0, 2)); })(shaped<batch, 3, 8>(planes)))
        CHECK(plane == expected);
}

TEMPLATE_TEST_CASE("argmax along each axis, the first of equals, NaN greatest", "[function]", float, double) {
    using T = TestType;
    constexpr T nan = std::numeric_limits<T>::quiet_NaN();
    for (const int n : {1, 2, 17}) {
        auto x = random_of<T>(5, n, 3, 7);
        for (auto& v : x) v = std::round(v);  // many equals
        if (n == 2) x(1, 1, 4) = nan;
        const auto r = evaluate([](auto v) {
            return std::tuple{argmax(v, axis(0)),  argmax(v, axis(1)),  argmax(v),
                              argmin(-v, axis(0)), argmin(-v, axis(1)), argmin(-v)};
        })(shaped<batch, 3, 7>(x));
        const Reference a(x);
        const auto wanted = [&](std::size_t axis) {
            Index e = a.extents;
            e.erase(e.begin() + static_cast<std::ptrdiff_t>(axis));
            return Reference(e).each([&](const Index& at) {
                Index full = at;
                full.insert(full.begin() + static_cast<std::ptrdiff_t>(axis), 0);
                std::size_t best = 0;
                double greatest = a.at(full);
                for (std::size_t i = 1; i < a.extents[axis]; ++i) {
                    full[axis] = i;
                    if (a.at(full) > greatest || (std::isnan(a.at(full)) && !std::isnan(greatest))) {
                        greatest = a.at(full);
                        best = i;
                    }
                }
                return static_cast<double>(best);
            });
        };
        CHECK(relative_error(std::get<0>(r), wanted(0)) == 0);
        CHECK(relative_error(std::get<1>(r), wanted(1)) == 0);
        CHECK(relative_error(std::get<2>(r), wanted(2)) == 0);
        CHECK(relative_error(std::get<3>(r), wanted(0)) == 0);
        CHECK(relative_error(std::get<4>(r), wanted(1)) == 0);
        CHECK(relative_error(std::get<5>(r), wanted(2)) == 0);
    }
    const xt::xtensor<T, 1> least{3, -1, 2, -1};
    CHECK(evaluate([](auto v) { return argmin(v); })(shaped<4>(least)) == 1);
}

TEMPLATE_TEST_CASE("norm", "[function]", float, double) {
    using T = TestType;
    for (const int n : {1, 4, 15}) {
        const auto x = random_of<T>(9, n, 13);
        const auto r = evaluate([](auto v) { return std::tuple{norm(v), norm(v, axis(0)), norm(v, axis(1), keep)}; })(
            shaped<batch, 13>(x));
        const Reference a(x);
        const auto wanted = [&](unsigned set, bool kept) {
            Reference squared(a.extents);
            squared.each([&](const Index& at) { return a.at(at) * a.at(at); });
            Reference root = folded(squared, set, Fold::sum, kept);
            for (double& v : root.data) v = std::sqrt(v);
            return root;
        };
        CHECK(relative_error(std::get<0>(r), wanted(3, false)) < 20 * epsilon<T>);
        CHECK(relative_error(std::get<1>(r), wanted(1, false)) < 20 * epsilon<T>);
        CHECK(relative_error(std::get<2>(r), wanted(2, true)) < 20 * epsilon<T>);
    }
    const xt::xtensor<T, 2> x{{3, 4}, {0, 0}};
    const auto slope = flat(gradient([](auto v) { return sum(norm(v, axis(1))); })(shaped<2, 2>(x)));
    CHECK(slope[0] == Approx(0.6));
    CHECK(slope[1] == Approx(0.8));
    CHECK((slope[2] == 0 && slope[3] == 0));
    const xt::xtensor<T, 1> nan{0, std::numeric_limits<T>::quiet_NaN()};
    CHECK(std::isnan(evaluate([](auto v) { return norm(v); })(shaped<2>(nan))));
}

TEMPLATE_TEST_CASE("variance", "[function]", float, double) {
    using T = TestType;
    for (const int n : {1, 4, 15}) {
        auto x = random_of<T>(7, n, 13);
        for (auto& v : x) v += T(100);  // E[x²] - E[x]² would lose all digits in float
        const auto r = evaluate([](auto v) {
            return std::tuple{variance(v),
                              variance(v, axis(0)),
                              variance(v, axis(1), keep),
                              variance<1>(v),
                              variance<1>(v, axis(0)),
                              variance<1>(v, axis(1), keep),
                              standard_deviation(v),
                              standard_deviation<1>(v, axis(1))};
        })(shaped<batch, 13>(x));
        const Reference a(x);
        const auto wanted = [&](unsigned set, bool kept) {
            const Reference average = folded(a, set, Fold::mean, true);
            Reference squared(a.extents);
            squared.each([&](const Index& at) { return std::pow(a.at(at) - average.at(at), 2); });
            return folded(squared, set, Fold::mean, kept);
        };
        // x - mean is exact to 1 ulp of 100, which is 2·100·eps·|x - mean| in the square.
        const double tolerance = 1000 * epsilon<T>;
        CHECK(relative_error(std::get<0>(r), wanted(3, false), 1.0) < tolerance);
        CHECK(relative_error(std::get<1>(r), wanted(1, false), 1.0) < tolerance);
        CHECK(relative_error(std::get<2>(r), wanted(2, true), 1.0) < tolerance);
        const auto of = [&](unsigned set, bool kept, double factor, bool root) {
            Reference result = wanted(set, kept);
            for (double& v : result.data) v = root ? std::sqrt(v * factor) : v * factor;
            return result;
        };
        CHECK(relative_error(std::get<3>(r), of(3, false, n * 13 / (n * 13 - 1.0), false), 1.0) < tolerance);
        if (n > 1) CHECK(relative_error(std::get<4>(r), of(1, false, n / (n - 1.0), false), 1.0) < tolerance);
        else CHECK(std::isnan(std::get<4>(r)(0)));
        CHECK(relative_error(std::get<5>(r), of(2, true, 13 / 12.0, false), 1.0) < tolerance);
        CHECK(relative_error(std::get<6>(r), of(3, false, 1, true), 1.0) < tolerance);
        CHECK(relative_error(std::get<7>(r), of(2, false, 13 / 12.0, true), 1.0) < tolerance);
    }
}

TEMPLATE_TEST_CASE("norms of what has no square", "[function]", float, double) {
    using T = TestType;
    const auto f = evaluate([](auto v) { return std::tuple{norm(v), norm(v, axis(1))}; });
    const auto slope = gradient([](auto v) { return sum(norm(v, axis(1))); });
    for (const T scale : {T(1e30), T(1e20), T(1), T(1e-20), T(1e-30)}) {
        CAPTURE(scale);
        const xt::xtensor<T, 2> x{{3 * scale, 4 * scale}, {0, 0}, {scale, 3 * scale}};
        const auto [whole, rows] = f(shaped<3, 2>(x));
        const double size = static_cast<double>(scale);
        CHECK(static_cast<double>(whole) / size == Approx(std::sqrt(35.0)));
        CHECK(static_cast<double>(rows(0)) / size == Approx(5));
        CHECK(rows(1) == 0);
        const auto g = flat(slope(shaped<3, 2>(x)));
        CHECK(g[0] == Approx(0.6));
        CHECK(g[1] == Approx(0.8));
        CHECK((g[2] == 0 && g[3] == 0));
    }
    const xt::xtensor<T, 1> infinite{1, std::numeric_limits<T>::infinity()};
    CHECK(std::isinf(evaluate([](auto v) { return norm(v); })(shaped<2>(infinite))));
}
