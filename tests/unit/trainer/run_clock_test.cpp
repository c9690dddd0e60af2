// SPDX-License-Identifier: BSL-1.0
#include <sigma/trainer/run/run_clock.hpp>

#include <catch2/catch.hpp>

#include <thread>

using sigma::detail::RunClock;
using namespace std::chrono_literals;

TEST_CASE("a run clock leaves pauses out") {
    sigma::detail::RunClock clock;
    const sigma::detail::RunClock::Time zero{1000s};
    CHECK(clock.elapsed(zero) == 0);
    clock.start(zero);
    CHECK(clock.running());
    CHECK(clock.elapsed(zero + 2s) == Approx(2));
    clock.pause(zero + 3s);
    CHECK_FALSE(clock.running());
    CHECK(clock.elapsed(zero + 50s) == Approx(3));
    clock.pause(zero + 60s);
    CHECK(clock.elapsed(zero + 70s) == Approx(3));
    clock.resume(zero + 100s);
    clock.resume(zero + 101s);
    CHECK(clock.elapsed(zero + 104s) == Approx(7));
    clock.start(zero + 200s);
    CHECK(clock.elapsed(zero + 201s) == Approx(1));
    clock.reset();
    CHECK_FALSE(clock.running());
    CHECK(clock.elapsed(zero + 300s) == 0);
}

TEST_CASE("a run clock goes on from what a checkpoint says") {
    sigma::detail::RunClock clock;
    const sigma::detail::RunClock::Time zero{1000s};
    clock.add(12.5);
    CHECK(clock.elapsed(zero) == Approx(12.5));
    clock.resume(zero);
    CHECK(clock.elapsed(zero + 1s) == Approx(13.5));
    clock.add(0.25);
    CHECK(clock.elapsed(zero + 1s) == Approx(13.75));
}

TEST_CASE("a run clock never goes back while others pause and resume it") {
    sigma::detail::RunClock clock;
    std::atomic<bool> over{false};
    clock.start();
    std::thread other([&] {
        while (!over) clock.pause(), clock.resume();
    });
    double last = 0;
    bool backwards = false;
    for (int i = 0; i < 20'000; ++i) {
        const double now = clock.elapsed();
        // A reading may take its time before a pause that is then found, or after: the difference is what a step of the
        // other thread takes, unless a word was torn.
        backwards = backwards || now < last - 1 || now > last + 60;
        last = now;
    }
    over = true;
    other.join();
    CHECK_FALSE(backwards);
}
