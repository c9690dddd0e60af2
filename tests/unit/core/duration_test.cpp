// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/arguments.hpp>

#include <catch2/catch.hpp>

#include <chrono>

using namespace std::chrono_literals;
using sigma::AnyDuration;
using sigma::detail::in_seconds;

static_assert(AnyDuration<std::chrono::minutes> && AnyDuration<std::chrono::duration<float>>);
static_assert(!AnyDuration<int> && !AnyDuration<double> && !AnyDuration<std::chrono::steady_clock::time_point>);

TEST_CASE("Durations in seconds are what chrono makes of them") {
    CHECK(in_seconds(30s) == 30.0);
    CHECK(in_seconds(2h) == 7200.0);
    for (const auto x : {1ms, 7ms, 333ms, 1001ms}) CHECK(in_seconds(x) == std::chrono::duration<double>(x).count());
    CHECK(in_seconds(0.25s) == 0.25);
    CHECK(in_seconds(123456789ns) == std::chrono::duration<double>(123456789ns).count());
}
