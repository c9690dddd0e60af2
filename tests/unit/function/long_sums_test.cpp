// SPDX-License-Identifier: BSL-1.0
// Ten million floats: what docs/accuracy.md says of long sums.
#include <sigma/function/function.hpp>
#include <sigma/tape/along_axis.hpp>
#include <sigma/xtensor.hpp>

#include <catch2/catch.hpp>
#include <xtensor/xtensor.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

using namespace sigma;

namespace {

constexpr std::size_t count = 10'000'000;

/// What a term passes through at most within a block: 64 additions in each of four totals and some more along a row,
/// 256 down a column, half an ulp each. Equal terms, all rounded alike, come to a fifth of that; without what blocks
/// hand on, 10,000 of them add ten times as much.
constexpr double along_row = 75 * 6e-8 / 4, down_columns = 262 * 6e-8 / 4;
double relative(float found, double wanted) { return std::abs(double{found} - wanted) / std::abs(wanted); }

}  // namespace

TEST_CASE("sums of ten million floats are those of double, to the rounding of a block") {
    const float each = 0.1f;
    xt::xtensor<float, 1> x = xt::xtensor<float, 1>::from_shape({count});
    x.fill(each);
    const double wanted = static_cast<double>(count) * double{each};
    CHECK(relative(evaluate([](auto v) { return sum(v); })(x), wanted) < along_row);
    CHECK(relative(evaluate([](auto v) { return mean(v); })(x), each) < along_row);
    CHECK(evaluate([](auto v) { return variance(v); })(x) < 1e-10f * each * each);
    CHECK(relative(evaluate([](auto v) { return sum(v * v); })(x), static_cast<double>(count) * double{each * each}) <
          along_row);

    double alternating = 0;  // of many magnitudes, and what adds up to little
    for (std::size_t i = 0; i < count; ++i) {
        x(i) = std::ldexp(static_cast<float>(i * 7919 % 997) - 498, static_cast<int>(i % 5));
        alternating += double{x(i)};
    }
    double magnitudes = 0;
    for (const float v : x) magnitudes += std::abs(double{v});
    const double off = double{evaluate([](auto v) { return sum(v); })(x)} - alternating;
    CHECK(std::abs(off) < 70 * 6e-8 * magnitudes);
}

TEST_CASE("sums down ten million rows are those of double") {
    xt::xtensor<float, 2> x = xt::xtensor<float, 2>::from_shape({count / 4, 4});
    for (std::size_t r = 0; r < count / 4; ++r)
        for (std::size_t c = 0; c < 4; ++c) x(r, c) = 0.1f * static_cast<float>(c + 1);
    const xt::xtensor<float, 1> found = evaluate([](auto v) { return sum(v, axis(0)); })(shaped<batch, 4>(x));
    for (std::size_t c = 0; c < 4; ++c)
        CHECK(relative(found(c), static_cast<double>(count / 4) * double{x(0, c)}) < down_columns);
}

TEST_CASE("cumsum of a million floats is that of double at each position") {
    constexpr int n = 1'000'000;
    xt::xtensor<float, 1> x = xt::xtensor<float, 1>::from_shape({n});
    x.fill(0.1f);
    const xt::xtensor<float, 1> ahead = evaluate([](auto v) { return cumsum(v); })(shaped<n>(x));
    const xt::xtensor<float, 1> back = evaluate([](auto v) { return cumsum(v, {.reverse = true}); })(shaped<n>(x));
    double worst = 0;
    for (int i = 0; i < n; ++i) {
        const auto at = static_cast<std::size_t>(i);
        worst = std::max(worst, relative(ahead(at), (i + 1) * double{0.1f}));
        worst = std::max(worst, relative(back(at), (n - i) * double{0.1f}));
    }
    CHECK(worst < down_columns);  // 256 additions within a block, half an ulp each
}

TEST_CASE("an infinity in a long sum is its sum, and no NaN") {
    xt::xtensor<float, 1> x = xt::xtensor<float, 1>::from_shape({100'000});
    x.fill(1);
    x(50'000) = std::numeric_limits<float>::infinity();
    CHECK(evaluate([](auto v) { return sum(v); })(x) == std::numeric_limits<float>::infinity());
    const xt::xtensor<float, 1> sums = evaluate([](auto v) { return cumsum(v); })(shaped<100'000>(x));
    CHECK(sums(49'999) == 50'000);
    CHECK(sums(99'999) == std::numeric_limits<float>::infinity());
}
