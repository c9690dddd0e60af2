// SPDX-License-Identifier: BSL-1.0
#include <catch2/catch.hpp>
#include <gpu/trained.hpp>
#include <support/thrown.hpp>

#include <tuple>
#include <utility>

using namespace trained;

TEST_CASE("a loss that leaves the finite numbers on an accelerator is found where the processor finds it") {
    const auto fall = [](const Device& device, double rate) {
        Trainer trainer("small", Small{}, GradientDescent{.learning_rate = 0.1}, batches_of());
        trainer.on_iteration([rate](auto& t) {
            if (t.iteration() == 8) t.optimizer.learning_rate = rate;
        });
        const std::string what = error_text([&] { trainer.run(device, 4); });
        return std::tuple{what, trainer.iteration(), trainer.batch(), trainer.training_loss(),
                          parameters_of(trainer.model())};
    };
    const Device device = GENERATE(from_range(devices()));
    for (const double rate : {1e38, 1e39}) {
        const auto here = fall(cpu(), rate), there = fall(device, rate);
        CAPTURE(std::get<0>(here));
        CHECK(std::get<0>(here) != "no error");
        CHECK(std::get<0>(there) == std::get<0>(here));
        CHECK(std::get<1>(there) == std::get<1>(here));
        CHECK(std::get<2>(there) == std::get<2>(here));
        CHECK(std::get<3>(there) == Approx(std::get<3>(here)).epsilon(1e-4));
        const auto &mine = std::get<4>(there), &wanted = std::get<4>(here);
        for (std::size_t i = 0; i < wanted.size(); ++i) CHECK(mine[i] == Approx(wanted[i]).epsilon(1e-3).margin(1e-4));
    }
}

TEST_CASE("an accelerator that fails leaves the beginning of the epoch") {
    const auto device = on_gpu::host_backend();
    Trainer trainer("small", Small{}, Adam{}, batches_of());
    std::vector<float> at_epoch;
    bool fails = true;
    trainer.on_epoch([&](auto& t) { at_epoch = parameters_of(t.model()); });
    trainer.on_iteration([&](auto& t) {
        if (t.iteration() == 13 && std::exchange(fails, false)) device->fail_at_launch(3);
    });
    CHECK_THROWS_AS(trainer.run(device, 5), KernelError);
    CHECK(trainer.epoch() == 2);
    CHECK(trainer.iteration() == 10);
    CHECK(parameters_of(trainer.model()) == at_epoch);
    device->fail_at_launch(0);
    trainer.run(cpu(), 1);  // continues on any device
    CHECK(trainer.epoch() == 3);
    trainer.run(device, 1);
    CHECK(trainer.epoch() == 4);

    Trainer never("small", Small{}, Adam{}, batches_of());
    never.run(cpu(), 4);
    CHECK(apart(parameters_of(trainer.model()), parameters_of(never.model())) < 1e-4);
}

TEST_CASE("an accelerator without room leaves everything as it was") {
    Trainer trainer("small", Small{}, Adam{}, batches_of());
    trainer.run(cpu(), 1);
    const auto before = parameters_of(trainer.model());
    for (const std::size_t room : {std::size_t{0}, std::size_t{600}, std::size_t{4000}}) {
        on_gpu::HostOptions options;
        options.memory = room;
        try {
            trainer.run(on_gpu::host_device(options), 1);
            FAIL("there was room");
        } catch (const DeviceMemoryError& e) {
            CHECK(e.asked > e.free);
            CHECK(e.free <= room);
        }
        CHECK(parameters_of(trainer.model()) == before);
        CHECK(trainer.epoch() == 1);
    }
}

TEST_CASE("an allocation that fails on an accelerator costs speed, or is an error that leaves everything as it was") {
    const auto data = points(300);
    const auto train = [&](Trainer<Small, Adam>& trainer, const Device& device) {
        std::vector<double> told;
        trainer.on_epoch([&, scored = std::make_shared<sigma::detail::Evaluator<Small>>(data)](auto& t) {
            told.push_back(t.training_loss());
            told.push_back((*scored)(t.model()).error);
        });
        trainer.run(device, 2);
        return told;
    };
    Trainer plain("small", Small{}, Adam{}, batches_of());
    const auto here = train(plain, cpu());
    int went_on = 0;
    std::uint64_t at = 1;
    for (;; ++at) {
        on_gpu::HostOptions options;
        options.fail_at_allocation = at;
        const auto device = on_gpu::host_backend(options);
        Trainer trainer("small", Small{}, Adam{}, batches_of());
        const auto before = parameters_of(trainer.model());
        INFO("allocation " << at);
        try {
            const auto there = train(trainer, device);
            CHECK(apart(there, here) < 1e-4);
            if (device->counters().allocations < at) break;  // each allocation has failed once
            ++went_on;
        } catch (const DeviceMemoryError&) {
            if (trainer.epoch() == 0) CHECK(parameters_of(trainer.model()) == before);
        }
    }
    // Allocations: kept records of two sections, their order, the arena of the step; scored sections, and the arguments
    // and the arena of the score.
    CHECK(went_on == 8);
}

TEST_CASE("what a hook throws on an accelerator leaves the newest parameters") {
    const Device device = GENERATE(from_range(devices()));
    Trainer trainer("small", Small{}, Adam{}, batches_of());
    std::vector<float> then;
    trainer.on_iteration([&](auto& t) {
        if (t.iteration() != 6) return;
        then = parameters_of(t.model());
        throw std::runtime_error("enough");
    });
    CHECK_THROWS_WITH(trainer.run(device, 5), "enough");
    CHECK(trainer.iteration() == 6);
    CHECK(parameters_of(trainer.model()) == then);
}
