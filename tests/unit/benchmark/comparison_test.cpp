// SPDX-License-Identifier: BSL-1.0
#include <sigma/benchmark.hpp>
#include <sigma/benchmark/allocation_counter.hpp>
#include <sigma/core/error.hpp>

#include <support/thrown.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <set>
#include <string>
#include <vector>

using namespace sigma;

namespace {

/// Computes for about so many microseconds.
void compute(int microseconds) {
    double x = 1;
    for (int i = 0; i < 300 * microseconds; ++i) {
        x = x * 1.0000001 + 1e-9;
        keep_result(&x);
    }
}

}  // namespace

TEST_CASE("contenders take turns in an order that differs from round to round") {
    std::string order;
    Comparison comparison("turns", {.rounds = 40});
    for (const char* name : {"a", "b", "c"})
        comparison.add({.name = name, .work = [&order, name] { order += name; }, .before = [] {}});
    const ComparisonReport report = comparison.run();
    REQUIRE(order.size() == 6 + 40 * 3);
    CHECK(order.substr(0, 6) == "aabbcc");  // preparations
    std::set<std::string> rounds;
    for (std::size_t i = 6; i < order.size(); i += 3) {
        std::string round = order.substr(i, 3);
        rounds.insert(round);
        std::ranges::sort(round);
        CHECK(round == "abc");
    }
    CHECK(rounds.size() == 6);
    REQUIRE(report.timings.size() == 3);
    CHECK(report.timings[1].rounds == 40);
}

TEST_CASE("a contender that computes three times as long has a third of the ratio") {
    Comparison comparison("times", {.seconds = 0.1});
    comparison.add("short", [] { compute(20); }).add("long", [] { compute(60); }, {.operations = 6e4});
    const ComparisonReport report = comparison.run();
    CHECK(report.timings[0].ratio == 1);
    const Timing& t = report["long"];
    CHECK(std::abs(t.ratio * 3 - 1) < 0.2);
    CHECK(t.lower_quartile <= t.ratio);
    CHECK(t.ratio <= t.upper_quartile);
    CHECK(t.least <= t.median);
    CHECK(std::abs(t.more - (t.median - report.timings[0].median)) < 0.3 * t.median);
    CHECK(t.median == t.processor);
    CHECK(t.rounds >= 5);
}

TEST_CASE("times are of one step, and only work is measured") {
    int before = 0, after = 0;
    Comparison comparison("steps", {.seconds = 0.05});
    comparison.add("one step", [] { compute(20); });
    comparison.add({.name = "ten",
                    .work =
                        [] {
                            for (int i = 0; i < 10; ++i) compute(20);
                        },
                    .before = [&] { ++before, compute(500); },
                    .after = [&] { ++after, compute(500); },
                    .steps = 10});
    const ComparisonReport report = comparison.run();
    CHECK(std::abs(report["ten"].ratio - 1) < 0.2);
    CHECK(before == report.timings[0].rounds + 2);
    CHECK(after == before);
}

TEST_CASE("times on the clock contain waiting, processor times do not") {
    const auto wait = [] {
        const timespec millisecond{0, 1'000'000};
        ::nanosleep(&millisecond, nullptr);
    };
    for (const bool wall : {false, true}) {
        Comparison comparison("waiting", {.rounds = 5, .wall = wall});
        comparison.add({.name = "wait", .work = wait, .before = [] {}});
        const ComparisonReport report = comparison.run();
        CHECK(report.timings[0].wall >= 1e-3);
        CHECK(report.timings[0].processor < 1e-3);
        CHECK(report.timings[0].median == (wall ? report.timings[0].wall : report.timings[0].processor));
        CHECK(report.wall == wall);
    }
}

TEST_CASE("a contender that waits is not called more often because its processor time is short") {
    int calls = 0;
    Comparison comparison("waiting", {.rounds = 5});
    comparison.add("wait", [&] {
        ++calls;
        const timespec millisecond{0, 1'000'000};
        ::nanosleep(&millisecond, nullptr);
    });
    comparison.run();
    CHECK(calls == 2 + 5);
}

