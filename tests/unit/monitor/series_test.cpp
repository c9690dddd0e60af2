// SPDX-License-Identifier: BSL-1.0
#include <sigma/monitor/series.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

using namespace sigma::monitor;

namespace {

double number(std::uint64_t i) {  // some that are far from their neighbours
    const std::uint64_t mixed = (i + 1) * 0x9E3779B97F4A7C15ull;
    const double small = static_cast<double>(mixed >> 40) / 1e6;
    return mixed % 9973 == 0 ? 1e6 + small : mixed % 9941 == 0 ? -1e6 - small : small;
}

struct Extremes {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    std::uint64_t count = 0;
};
Extremes over(const std::vector<Point>& points, double from, double to) {
    Extremes found;
    const auto first = std::ranges::lower_bound(points, from, {}, &Point::x);
    for (auto at = first; at != points.end() && at->x <= to; ++at) {
        const Point& p = *at;
        ++found.count;
        if (!std::isfinite(p.y)) continue;
        found.low = std::min(found.low, p.y);
        found.high = std::max(found.high, p.y);
    }
    return found;
}

}  // namespace

TEST_CASE("A series of few points is these points") {
    Series series;
    CHECK(series.history(0, 10, 5).empty());
    for (int i = 0; i < 100; ++i) series.append({1.0 * i, std::sin(i), 0.5 * i});
    const auto all = series.history(-1e300, 1e300, 1000);
    REQUIRE(all.size() == 100);
    for (int i = 0; i < 100; ++i) {
        const Bucket& b = all[static_cast<std::size_t>(i)];
        CHECK((b.first == i && b.last == i && b.low == std::sin(i) && b.mean() == std::sin(i) && b.count == 1));
    }
    CHECK(series.history(10, 19, 1000).size() == 10);
    CHECK(series.history(50.5, 50.6, 10).empty());
    CHECK(series.history(7, 7, 10).size() == 1);
    CHECK(series.history(9, 8, 10).empty());
}

