// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/philox.hpp>
#include <sigma/decoding/sample.hpp>

#include <catch2/catch.hpp>

#include "support/thrown.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

using namespace sigma;

namespace {

using Ids = std::vector<std::size_t>;
constexpr std::size_t tokens = 3;

/// log probabilities after some tokens that have nothing to do with those after any others.
std::vector<double> next_of(std::uint64_t seed, std::span<const std::size_t> ids) {
    std::uint64_t code = 1;
    for (const std::size_t id : ids) code = code * tokens + id;
    std::vector<double> p(tokens);
    double all = 0;
    for (std::size_t i = 0; i < tokens; ++i) all += p[i] = 0.05 + Philox(seed, code).uniform<double>(i);
    for (double& x : p) x = std::log(x / all);
    return p;
}

/// Every sequence that stops or has all the length, the best score first.
std::vector<Hypothesis> all_of(std::uint64_t seed, const BeamOptions& options) {
    std::vector<Hypothesis> all;
    const auto visit = [&](const auto& again, const Hypothesis& h) -> void {
        const auto p = next_of(seed, h.ids);
        for (std::size_t token = 0; token < tokens; ++token) {
            Hypothesis longer = h;
            longer.log_probability += p[token];
            longer.stopped = token == options.stop;
            const double count = static_cast<double>(h.ids.size() + 1);
            longer.score = longer.log_probability / std::pow(count, options.length_penalty);
            if (!longer.stopped) longer.ids.push_back(token);
            if (longer.stopped || h.ids.size() + 1 == options.length) all.push_back(longer);
            else again(again, longer);
        }
    };
    visit(visit, {});
    std::ranges::sort(all, [](const auto& a, const auto& b) { return a.score > b.score; });
    return all;
}

TEST_CASE("A beam as wide as there are beginnings finds the best of all sequences") {
    for (const double penalty : {0.0, 0.7, 2.0, -1.0})
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            INFO("penalty " << penalty << ", seed " << seed);
            for (const auto stop : {std::optional<std::size_t>{}, std::optional<std::size_t>{1}}) {
                const BeamOptions options{.width = 81, .length = 4, .stop = stop, .length_penalty = penalty};
                const auto next = [&](auto ids) { return next_of(seed, ids); };
                auto wanted = all_of(seed, options);
                const auto found = beam_search(next, options);
                CHECK(found == wanted);
                // The first few of them are what a narrower search would have to find.
                const auto few = beam_search(next, {.width = 27, .length = 4, .stop = stop, .length_penalty = penalty});
                REQUIRE(few.size() == std::min<std::size_t>(27, wanted.size()));
                wanted.resize(few.size());
                CHECK(few == wanted);
            }
        }
}

TEST_CASE("A beam of one takes the likeliest token each time; a wider one finds what that misses") {
    int better = 0;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const auto next = [&](auto ids) { return next_of(seed, ids); };
        Hypothesis greedy;
        while (greedy.ids.size() < 6) {
            const auto p = next_of(seed, greedy.ids);
            const auto greatest = std::ranges::max_element(p);
            greedy.log_probability += *greatest;
            greedy.ids.push_back(static_cast<std::size_t>(greatest - p.begin()));
        }
        greedy.score = greedy.log_probability;
        const auto one = beam_search(next, {.width = 1, .length = 6});
        REQUIRE(one.size() == 1);
        CHECK(one[0] == greedy);
        const auto three = beam_search(next, {.width = 3, .length = 6});
        REQUIRE(three.size() == 3);
        CHECK(std::ranges::is_sorted(three, [](const auto& a, const auto& b) { return a.score > b.score; }));
        better += three[0].score > greedy.score + 1e-9;
    }
    CHECK(better > 10);
}

TEST_CASE("The search ends when what goes on cannot become better") {
    int calls = 0;
    // Stops are likely from the second token on.
    const auto next = [&](std::span<const std::size_t> ids) {
        ++calls;
        const double stops = ids.empty() ? 0.01 : 0.98;
        return std::vector<float>{static_cast<float>(std::log(stops)), static_cast<float>(std::log(1 - stops))};
    };
    const auto found = beam_search(next, {.width = 1, .length = 1000, .stop = 0});
    REQUIRE(found.size() == 1);
    CHECK(found[0].ids == Ids{1});
    CHECK(found[0].stopped);
    CHECK(found[0].log_probability == Approx(2 * std::log(0.98) + std::log(0.99 / 0.98)));
    CHECK(calls <= 3);
}

TEST_CASE("The search goes on while what is long may score higher") {
    const double none = -std::numeric_limits<double>::infinity();
    const auto next = [&](std::span<const std::size_t> ids) {
        return ids.empty() ? std::vector<double>{-1, -3} : std::vector<double>{none, 0};
    };
    const auto found = beam_search(next, {.width = 1, .length = 10, .stop = 0, .length_penalty = 1});
    REQUIRE(found.size() == 1);
    CHECK(found[0].ids == Ids(10, 1));
    CHECK(found[0].score == Approx(-0.3));
    CHECK(beam_search(next, {.width = 1, .length = 2, .stop = 0, .length_penalty = 1})[0].ids.empty());
}

TEST_CASE("What is never taken is in no sequence, however likely it is") {
    const auto next = [](auto) { return std::vector<double>{-0.1, -3, -4}; };
    for (const Hypothesis& h : beam_search(next, {.width = 4, .length = 2, .never = {0}}))
        CHECK(std::ranges::count(h.ids, std::size_t{0}) == 0);
    CHECK(beam_search(next, {.width = 1, .length = 2, .never = {0}})[0].ids == Ids{1, 1});
    CHECK(beam_search(next, {.width = 1, .length = 2, .never = {0, 1, 2}}).empty());
    CHECK(error_text<ArgumentError>([&] { beam_search(next, {.stop = 1, .never = {1}}); }) ==
          "beam search: expected a stop token outside of .never, found 1");
}

TEST_CASE("What is impossible is not followed") {
    const double none = -std::numeric_limits<double>::infinity();
    const auto only = beam_search([&](auto) { return std::vector<double>{none, 0, none}; }, {.width = 5, .length = 3});
    REQUIRE(only.size() == 1);
    CHECK(only[0].ids == Ids{1, 1, 1});
    CHECK(beam_search([&](auto) { return std::vector<double>{none}; }).empty());
}

TEST_CASE("What is no log probability and no option is refused") {
    const auto text = [](double said, const BeamOptions& options = {}) {
        return error_text<ArgumentError>([&] { beam_search([&](auto) { return std::vector{-1.0, said}; }, options); });
    };
    CHECK(text(0.7) == "log probability of token 1: expected a number of at most 0, found 0.7");
    CHECK(text(std::nan("")) == "log probability of token 1: expected a number of at most 0, found nan");
    CHECK(text(-1, {.width = 0}) == "beam search: expected a width of at least 1, found 0");
    CHECK(text(-1, {.length = 0}) == "beam search: expected a length of at least 1, found 0");
    CHECK(text(-1, {.length_penalty = std::nan("")}) == "beam search: expected a finite length_penalty, found nan");
}

}  // namespace
