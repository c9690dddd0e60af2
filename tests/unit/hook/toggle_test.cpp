// SPDX-License-Identifier: BSL-1.0
#include <sigma/hook/time_step.hpp>

#include <catch2/catch.hpp>

#include <atomic>
#include <thread>
#include <vector>

using sigma::Toggle;

TEST_CASE("a toggle has a position that copies share") {
    const Toggle here;
    const Toggle there = here;
    CHECK_FALSE(there.state());
    here.set(true);
    CHECK(there.state());
    CHECK_FALSE(there.flip());
    CHECK_FALSE(here.state());
    CHECK(here.flip());
    CHECK(Toggle(true).state());
    CHECK_FALSE(Toggle().state());
}

TEST_CASE("a pulse is taken once, and the count of pulses stays") {
    const Toggle toggle;
    CHECK_FALSE(toggle.take());
    toggle.pulse();
    toggle.pulse();
    CHECK(toggle.pulses() == 2);
    CHECK(toggle.take());
    CHECK(toggle.take());
    CHECK_FALSE(toggle.take());
    CHECK(toggle.pulses() == 2);
    CHECK_FALSE(toggle.state());
}

TEST_CASE("no pulse of any thread is lost or taken twice") {
    constexpr int each = 200'000;
    const Toggle toggle;
    std::atomic<int> taken{0};
    std::atomic<int> ready{0};  // all begin together, or one would be done before the next exists
    std::atomic<bool> over{false};
    std::vector<std::thread> givers, takers;
    for (int i = 0; i < 2; ++i) {
        givers.emplace_back([&, toggle] {
            ++ready;
            while (ready < 4) std::this_thread::yield();
            for (int n = 0; n < each; ++n) toggle.pulse(), toggle.flip();
        });
        takers.emplace_back([&] {
            ++ready;
            while (!over)
                if (toggle.take()) ++taken;
        });
    }
    for (std::thread& giver : givers) giver.join();
    over = true;
    for (std::thread& taker : takers) taker.join();
    while (toggle.take()) ++taken;
    CHECK(taken == 2 * each);
    CHECK(toggle.pulses() == 2 * each);
    CHECK_FALSE(toggle.state());
}
