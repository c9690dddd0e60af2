// SPDX-License-Identifier: BSL-1.0
#include <sigma/sigma.hpp>

#include "support/point_trainer.hpp"
#include "support/scratch.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

using namespace sigma;

TEST_CASE("A checkpoint is loaded by a function given to post, and refused at once in a hook") {
    const ScratchFile file;
    test::PointTrainer trainer;
    trainer.run(cpu(), 2);
    trainer.save(file.name);
    trainer.start(cpu());
    trainer.pause().wait();
    trainer.step().wait();
    CHECK(trainer.iteration() > 4);
    trainer.post([&] { trainer.load(file.name); }).wait();
    CHECK(trainer.iteration() == 4);
    CHECK(trainer.device_text() == Device(cpu()).text());
    trainer.stop().wait();
    trainer.wait();

    std::string refused;
    std::uint64_t until = 0;
    trainer.on_iteration([&](auto& running) {
        if (refused.empty()) try {
                running.load(file.name);
            } catch (const StateError& error) { refused = error.what(); }
        until = running.iteration();
    });
    trainer.run(cpu({.threads = 2}), 3);
    CHECK(refused == "load of trainer 'points': expected a call between two iterations, found a call in a hook");
    CHECK(until == 10);  // and it is not done later
    CHECK(trainer.device_text() == "cpu, 2 threads");
}

TEST_CASE("A step after going back is one iteration, and no other") {
    const ScratchFile file;
    test::PointTrainer trainer;
    trainer.run(cpu(), 1);
    trainer.save(file.name);
    std::vector<std::uint64_t> seen;
    trainer.on_iteration([&](auto& running) { seen.push_back(running.iteration()); });
    trainer.start(cpu());
    trainer.pause().wait();
    trainer.rewind().wait();
    CHECK(trainer.iteration() == 2);
    seen.clear();
    trainer.step().wait();
    CHECK(seen == std::vector<std::uint64_t>{3});
    trainer.step().wait();
    CHECK(seen == std::vector<std::uint64_t>{3, 4});
    trainer.post([&] { trainer.load(file.name); }).wait();
    trainer.step().wait();
    CHECK(trainer.iteration() == 3);
    // The same with all commands at once.
    const auto last = std::array{trainer.rewind(), trainer.step(), trainer.step()};
    for (const Acknowledgement& each : last) each.wait();
    CHECK(trainer.iteration() == 4);
    trainer.stop().wait();
    trainer.wait();
}

TEST_CASE("Going back to where a run began takes its time, too") {
    test::PointTrainer trainer;
    trainer.run(cpu(), 1);
    const double before = trainer.runtime();
    CHECK(before > 0);
    trainer.start(cpu());
    while (trainer.runtime() < before + 0.5) std::this_thread::yield();
    trainer.pause().wait();
    trainer.rewind().wait();
    CHECK(trainer.runtime() >= before);
    CHECK(trainer.runtime() < before + 0.25);  // with what comes before the first step
    trainer.stop().wait();
    trainer.wait();
}
