// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/threads.hpp>

#include <catch2/catch.hpp>

#include <thread>

using sigma::detail::Signal;
using sigma::detail::this_thread;

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
