// SPDX-License-Identifier: BSL-1.0
#include <catch2/catch.hpp>
#include <gpu/trained.hpp>
#include <sigma/device/gpu/host/host_group.hpp>

#include <filesystem>

using namespace trained;

namespace {

constexpr double tolerance = 2e-5;

/// Without random numbers, which differ between the members of a group.
struct Plain : Network<Input(5) + Dense(7, tanh) + Dense(3) + SoftmaxCE()> {};

struct Run {
    std::vector<double> told;
    std::vector<float> parameters, states;
};
template <class N, class O, class T = float, class Where>
Run run_on(const Where& device, Minibatches of, O optimizer, std::int64_t epochs, bool each = true) {
    Trainer trainer("small", N{}, optimizer, std::move(of), element<T>);
    Run all;
    if (each) trainer.on_iteration([&](auto& t) { all.told.push_back(t.loss()); });
    trainer.on_epoch([&](auto& t) { all.told.push_back(t.error()); });
    trainer.run(device, epochs);
    for (const auto& x : parameters_of(trainer.model())) all.parameters.push_back(static_cast<float>(x));
    for (const auto& x : trainer.step().state_memory()) all.states.push_back(static_cast<float>(x));
    return all;
}
void check_equal(const Run& a, const Run& b) {
    CHECK(a.told.size() == b.told.size());
    CHECK(apart(a.told, b.told) < tolerance);
    CHECK(apart(a.parameters, b.parameters) < 10 * tolerance);
    CHECK(apart(a.states, b.states) < 10 * tolerance);
}

}  // namespace

TEST_CASE("a group trains as one device") {
    const auto two = on_gpu::host_group(2), three = on_gpu::host_group(3);
    const auto here = run_on<Plain>(cpu(), batches_of(), Adam{}, 3);
    CHECK(here.told.size() == 3 * 5 + 3);
    check_equal(run_on<Plain>(two, batches_of(), Adam{}, 3), here);
    check_equal(run_on<Plain>(three, batches_of(), Adam{}, 3), here);
    check_equal(run_on<Plain>(on_gpu::host_accelerator(), batches_of(), Adam{}, 3), here);
    for (std::size_t m = 0; m < 2; ++m) CHECK(on_gpu::host_member(*two, m).counters().replays > 0);
}
