// SPDX-License-Identifier: BSL-1.0
#include <sigma/registry/registry.hpp>

#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <thread>

using namespace sigma;

namespace {

/// Runs all at once, each until it returns; the first exception of each thread counts.
template <class... Bodies>
int failures_of(Bodies... bodies) {
    std::atomic<int> failures{0}, waiting{sizeof...(bodies)};
    const auto run = [&](auto& body) {
        --waiting;
        while (waiting > 0) std::this_thread::yield();
        try {
            body();
        } catch (...) { ++failures; }
    };
    std::vector<std::thread> threads;
    (threads.emplace_back([&] { run(bodies); }), ...);
    for (auto& t : threads) t.join();
    return failures;
}

constexpr int rounds = 400;

}  // namespace

TEST_CASE("Everything at once from many threads") {
    Registry r, mounted;
    r.set("optimizer.learning_rate", 0.01).set("weights", std::vector<int>(100, 0)).set("trainer.name", "a");
    mounted.set("epoch", 1);
    const Cell<double> cell = r.cell<double>("shared.accuracy");
    std::atomic<int> told{0}, broken{0};
    const auto count = [&](std::string_view) { ++told; };
    const Watch steady = r.watch("shared.*", count);

    const int failures = failures_of(
        [&] {  // a worker: publishes
            for (int i = 0; i < rounds; ++i) {
                cell.store(i);
                r.set("weights", std::vector<int>(100, i)).set("optimizer.learning_rate", i);
            }
        },
        [&] {  // a monitor: reads whole values only
            for (int i = 0; i < rounds; ++i) {
                const auto weights = r.get<std::vector<int>>("weights");
                for (int w : weights) broken += w != weights[0];
                r.get_all<double>("optimizer.*");
                r.get_one_or<double>("**.accuracy", 0.0);
                r.text();
            }
        },
        [&] {  // adds and removes
            for (int i = 0; i < rounds; ++i) {
                const std::string name = sentence("extra.", i % 7, ".value");
                r.set(name, i);
                try {
                    r.tag(sentence("extra.", i % 7), {"t", std::to_string(i % 3)});
                } catch (const RegistryError&) {  // the other thread has removed it
                }
                r.remove(i % 2 ? "extra.3" : name);
            }
        },
        [&] {  // the same names: one of two that add at once finds the other's
            for (int i = 0; i < rounds; ++i) {
                r.set(sentence("extra.", i % 5, ".value"), i).set("shared.other", i);
                r.resolve("extra.<t>.*");
                if (i % 50 == 0) r.remove("shared.other");
            }
        },
        [&] {  // watches come and go
            for (int i = 0; i < rounds; ++i) {
                std::atomic<int> own = 0;  // ends with the watch; called on whichever thread sets
                const Watch watch = r.watch("**", [&own](std::string_view) { ++own; });
                const Watch other = r.watch("extra.<t>.*", [](std::string_view) {});
            }
        },
        [&] {  // copies, mounts and links
            for (int i = 0; i < rounds; ++i) {
                const Registry copy = r.copy();
                broken += copy.get<std::vector<int>>("weights").size() != 100;
                r.replace("place", mounted);
                mounted.set("epoch", i);
                r.remove("place");
                int live = i;
                r.link<int>("live", [&live] { return live; });
                broken += r.get<int>("live") != i;
                r.remove("live");  // after which nobody reads `live`
            }
        });
    CHECK(failures == 0);
    CHECK(broken == 0);
    CHECK(told >= rounds);
    CHECK(r.get<double>("optimizer.learning_rate") == rounds - 1);
    CHECK(cell.load() == rounds - 1);
}

TEST_CASE("Threads that add the same names agree") {
    Registry r;
    const auto add_all = [&] {
        for (int i = 0; i < 50; ++i) r.cell<std::int64_t>(sentence("a.", i % 5, ".", i));
        r.set("same", 1);
    };
    CHECK(failures_of(add_all, add_all, add_all, add_all) == 0);
    CHECK(r.resolve("a.*.*").size() == 50);
    CHECK(r.child("a").names().size() == 5);
    std::atomic<int> added{0};
    const auto add_once = [&] {
        for (int i = 0; i < 50; ++i) {
            try {
                r.add(sentence("once.", i), i);
                ++added;
            } catch (const RegistryError&) {}
        }
    };
    failures_of(add_once, add_once, add_once);
    CHECK(added == 50);
}

namespace {
/// A value that is slow to copy.
struct Slow {
    std::vector<double> numbers = std::vector<double>(10);
    Slow() = default;
    Slow(Slow&&) = default;
    Slow& operator=(Slow&&) = default;
    Slow& operator=(const Slow&) = default;
    Slow(const Slow& other) : numbers(other.numbers) {
        copying = true;
        while (copying) std::this_thread::yield();
    }
    static inline std::atomic<bool> copying{false};
};
}  // namespace

TEST_CASE("Nobody waits for a reader's copy or for a getter") {
    Registry r;
    r.set("slow", Slow{}).set("rate", 0.5);
    std::atomic<bool> getting{false};
    r.link<int>("link", [&] {
        getting = true;
        while (getting) std::this_thread::yield();
        return 1;
    });
    std::thread copier([&] { r.get<Slow>("slow"); });
    std::thread reader([&] { r.get<int>("link"); });
    while (!Slow::copying || !getting) std::this_thread::yield();
    // both are in the midst of it; none of these would return if they waited
    r.set("rate", 0.25).set("slow", Slow{}).add("fresh", 1);
    r.cell<double>("rate").store(0.125);
    CHECK(r.resolve("*").size() == 4);
    CHECK(r.remove("fresh"));
    Slow::copying = false;
    getting = false;
    copier.join();
    reader.join();
    CHECK(r.get<double>("rate") == 0.125);
}

TEST_CASE("Removing a link and ending a watch wait for calls under way") {
    Registry r;
    std::atomic<int> inside{0};
    const auto linger = [&] {
        ++inside;
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        inside -= 100;
    };
    r.link<int>("link", [&] {
        linger();
        return 1;
    });
    std::thread reader([&] { r.get<int>("link"); });
    while (inside == 0) std::this_thread::yield();
    r.remove("link");
    CHECK(inside == -99);
    reader.join();

    inside = 0;
    Watch watch = r.watch("x", [&](std::string_view) { linger(); });
    std::thread writer([&] { r.set("x", 1); });
    while (inside == 0) std::this_thread::yield();
    watch.stop();
    CHECK(inside == -99);
    writer.join();
}
