// SPDX-License-Identifier: BSL-1.0
#include <sigma/monitor/distributions.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

using sigma::monitor::Distribution;
using sigma::monitor::Distributions;

TEST_CASE("A distribution counts each finite number once, within its range", "[monitor]") {
    std::mt19937 generator(1);
    for (const double scale : {1e-300, 1.0, 1e308}) {
        std::uniform_real_distribution<double> numbers(-1, 1);
        std::vector<double> values(1000);
        for (double& x : values) x = scale * numbers(generator);
        values.push_back(std::numeric_limits<double>::quiet_NaN());
        values.push_back(std::numeric_limits<double>::infinity());
        const Distribution found(3, values, 10);
        CHECK(found.low == *std::min_element(values.begin(), values.begin() + 1000));
        CHECK(found.high == *std::max_element(values.begin(), values.begin() + 1000));
        CHECK(std::accumulate(found.counts.begin(), found.counts.end(), std::uint64_t{0}) == 1000);
        for (const auto n : found.counts) CHECK(n > 50);  // of 100
    }
    CHECK(Distribution(0, std::vector<double>{0, 1, 2, 3}, 4).counts == std::vector<std::uint64_t>{1, 1, 1, 1});
    CHECK(Distribution(0, std::vector<double>{2, 2}, 3).counts == std::vector<std::uint64_t>{2, 0, 0});
    CHECK(Distribution(0, std::vector<double>{}, 2).counts == std::vector<std::uint64_t>{0, 0});
}

TEST_CASE("Distributions of a run of any length stay few, from its first to its last", "[monitor]") {
    Distributions all;
    const std::vector<double> values = {0, 1};
    for (std::uint64_t i = 1; i <= 10'000; ++i) {
        all.append(Distribution(i, values, 2));
        REQUIRE(all.all().size() <= Distributions::most);
        REQUIRE(all.all().front().iteration == 1);
        REQUIRE(all.all().back().iteration == i);
    }
    CHECK(all.all().size() > Distributions::most / 2 - 2);
    std::uint64_t widest = 0;
    for (std::size_t i = 1; i < all.all().size(); ++i) {
        REQUIRE(all.all()[i].iteration > all.all()[i - 1].iteration);
        widest = std::max(widest, all.all()[i].iteration - all.all()[i - 1].iteration);
    }
    CHECK(widest <= 512);  // 256 per step, and one step more after thinning

    all.append(Distribution(5000, values, 2));  // the run went back
    CHECK(all.all().back().iteration == 5000);
    CHECK(all.all().front().iteration == 1);
    all.append(Distribution(1, values, 2));
    CHECK(all.all().size() == 1);
}

namespace {

std::vector<std::uint64_t> iterations(const Distributions& all) {
    std::vector<std::uint64_t> found;
    for (const Distribution& one : all.all()) found.push_back(one.iteration);
    return found;
}

}  // namespace

TEST_CASE("What was written of distributions comes to the same, and is little", "[monitor]") {
    const std::vector<double> values = {0, 1};
    Distributions all, restored;
    std::size_t written = 0;
    for (std::uint64_t i = 1; i <= 100'000; ++i) {
        if (all.append(Distribution(i, values, 2))) restored.restore(all.all().back()), ++written;
        if (i % 997 != 0 && i > 400) continue;  // it ends here
        Distributions ended = restored;
        if (all.last_is_passing()) ended.restore(all.all().back());
        REQUIRE(iterations(ended) == iterations(all));
    }
    CHECK(written < 81 + 40 * 11);  // 40 more each time that the run has become twice as long
}

TEST_CASE("What was written of distributions has none of an iteration that the run went back behind", "[monitor]") {
    const std::vector<double> values = {0, 1};
    std::mt19937 generator(3);
    Distributions all, restored;
    std::vector<std::uint64_t> run;  // iterations that it has not gone back behind
    std::uint64_t iteration = 0;
    for (int i = 0; i < 20'000; ++i) {
        iteration = generator() % 500 == 0 ? generator() % (iteration + 1) : iteration + 1 + generator() % 3;
        while (!run.empty() && run.back() >= iteration) run.pop_back();
        run.push_back(iteration);
        if (all.append(Distribution(iteration, values, 2))) restored.restore(all.all().back());
        for (const Distributions* each : {&all, &restored}) {
            const auto found = iterations(*each);
            REQUIRE(found.size() <= Distributions::most);
            REQUIRE(std::ranges::includes(run, found));
            REQUIRE(std::ranges::adjacent_find(found, std::ranges::greater_equal()) == found.end());
        }
        REQUIRE(all.all().back().iteration == iteration);
        REQUIRE(2 * restored.all().size() + 2 >= all.all().size());
    }
}
