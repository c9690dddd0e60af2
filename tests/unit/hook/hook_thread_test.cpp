// SPDX-License-Identifier: BSL-1.0
#include <sigma/hook/hook_thread.hpp>
#include <support/hook_trainer.hpp>

#include <catch2/catch.hpp>

#include <chrono>
#include <thread>

using namespace sigma;
using sigma::test::Gate;
using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

TEST_CASE("The thread of hooks runs jobs in order, keeps what they throw, and drops those that wait when it ends") {
    Lines ran;
    Gate gate;
    {
        detail::HookThread thread;
        CHECK(thread.accepts(0));
        CHECK(thread.job() == 0);
        thread.submit([&] { gate.pass(), ran.push_back("one"); });
        CHECK(!thread.accepts(0));
        CHECK(thread.accepts(1));
        thread.submit([&] {
            ran.push_back("two");
            throw std::runtime_error("three");
        });
        thread.submit([&] { ran.push_back("four"); });
        CHECK(!thread.accepts(2));
        gate.wait_for_somebody();
        CHECK(thread.job() != 0);
        CHECK(!thread.drained_within(0.001));
        gate.open();
        thread.drain();
        CHECK(thread.drained_within(0));
        CHECK(ran == Lines{"one", "two", "four"});
        CHECK(thread.failed());
        CHECK_THROWS_WITH(std::rethrow_exception(thread.take_failure()), "three");
        CHECK(!thread.failed());
    }
    ran.clear();
    Gate other;
    std::thread opener;
    {
        detail::HookThread thread;
        thread.submit([&] { other.pass(), std::this_thread::sleep_for(20ms), ran.push_back("under way"); });
        thread.submit([&] { ran.push_back("waiting"); });
        other.wait_for_somebody();
        opener = std::thread([&] { std::this_thread::sleep_for(5ms), other.open(); });
    }
    opener.join();
    CHECK(ran == Lines{"under way"});
}
