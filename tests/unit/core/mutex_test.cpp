// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/threads.hpp>

#include <catch2/catch.hpp>

#include <thread>
#include <vector>

using namespace sigma::detail;

TEST_CASE("One thread at a time has a lock") {
    Mutex mutex;
    long count = 0, beside = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 500; ++i) {
                const Lock lock(mutex);
                const long before = count;
                std::this_thread::yield();  // lets the others run, which must not enter
                beside += count != before;
                count = before + 1;
            }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(beside == 0);
    CHECK(count == 2000);
}
