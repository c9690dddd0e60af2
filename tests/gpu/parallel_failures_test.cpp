// SPDX-License-Identifier: BSL-1.0
#include <catch2/catch.hpp>
#include <gpu/parallel.hpp>

using namespace trained;

TEST_CASE("a member that fails leaves the beginning of the epoch", "[parallel_failures_test]") {
    for (std::size_t bad : {std::size_t{0}, std::size_t{1}}) {
        const auto group = on_gpu::host_group(2);
        Trainer trainer("plain", Plain{}, Adam{}, batches_of());
        std::vector<float> at_epoch;
        bool armed = true;
        trainer.on_epoch([&](auto& t) { at_epoch = parameters_of(t.model()); });
        trainer.on_iteration([&](auto& t) {
            if (t.iteration() == 13 && std::exchange(armed, false)) on_gpu::host_member(*group, bad).fail_at_launch(5);
        });
        CHECK_THROWS_AS(trainer.run(group, 5), KernelError);
        CHECK(trainer.epoch() == 2);
        CHECK(trainer.iteration() == 10);
        CHECK(parameters_of(trainer.model()) == at_epoch);
        trainer.run(cpu(), 1);  // continues on any device
        trainer.run(group, 1);
        CHECK(trainer.epoch() == 4);
        Trainer never("plain", Plain{}, Adam{}, batches_of());
        never.run(cpu(), 4);
        CHECK(apart(parameters_of(trainer.model()), parameters_of(never.model())) < 1e-4);
    }
}

TEST_CASE("a group without room leaves everything as it was", "[parallel_failures_test]") {
    Trainer trainer("plain", Plain{}, Adam{}, batches_of());
    trainer.run(cpu(), 1);
    const auto before = parameters_of(trainer.model());
    for (const std::size_t room : {std::size_t{0}, std::size_t{600}, std::size_t{5000}}) {
        on_gpu::HostOptions small;
        small.memory = room;
        const auto group =
            std::make_shared<sigma::detail::StagedGroup>(std::vector<detail::SharedOwner<sigma::detail::ComputeDevice>>{
                on_gpu::host_device(), on_gpu::host_device(small)});
        CHECK_THROWS_AS(trainer.run(std::shared_ptr<sigma::detail::ComputeGroup>(group), 1), DeviceMemoryError);
        CHECK(parameters_of(trainer.model()) == before);
        CHECK(trainer.epoch() == 1);
    }
}

TEST_CASE("an allocation that fails on a member costs speed, or is an error that leaves everything as it was",
          "[parallel_failures_test]") {
    const auto here = run_on<Plain>(on_gpu::host_group(2), batches_of(), Adam{}, 2);
    int went_on = 0;
    for (std::uint64_t at = 1;; ++at) {
        on_gpu::HostOptions options;
        options.fail_at_allocation = at;
        const auto second = on_gpu::host_backend(options);
        const auto group = std::make_shared<sigma::detail::StagedGroup>(
            std::vector<detail::SharedOwner<sigma::detail::ComputeDevice>>{on_gpu::host_device(), second});
        INFO("allocation " << at);
        try {
            const auto there =
                run_on<Plain>(std::shared_ptr<sigma::detail::ComputeGroup>(group), batches_of(), Adam{}, 2);
            check_equal(there, here);
            if (second->counters().allocations < at) break;  // each allocation has failed once
            ++went_on;
        } catch (const DeviceMemoryError&) {}
    }
    CHECK(went_on == 5);  // kept records of two sections, their order, the arenas of gradients and of the update
}

TEST_CASE("a loss that leaves the finite numbers on a group is found where the processor finds it",
          "[parallel_failures_test]") {
    const auto fall = [](const auto& where, double rate) {
        Trainer trainer("plain", Plain{}, GradientDescent{.learning_rate = 0.1}, batches_of());
        trainer.on_iteration([rate](auto& t) {
            if (t.iteration() == 8) t.optimizer.learning_rate = rate;
        });
        std::string what;
        try {
            trainer.run(where, 4);
        } catch (const NumericError& e) { what = e.what(); }
        return std::tuple{what, trainer.iteration(), parameters_of(trainer.model())};
    };
    for (const double rate : {1e38, 1e300}) {
        const auto here = fall(cpu(), rate), there = fall(on_gpu::host_group(2), rate);
        CHECK(std::get<0>(here) != "");
        CHECK(std::get<0>(there) == std::get<0>(here));
        CHECK(std::get<1>(there) == std::get<1>(here));
        double most = 1;
        for (const float x : std::get<2>(here)) most = std::max(most, std::abs(static_cast<double>(x)));
        CHECK(std::isfinite(most));
        CHECK(apart(std::get<2>(there), std::get<2>(here)) < 1e-4 * most);
    }
}

TEST_CASE("hooks, rules and changes of parameters on a group", "[parallel_failures_test]") {
    const auto train = [](const auto& where) {
        Trainer trainer("plain", Plain{}, Adam{.learning_rate = 0.05}, batches_of());
        trainer.freeze("1-*");
        trainer.modify("2-*.weights", clip(-0.3, 0.3));
        std::vector<double> told;
        const auto all = points(40);
        const Array<float> x({3, 5}, std::vector<float>(15, 1.0f));
        trainer.on_iteration([&](auto& t) {
            if (t.iteration() == 4) {
                t.model().template parameter<"2-dense.biases">()(0) = 0.5f;
                sigma::detail::HookAccess::view(t).parameters_changed();
                t.unfreeze("1-*");
            }
            told.push_back(t.loss());
        });
        int unequal = 0;
        trainer.on_epoch([&](auto& t) {
            t.model().dual_buffer().upload();  // values that modifiers have changed on the host
            unequal += unequal_tensors(t);
            const auto score = t.evaluate(all);
            told.push_back(score.error);
            for (const float p : t.predict(x)) told.push_back(static_cast<double>(p));
            for (const float g : t.gradients().values(0)) told.push_back(static_cast<double>(g));
        });
        trainer.run(where, 2);
        CHECK(unequal == 0);
        for (const float p : parameters_of(trainer.model())) told.push_back(static_cast<double>(p));
        return told;
    };
    CHECK(apart(train(cpu()), train(on_gpu::host_group(3))) < 2e-4);
}

TEST_CASE("a checkpoint moves between a group, a device and the processor", "[parallel_failures_test]") {
    const auto continued = [](const auto& first, const auto& second) {
        return continued_elsewhere<Plain>(first, second, "sigma_group_moves.sigma");
    };
    const auto here = continued(cpu(), cpu());
    const auto device = on_gpu::host_device();
    const auto group = on_gpu::host_group(2);
    CHECK(apart(continued(group, cpu()), here) < 2e-4);
    CHECK(apart(continued(cpu(), group), here) < 2e-4);
    CHECK(apart(continued(device, group), here) < 2e-4);
}

TEST_CASE("runs on a group, on one of its members and on the processor", "[parallel_failures_test]") {
    const auto group = on_gpu::host_group(2);
    Trainer trainer("plain", Plain{}, Adam{}, batches_of());
    trainer.run(group, 1);
    trainer.run(group->members()[0], 1);
    trainer.run(group, 1);
    trainer.run(cpu(), 1);
    trainer.run(group->members()[1], 1);
    trainer.start(group, 1);
    trainer.wait();
    Trainer here("plain", Plain{}, Adam{}, batches_of());
    here.run(cpu(), 6);
    CHECK(trainer.iteration() == here.iteration());
    CHECK(apart(parameters_of(trainer.model()), parameters_of(here.model())) < 1e-4);
}
