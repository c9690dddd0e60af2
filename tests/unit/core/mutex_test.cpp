// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/mutex.hpp>
#include <sigma/core/signal.hpp>
#include <sigma/core/this_thread.hpp>

#include <catch2/catch.hpp>

#include <thread>
#include <vector>

using namespace sigma::detail;

TEST_CASE("One thread at a time has a lock") {
    Mutex mutex;
    long count = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 20000; ++i) {
                const Lock lock(mutex);
                ++count;
            }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(count == 80000);
}

TEST_CASE("Who reads a signal may read what was written before it") {
    long data = 0;
    Signal<int> ready;
    std::thread reader([&] {
        while (ready == 0) std::this_thread::yield();
        data += 2;
    });
    data = 40;
    ready = 1;
    reader.join();
    CHECK(data == 42);
}

TEST_CASE("Threads that run at the same time are told from each other") {
    const void* other = nullptr;
    bool steady = false;
    std::thread thread([&] { other = this_thread(), steady = other == this_thread(); });
    thread.join();
    CHECK(steady);
    CHECK(other != nullptr);
    CHECK(this_thread() == this_thread());
    const void *first = nullptr, *second = nullptr;
    Signal<int> told;
    std::thread one([&] {
        first = this_thread();
        told = 1;
        while (told != 2) std::this_thread::yield();
    });
    while (told != 1) std::this_thread::yield();
    second = this_thread();
    told = 2;
    one.join();
    CHECK(first != second);
}