TEST_CASE("tables have rates and calls of the heap where they are known") {
    const ComparisonReport report{
        "copies",
        false,
        {{.name = "a", .amount = {.bytes = 4e6}, .median = 1e-3, .least = 9e-4, .allocations = NAN},
         {.name = "b, \"c\"",
          .amount = {.operations = 2e3},
          .median = 2e-6,
          .least = 1.5e-6,
          .ratio = 500,
          .allocations = 2,
          .rounds = 7}}};
    CHECK(report.table() ==
          "copies (processor time, 0 rounds)\n\n"
          "| | median | least | × | GFLOP/s | GB/s | heap |\n|---|---:|---:|---:|---:|---:|---:|\n"
          "| a | 1 ms | 900 µs | 1 | | 4 | - |\n"
          "| b, \"c\" | 2 µs | 1.5 µs | 500 | 1.00 | | 2 |\n");
    CHECK(report.csv() ==
          "contender,clock,median,least,processor,wall,ratio,lower_quartile,upper_quartile,more,allocations,operations,"
          "bytes,rounds\n"
          "a,processor,0.001,0.0009,0,0,1,1,1,0,,0,4e+06,0\n"
          "\"b, \"\"c\"\"\",processor,2e-06,1.5e-06,0,0,500,1,1,0,2,2000,0,7\n");
}

TEST_CASE("calls of the heap are counted if the program counts them") {
    Comparison comparison("heap", {.rounds = 5});
    comparison.add("none", [] { compute(1); });
    CHECK(std::isnan(comparison.run().timings[0].allocations));
    detail::count_allocation();
    comparison.add({.name = "two",
                    .work = [] { detail::count_allocation(), detail::count_allocation(); },
                    .before = [] { detail::count_allocation(); },
                    .after = [] { detail::count_allocation(); }});
    const ComparisonReport report = comparison.run();
    detail::counted_allocations = 0;
    CHECK(report["none"].allocations == 0);
    CHECK(report["two"].allocations == 2);
}

TEST_CASE("a comparison refuses what it cannot measure") {
    CHECK(error_text<ArgumentError>([] { Comparison("x", {.seconds = 0}); }) ==
          "Comparison: expected a number of seconds above 0, found 0");
    CHECK(error_text<ArgumentError>([] { Comparison("x", {.rounds = -1}); }) ==
          "Comparison: expected 0 to 100000 rounds, found -1");
    Comparison comparison("x");
    CHECK(error_text<ArgumentError>([&] { comparison.run(); }) == "comparison 'x': expected a contender, found none");
    CHECK(error_text<ArgumentError>([&] { comparison.add("", [] {}); }) ==
          "Comparison::add: expected a name of one line, found ''");
    CHECK(error_text<ArgumentError>([&] { comparison.add("a", {}); }) ==
          "Comparison::add: expected a function, found an empty one for 'a'");
    CHECK(error_text<ArgumentError>([&] { comparison.add({.name = "a", .work = [] {}, .steps = 0}); }) ==
          "Comparison::add: expected at least 1 step, found 0 steps of 'a'");
    comparison.add("a", [] {});
    CHECK(error_text<ArgumentError>([&] { comparison.add("a", [] {}); }) ==
          "Comparison::add: expected unique names, found 'a' twice");
    CHECK(error_text<ArgumentError>([&] { comparison.run()["b"]; }) == "report of 'x': expected one of a, found 'b'");
    CHECK(error_text<ArgumentError>([] { copy_rate(100); }) == "copy_rate: expected at least 128 bytes, found 100");
}

TEST_CASE("rates of this machine are measured") {
    CHECK(multiply_add_rate() > 1e8);
    CHECK(copy_rate(1 << 16) > 1e8);
}
