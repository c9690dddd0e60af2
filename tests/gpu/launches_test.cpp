// SPDX-License-Identifier: BSL-1.0
// The number of launches of a training step: programs report what the host backend counts, and no more than before.
#include "host_machine.hpp"
#include "step_launches.hpp"

#include <catch2/catch.hpp>

using namespace sigma;
using namespace step_launches;

namespace {

int issued(const on_gpu::HostBackend& device) {
    const on_gpu::HostCounters& c = device.counters();
    return static_cast<int>(c.launches + c.products + c.sorts + c.clears + c.copies);
}

/// Returns the launches of a step if program, backend and replay agree, otherwise -1.
template <AnyNetwork N, AnyOptimizer O>
int launches(const std::shared_ptr<on_gpu::HostBackend>& device) {
    const auto step = step_on<N, O>(device, 2);
    const int told = step->program().launches();
    const int before = issued(*device);
    step->run();
    const int at_once = issued(*device) - before;
    const auto replay = step->capture();
    CHECK(issued(*device) == before + at_once);
    replay->run();
    const int replayed = issued(*device) - before - at_once;
    CHECK(at_once == told);
    CHECK(replayed == told);
    return at_once == told && replayed == told ? told : -1;
}

/// The launches of a trainer's step beside those of its program: gathering inputs and targets, and adding the loss.
constexpr int beside = 2;

}  // namespace

TEST_CASE("launches of a training step, where the library multiplies") {
    CHECK(launches<Small, GradientDescent>(test::one_thread()) == 16);
    CHECK(launches<Small, Adam>(test::one_thread()) == 18);
    CHECK(launches<LeNet, Adam>(test::one_thread()) == 46);    // with so few records no sum is divided
    CHECK(launches<Reader, Adam>(test::one_thread()) == 280);  // sorts the ids, which a device would not do for so few
}

TEST_CASE("launches of a training step of kernels alone") {
    CHECK(launches<Small, GradientDescent>(test::without_library()) == 19);
    CHECK(launches<Small, Adam>(test::without_library()) == 22);
}

TEST_CASE("launches of a trainer's step") {
    const auto device = test::one_thread();
    const Numbers x{{32, 784}, std::vector<float>(32 * 784, 0.5f)}, y{{32}, std::vector<float>(32, 3.0f)};
    const Dataset data(x, y, "numbers");
    Trainer trainer("small", Small{}, Adam{}, minibatches(data, 8));
    std::vector<int> counts;
    int before = 0;
    trainer.on_iteration([&](auto&) {
        counts.push_back(issued(*device) - before);
        before = issued(*device);
    });
    trainer.run(device, 2);
    REQUIRE(counts.size() == 8);
    const int expected = step_on<Small, Adam>(test::one_thread(), 8)->program().launches() + beside;
    for (std::size_t i = 1; i < counts.size(); ++i) CHECK(counts[i] == expected);
}