TEST_CASE("A thinned series has every extreme of every part of it, and each point once") {
    Series series;
    std::vector<Point> points;
    for (std::uint64_t i = 0; i < 300'000; ++i) {
        points.push_back({static_cast<double>(2 * i), number(i), 0});
        if (i % 1013 == 0) points.back().y = i % 2 == 0 ? std::nan("") : std::numeric_limits<double>::infinity();
        series.append(points.back());
    }
    CHECK(series.size() < 40'000);
    for (const std::size_t columns : {1u, 7u, 100u, 1000u, 10000u})
        for (const auto& [from, to] :
             {std::pair(-1.0, 1e9), {1e4, 5e5}, {1e5, 1.3e5}, {590'000.0, 599'998.0}, {0.0, 3.0}}) {
            const auto parts = series.history(from, to, columns);
            CHECK(parts.size() <= columns);
            std::uint64_t total = 0;
            bool exact = true;
            for (std::size_t i = 0; i < parts.size(); ++i) {
                const Bucket& part = parts[i];
                const Extremes wanted = over(points, part.first, part.last);
                exact = exact && part.low == wanted.low && part.high == wanted.high && part.count == wanted.count;
                exact = exact && (i == 0 || parts[i - 1].last < part.first);
                total += part.count;
            }
            CHECK(exact);
            const Extremes all = over(points, from, to);
            CHECK(total >= all.count);
            CHECK(std::ranges::min(parts, {}, &Bucket::low).low <= all.low);
            CHECK(std::ranges::max(parts, {}, &Bucket::high).high >= all.high);
        }
    const auto whole = series.history(0, 1e9, 1000);
    std::uint64_t total = 0;
    for (const Bucket& part : whole) total += part.count;
    CHECK(total == points.size());
    CHECK(whole.size() > 900);
}

TEST_CASE("Of a series that holds, a part has the change before it") {
    Series series;
    series.hold();
    for (int i = 1; i <= 100; ++i) series.append({10.0 * i, 1.0 * i, 0});
    const auto firsts = [&](double from, double to) {
        std::vector<double> found;
        for (const Bucket& bucket : series.history(from, to, 1000)) found.push_back(bucket.first);
        return found;
    };
    CHECK(firsts(95, 120) == std::vector<double>{90, 100, 110, 120});
    CHECK(firsts(100, 100) == std::vector<double>{90, 100});
    CHECK(firsts(101, 105) == std::vector<double>{100});
    CHECK(firsts(5000, 6000) == std::vector<double>{1000});
    CHECK(firsts(0, 20) == std::vector<double>{10, 20});
    for (int i = 101; i <= 20'000; ++i) series.append({10.0 * i, 1.0 * i, 0});
    const auto part = series.history(5005, 5006, 10);
    REQUIRE(!part.empty());
    CHECK(part.front().last <= 5005);
    CHECK(series.history(-1e300, 1e300, 100).size() <= 100);
}

TEST_CASE("A series that goes back forgets what was later") {
    Series series;
    for (int i = 0; i < 20'000; ++i) series.append({1.0 * i, 1.0, 0});
    series.append({15'000, 2, 0});
    CHECK(series.points() == 15'001);
    auto all = series.history(0, 1e9, 100'000);
    CHECK(all.back().first == 15'000);
    CHECK(all.back().high == 2);
    CHECK(std::ranges::count(all, 1.0, &Bucket::high) == static_cast<std::ptrdiff_t>(all.size()) - 1);
    series.append({102, 3, 0});  // within merged points, 100 to 103: all of them go
    CHECK(series.points() == 101);
    all = series.history(0, 1e9, 100'000);
    CHECK(all.back().last == 102);
    CHECK(all[all.size() - 2].last == 99);
    series.append({0, 4, 0});
    CHECK(series.points() == 1);
    CHECK(series.size() == 1);
}

TEST_CASE("A series that is told that its run has gone back knows its last point") {
    Series series;
    series.go_back(-1);
    for (int i = 0; i < 20'000; ++i) series.append({1.0 * i, 0.5 * i, 2.0 * i});
    series.go_back(19'999);
    CHECK(series.points() == 20'000);
    series.go_back(15'000);
    CHECK(series.points() == 15'001);
    CHECK(series.last().x == 15'000);
    CHECK(series.last().y == 7'500);
    series.go_back(103);  // merged points, 100 to 103
    CHECK(series.points() == 104);
    CHECK(series.last().x == 103);
    CHECK(series.last().y == Approx(0.5 * 101.5));
    CHECK(series.last().seconds == 206);
    series.go_back(-1);
    CHECK(series.empty());
    series.append({3, 4, 5});
    CHECK(series.last().y == 4);
}

TEST_CASE("Ten million points take bounded memory, and any part of them is found soon") {
#ifdef __OPTIMIZE__
    constexpr std::uint64_t all = 10'000'000;
#else
    constexpr std::uint64_t all = 1'000'000;  // sanitizers, unoptimized, take minutes for ten
#endif
    constexpr double end = static_cast<double>(all);
    Series series;
    for (std::uint64_t i = 0; i < all; ++i) series.append({static_cast<double>(i), number(i), 0});
    CHECK(series.points() == all);
    CHECK(series.size() <= Series::recent + 8 * Series::kept);
    const auto began = std::chrono::steady_clock::now();
    std::size_t found = 0;
    for (int i = 0; i < 20; ++i) found += series.history(0.05 * end * i, end - 0.02 * end * i, 1000).size();
    const std::chrono::duration<double> each = (std::chrono::steady_clock::now() - began) / 20;
    CHECK(found > 0);
    CHECK(each.count() < 0.02);
    double low = 0;
    std::uint64_t total = 0;
    for (const Bucket& part : series.history(0, end, 2000)) low = std::min(low, part.low), total += part.count;
    double wanted = 0;
    for (std::uint64_t i = 0; i < all; ++i) wanted = std::min(wanted, number(i));
    CHECK(low == wanted);
    CHECK(total == all);
}
