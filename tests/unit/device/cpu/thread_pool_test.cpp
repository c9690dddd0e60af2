// SPDX-License-Identifier: BSL-1.0
#include <sigma/device/cpu/thread_pool.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

using sigma::on_cpu::ThreadPool;

TEST_CASE("a pool has the caller and the others", "[pool]") {
    CHECK(ThreadPool(1).threads() == 1);
    CHECK(ThreadPool(3).threads() == 3);
    CHECK(ThreadPool(0).threads() == 1);
    CHECK(ThreadPool(-5).threads() == 1);
}

TEST_CASE("every chunk runs exactly once, whatever their number", "[pool]") {
    for (const int threads : {1, 2, 3, 7}) {
        ThreadPool pool(threads);
        for (const int chunks : {0, 1, 2, 3, 8, 100, 65535, 65536, 140000}) {
            std::vector<int> times(static_cast<std::size_t>(chunks), 0);  // plain integers: run() must order all access
            auto f = [&](int i) noexcept { ++times[static_cast<std::size_t>(i)]; };
            pool.run(chunks, f);
            CHECK(std::count(times.begin(), times.end(), 1) == chunks);
        }
    }
}

TEST_CASE("calls in close succession never mix", "[pool]") {
    // Each call has its own function object on the stack, its own count and its own unsynchronized results. A late
    // worker that runs a chunk of a newer call with the older function adds to the wrong sum.
    for (const int threads : {2, 4}) {
        ThreadPool pool(threads);
        bool right = true;
        for (int call = 0; call < 20000; ++call) {
            const int chunks = call * 7 % 6;
            int seen[6] = {};
            auto f = [&seen, call](int i) noexcept { seen[i] += call + i; };
            pool.run(chunks, f);
            for (int i = 0; i < 6; ++i) right = right && seen[i] == (i < chunks ? call + i : 0);
        }
        CHECK(right);
    }
}

TEST_CASE("workers that fell asleep wake up", "[pool]") {
    ThreadPool pool(3);
    for (int call = 0; call < 20; ++call) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        std::atomic<int> sum{0};
        auto f = [&](int i) noexcept { sum += i; };
        pool.run(10, f);
        CHECK(sum == 45);
    }
}

TEST_CASE("other threads do take chunks", "[pool]") {
    ThreadPool pool(2);
    // The first chunk waits for the second: only another thread can run it meanwhile.
    std::atomic<int> arrived{0};
    auto meet = [&](int) noexcept {
        ++arrived;
        while (arrived < 2) std::this_thread::yield();
    };
    pool.run(2, meet);
    CHECK(arrived == 2);
}

TEST_CASE("zero or one chunk stays on the caller", "[pool]") {
    ThreadPool pool(2);
    std::thread::id on;
    auto f = [&](int) noexcept { on = std::this_thread::get_id(); };
    pool.run(0, f);
    CHECK(on == std::thread::id());
    pool.run(1, f);
    CHECK(on == std::this_thread::get_id());
}

TEST_CASE("pools come and go", "[pool]") {
    for (int i = 0; i < 200; ++i) {
        ThreadPool pool(1 + i % 4);
        std::atomic<int> count{0};
        auto f = [&](int) noexcept { ++count; };
        if (i % 3 != 0) pool.run(5, f);
        CHECK(count == (i % 3 != 0 ? 5 : 0));
    }
}
