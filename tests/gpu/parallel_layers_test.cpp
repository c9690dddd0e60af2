// SPDX-License-Identifier: BSL-1.0
#include <sigma/execution/device_step.hpp>

#include <catch2/catch.hpp>
#include <gpu/parallel.hpp>

using namespace trained;

namespace {

struct TwoCosts : Network<Input(5) + Dense(6, relu) +
                          Costs(Dense(3) + SoftmaxCE(),
                                loss_weight(0.05, Dense(1) + SquaredDiff({.reduction = Reduction::total})))> {};
struct Normalized : Network<Input(5) + Dense(4) + BatchNorm() + Dense(3) + SoftmaxCE()> {};

}  // namespace

TEST_CASE("a group drops the units that one device drops", "[parallel_layers_test]") {
    const auto once = run_on<Small>(on_gpu::host_group(2), batches_of(), Adam{}, 2);
    const auto again = run_on<Small>(on_gpu::host_group(2), batches_of(), Adam{}, 2);
    CHECK(once.parameters == again.parameters);
    CHECK(once.unequal == 0);
    CHECK(apart(once.parameters, run_on<Small>(on_gpu::host_device(), batches_of(), Adam{}, 2).parameters) <
          10 * tolerance);
    CHECK(apart(run_on<Small>(on_gpu::host_group(3), batches_of(), Adam{}, 2).parameters, once.parameters) <
          10 * tolerance);
}

TEST_CASE("statistics are averaged over a group", "[parallel_layers_test]") {
    const auto train = [](const auto& where, double rate) {
        Trainer trainer("normalized", Normalized{}, GradientDescent{.learning_rate = rate}, batches_of());
        int unequal = 0;
        trainer.on_epoch([&](auto& t) { unequal += unequal_tensors(t); });
        trainer.run(where, 2);
        CHECK(unequal == 0);
        const auto mean = trainer.model().template parameter<"2-batch_norm.running_mean">();
        return std::vector<float>(mean.begin(), mean.end());
    };
    // If parameters do not change, the mean of the parts' means is that of the batch.
    const auto group = on_gpu::host_group(3);
    const auto here = train(cpu(), 0);
    CHECK(apart(here, std::vector<float>(here.size())) > 0.01);
    CHECK(apart(train(group, 0), here) < 1e-5);
    CHECK(apart(train(group, 0.5), here) > 1e-4);
    const auto trained_there = run_on<Normalized>(group, batches_of(210), Adam{.learning_rate = 0.02}, 8, false);
    CHECK(trained_there.unequal == 0);
    CHECK(trained_there.told.back() < 0.5 * trained_there.told.front());
}

TEST_CASE("several costs on a group", "[parallel_layers_test]") {
    const Dataset both = two_targets();
    const auto train = [&](const auto& where) {
        Trainer trainer("both", TwoCosts{}, Adam{}, minibatches(both, 8));
        std::vector<double> told;
        trainer.on_iteration([&](auto& t) {
            told.push_back(t.loss());
            for (const double part : t.losses()) told.push_back(part);
        });
        trainer.run(where, 2);
        return told;
    };
    const auto here = train(cpu());
    CHECK(here.size() == 2 * 5 * 3);
    CHECK(apart(train(on_gpu::host_group(2)), here) < 10 * tolerance);
    CHECK(apart(train(on_gpu::host_group(3)), here) < 10 * tolerance);  // the last batch is one record
}
