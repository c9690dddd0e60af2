// SPDX-License-Identifier: BSL-1.0
#include <sigma/sigma.hpp>

#include "support/point_trainer.hpp"
#include "support/scratch.hpp"

#include <catch2/catch.hpp>

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
    CHECK(trainer.device_text() == "cpu");
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
    trainer.run(cpu(2), 3);
    CHECK(refused == "load of trainer 'points': expected a call between two iterations, found one in a hook");
    CHECK(until == 10);  // and it is not done later
    CHECK(trainer.device_text() == "cpu, 2 threads");
}
