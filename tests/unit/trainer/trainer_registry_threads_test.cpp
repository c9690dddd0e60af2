// SPDX-License-Identifier: BSL-1.0
#include <sigma/hook/score.hpp>

#include <catch2/catch.hpp>

#include <support/point_trainer.hpp>
#include <thread>

using namespace sigma;
using namespace sigma::test;

namespace {

/// Starts threads, and says how many of them threw.
struct Threads {
    std::vector<std::thread> all;
    std::atomic<int> failures{0};
    std::mutex mutex;
    std::string first;

    template <class F>
    void start(F f) {
        all.emplace_back([this, f] {
            try {
                f();
            } catch (const std::exception& e) {
                ++failures;
                const std::lock_guard lock(mutex);
                if (first.empty()) first = e.what();
            }
        });
    }
    std::string failure() {
        for (std::thread& t : all) t.join();
        all.clear();
        return first;
    }
};

}  // namespace

TEST_CASE("A learning rate set by another thread holds from one iteration on") {
    PointTrainer trainer;
    Registry r = trainer.registry();
    std::vector<double> rates;
    std::atomic<std::uint64_t> seen{0};
    trainer.on_iteration([&](auto& t) {
        rates.push_back(t.optimizer.learning_rate);
        seen = t.iteration();
    });
    trainer.start(cpu(1));
    while (seen < 10) std::this_thread::yield();
    r.set("optimizer.learning_rate", 0.5);
    CHECK(r.get<double>("optimizer.learning_rate") == 0.5);
    const std::uint64_t then = seen;
    while (seen < then + 3) std::this_thread::yield();
    trainer.stop();
    trainer.wait();
    const auto changed = std::ranges::find(rates, 0.5);
    CHECK(std::count(rates.begin(), changed, 0.125) == changed - rates.begin());
    CHECK(std::count(changed, rates.end(), 0.5) == rates.end() - changed);
    CHECK(static_cast<std::uint64_t>(changed - rates.begin()) <= then);
    CHECK(rates.size() >= then + 3);
}

TEST_CASE("Many read and set while a trainer trains, runs end and begin, and hooks come and go") {
    PointTrainer trainer;
    std::atomic<bool> enough{false};
    std::atomic<int> reads{0}, torn{0};
    trainer.add(every(1, epoch).then(score(points())));
    int extra = 0;
    trainer.on_epoch([&](auto& t) {
        if (t.epoch() % 2 == 1) extra = t.add(every(1, epoch).then(score<"test">(points())));
        else t.remove(extra);
    });
    trainer.start(cpu(1), 20);
    Threads threads;
    for (int i = 0; i < 2; ++i)
        threads.start([&] {
            const Registry r = trainer.registry();  // made by whoever is first
            while (!enough) {
                const Array w = r.get<Array>("network.layers.1-deep.weights");
                torn += w.size() != 15;
                for (const float x : w) torn += !std::isfinite(x);
                r.get_all<Array>("network.layers.<dense>.*s");
                ++reads;
            }
        });
    threads.start([&] {
        const Registry r = trainer.registry();
        while (!enough) {
            torn += r.get<std::uint64_t>("batch") > 1;
            torn += r.get<double>("accuracy") > 1;  // stays although others go
            r.resolve("**.accuracy");
            r.text();
            ++reads;
        }
    });
    threads.start([&] {
        Registry r = trainer.registry();
        for (int i = 0; !enough; ++i) {
            r.set("optimizer.learning_rate", i % 2 ? 0.01 : 0.02);
            r.set("network.layers.2-dense.biases", Array({0.25F, -0.25F}));
            r.find<Array>("network.layers.2-dense.gradients.biases").has_value();
            std::this_thread::yield();
        }
    });
    for (int run = 0; run < 4; ++run) {
        trainer.wait();
        while (reads < 20 * (run + 1)) std::this_thread::yield();
        trainer.start(cpu(1), 20);
    }
    enough = true;
    CHECK(threads.failure() == "");
    trainer.stop();
    trainer.wait();
    CHECK(torn == 0);
}

TEST_CASE("Reading waits for no trainer that pauses or has stopped") {
    PointTrainer trainer;
    const Registry r = trainer.registry();
    trainer.start(cpu(1));
    trainer.pause().wait();
    CHECK(r.get<std::string>("state") == "paused");
    const std::uint64_t steps = r.get<std::uint64_t>("iteration");
    CHECK(r.get<Array>("network.layers.1-deep.weights").size() == 15);
    CHECK(r.get<std::uint64_t>("iteration") == steps);
    trainer.stop().wait();
    CHECK(r.get<Array>("network.layers.1-deep.weights").size() == 15);
}

TEST_CASE("A trainer may end while others read it, and its registry is empty then") {
    for (int i = 0; i < 20; ++i) {
        auto trainer = std::make_unique<PointTrainer>();
        Registry r = trainer->registry();
        trainer->add(every(1, epoch).then(score(points())));
        std::atomic<int> reads{0};
        Threads threads;
        for (int k = 0; k < 2; ++k)
            threads.start([&] {
                while (r.contains("name")) {
                    r.find<Array>("network.layers.1-deep.weights").has_value();
                    r.find<Array>("network.layers.1-deep.outputs").has_value();
                    r.find<double>("accuracy");
                    r.text();
                    ++reads;
                }
            });
        if (i % 2) trainer->start(cpu(1));
        while (reads < 10) std::this_thread::yield();
        const Watch watch = r.watch("epoch", [](std::string_view) { throw std::runtime_error("of no importance"); });
        trainer.reset();
        CHECK(threads.failure() == "");
        CHECK(r.names().empty());
        CHECK_FALSE(r.find<double>("accuracy"));
        CHECK_THROWS_AS(r.get<double>("optimizer.learning_rate"), RegistryError);
    }
}

TEST_CASE("A hook in the background sets, but is told not to read what its trainer would have to wait for") {
    PointTrainer trainer;
    Registry r = trainer.registry();
    std::string told;
    double rate = 0;
    trainer.add(at(stop).then([&] {
        rate = r.get<double>("accuracy");
        r.set("optimizer.learning_rate", 0.25);
        try {
            r.get<Array>("network.layers.1-deep.weights");
        } catch (const StateError& e) {
            told = e.what();
        }
    }).in_background());
    r.set("accuracy", 0.75);
    trainer.run(cpu(1), 1);
    CHECK(rate == 0.75);
    CHECK(trainer.optimizer.learning_rate == 0.25);
    CHECK(told == "registry of trainer 'points': expected values that a hook in the background need not wait for, found one that is "
                  "read between two iterations");
}
