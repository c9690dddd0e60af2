// SPDX-License-Identifier: BSL-1.0
#include <catch2/catch.hpp>
#include <gpu/trained.hpp>
#include <sigma/profile.hpp>

#include <cmath>
#include <set>

using namespace trained;

TEST_CASE("a profile has the kernels of an accelerator, with marks of time between them") {
    for (const Device& device : devices()) {
        INFO(device.name());
        Trainer trainer("small", Small{}, Adam{}, batches_of());
        const Profile measured = profile(trainer, 30, iteration, device);
        const ProfiledProgram& step = measured["training step"];
        CHECK(step.device == device.name());
        CHECK(step.runs == 30);
        CHECK(step.timed >= 1);
        CHECK(step.launches > 0);
        CHECK(step.seconds > 0);
        double seconds = 0;
        std::set<std::string> layers, parts;
        for (const ProfileRow& row : step.rows) {
            seconds += row.seconds;
            layers.insert(row.layer);
            parts.insert(row.part);
            CHECK(std::isnan(row.share_of_peak));
        }
        CHECK(seconds == Approx(30 * step.seconds));
        CHECK(layers.contains("1-dense"));
        CHECK(layers.contains("3-dense"));
        CHECK(parts == std::set<std::string>{"forward", "backward", "update"});
        CHECK(measured.loops.at(0)["step"].seconds > 0);
        CHECK(measured.text().find("training step on " + device.name()) != std::string::npos);
    }
}

TEST_CASE("a profile changes no results of an accelerator, and replays steps that are not timed") {
    const auto parameters = [](bool profiled) {
        const auto device = on_gpu::host_backend();
        Trainer trainer("small", Small{}, Adam{}, batches_of());
        if (profiled) {
            const Profile measured = profile(trainer, 40, iteration, device);
            const auto replays = static_cast<std::uint64_t>(device->counters().replays);
            CHECK(measured["training step"].timed + replays <= 45);
        } else {
            trainer.add(after(40, iteration).then(stop));
            trainer.run(Device(device));
        }
        return parameters_of(trainer.model());
    };
    CHECK(parameters(true) == parameters(false));
}
