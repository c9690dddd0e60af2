// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/threads.hpp>

#include <catch2/catch.hpp>

#include <thread>

using sigma::detail::Signal;

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
