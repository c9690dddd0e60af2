// SPDX-License-Identifier: BSL-1.0
#include <catch2/catch.hpp>
#include <gpu/parallel.hpp>
#include <sigma/data/transform/augmentations.hpp>

#include <type_traits>

using namespace trained;

namespace {

// Parts of a batch are added in another order than the batch: as with one device, some units in the last place a step.
constexpr double tolerance = 2e-5;

struct Run {
    std::vector<double> told;
    std::vector<float> parameters, states;
    int unequal = 0;
};
template <class N, class O, class T = float, class Where>
Run run_on(const Where& where, Minibatches of, O optimizer, std::int64_t epochs, bool each = true) {
    Trainer trainer("small", N{}, optimizer, std::move(of), element<T>);
    Run all;
    if (each) trainer.on_iteration([&](auto& t) { all.told.push_back(t.loss()); });
    trainer.on_epoch([&](auto& t) {
        all.told.push_back(t.error());
        all.unequal += unequal_tensors(t);
    });
    trainer.run(where, epochs);
    for (const auto& x : parameters_of(trainer.model())) all.parameters.push_back(static_cast<float>(x));
    all.states = states_of(trainer.step());
    return all;
}
void check_equal(const Run& a, const Run& b, double within = tolerance) {
    CHECK(a.told.size() == b.told.size());
    CHECK(apart(a.told, b.told) < within);
    CHECK(apart(a.parameters, b.parameters) < 10 * within);
    CHECK(apart(a.states, b.states) < 10 * within);
    CHECK(a.unequal == 0);
}

struct TwoCosts : Network<Input(5) + Dense(6, relu) +
                          Costs(Dense(3) + SoftmaxCE(), importance(0.05, Dense(1) + SquaredDiff({.reduction = Reduction::total})))> {};
struct Normalized : Network<Input(5) + Dense(4) + BatchNorm() + Dense(3) + SoftmaxCE()> {};

}  // namespace

TEST_CASE("a group trains as one device", "[parallel_test]") {
    const auto two = on_gpu::host_group(2), three = on_gpu::host_group(3);
    const auto here = run_on<Plain>(cpu(), batches_of(), Adam{}, 3);
    CHECK(here.told.size() == 3 * 5 + 3);
    check_equal(run_on<Plain>(two, batches_of(), Adam{}, 3), here);
    check_equal(run_on<Plain>(three, batches_of(), Adam{}, 3), here);
    check_equal(run_on<Plain>(two, batches_of(), Adam{}, 3, false), run_on<Plain>(cpu(), batches_of(), Adam{}, 3, false));
    for (std::size_t m = 0; m < 2; ++m) CHECK(on_gpu::host_member(*two, m).counters().replays > 0);
    // Each has its part: of a gathered batch of 16 records every member of three reads 5 or 6.
    check_equal(run_on<Plain, Adam, double>(three, batches_of(), Adam{}, 2), run_on<Plain, Adam, double>(cpu(), batches_of(), Adam{}, 2),
                1e-7);
}

TEST_CASE("gradients are clipped by the norm of their sum over a group", "[parallel_test]") {
    const auto optimizer = clip_gradient_norm(GradientDescent{.learning_rate = 0.5}, 0.1);
    const auto here = run_on<Plain>(cpu(), batches_of(), optimizer, 2);
    CHECK(apart(here.parameters, run_on<Plain>(cpu(), batches_of(), GradientDescent{.learning_rate = 0.5}, 2).parameters) > 0.01);
    check_equal(run_on<Plain>(on_gpu::host_group(2), batches_of(), optimizer, 2), here);
}

TEST_CASE("a batch with fewer records than a group has members", "[parallel_test]") {
    const auto here = run_on<Plain>(cpu(), batches_of(33), Adam{}, 2);  // 16, 16 and 1
    check_equal(run_on<Plain>(on_gpu::host_group(3), batches_of(33), Adam{}, 2), here);
    const auto single = [] { return minibatches(points(9), 1, 5); };
    check_equal(run_on<Plain>(on_gpu::host_group(3), single(), Adam{}, 1), run_on<Plain>(cpu(), single(), Adam{}, 1));
}

TEST_CASE("records that do not stay on a group are copied there", "[parallel_test]") {
    auto of = batches_of(50) >> data::augment(data::section_words::inputs, data::noise(0.1));
    check_equal(run_on<Plain>(on_gpu::host_group(3), of, Adam{}, 2), run_on<Plain>(cpu(), of, Adam{}, 2));
    of.prefetch = 2;
    check_equal(run_on<Plain>(on_gpu::host_group(2), of, Adam{}, 2), run_on<Plain>(cpu(), of, Adam{}, 2));
}

TEST_CASE("each member of a group drops other units, the same in each run", "[parallel_test]") {
    const auto once = run_on<Small>(on_gpu::host_group(2), batches_of(), Adam{}, 2);
    const auto again = run_on<Small>(on_gpu::host_group(2), batches_of(), Adam{}, 2);
    CHECK(once.parameters == again.parameters);
    CHECK(once.unequal == 0);
    CHECK(apart(once.parameters, run_on<Small>(on_gpu::host_accelerator(), batches_of(), Adam{}, 2).parameters) > 1e-3);
    using Steps = detail::ParallelStep<float>;
    CHECK(Steps::seed_of(5, 0) == 5);
    CHECK(Steps::seed_of(5, 1) != 5);
    CHECK(Steps::seed_of(5, 1) != Steps::seed_of(5, 2));
}

TEST_CASE("statistics are averaged over a group", "[parallel_test]") {
    const auto train = [](const auto& where, double rate) {
        Trainer trainer("normalized", Normalized{}, GradientDescent{.learning_rate = rate}, batches_of());
        int unequal = 0;
        trainer.on_epoch([&](auto& t) { unequal += unequal_tensors(t); });
        trainer.run(where, 2);
        CHECK(unequal == 0);
        const auto mean = trainer.model().template parameter<"2-batch_norm.running_mean">();
        return std::vector<float>(mean.begin(), mean.end());
    };
    // Where parameters stay as they are, the mean of the parts' means is the batch's.
    const auto group = on_gpu::host_group(3);
    const auto here = train(cpu(), 0);
    CHECK(apart(here, std::vector<float>(here.size())) > 0.01);
    CHECK(apart(train(group, 0), here) < 1e-5);
    CHECK(apart(train(group, 0.5), here) > 1e-4);
    const auto trained_there = run_on<Normalized>(group, batches_of(210), Adam{.learning_rate = 0.02}, 8, false);
    CHECK(trained_there.unequal == 0);
    CHECK(trained_there.told.back() < 0.5 * trained_there.told.front());
}

TEST_CASE("several costs on a group", "[parallel_test]") {
    NamedNumbers points_of{"points", {{33, 5}, {}}}, kind{"kind", {{33}, {}}}, price{"price", {{33, 1}, {}}};
    const Philox random(8, RandomUse::initialize, 0);
    for (std::size_t i = 0; i < 33; ++i) {
        for (std::size_t k = 0; k < 5; ++k) points_of.numbers.values.push_back(random.uniform<float>(5 * i + k));
        price.numbers.values.push_back(points_of.numbers.values[5 * i] + points_of.numbers.values[5 * i + 1]);
        kind.numbers.values.push_back(static_cast<float>(i % 3));
    }
    const Dataset both({points_of}, {kind, price}, "both", {});
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

TEST_CASE("what a run takes", "[parallel_test]") {
    static_assert(std::is_convertible_v<std::shared_ptr<AcceleratorGroup>, DeviceGroup>);
    static_assert(!std::is_convertible_v<std::shared_ptr<AcceleratorGroup>, Device>);
    static_assert(!std::is_convertible_v<std::shared_ptr<Accelerator>, DeviceGroup>);
    CHECK(DeviceGroup(on_gpu::host_group(2)).name() == "2 x host");
    const DeviceGroup one(Device(cpu(2)));
    CHECK(!one.group());
    CHECK(one.name() == "cpu");
    check_equal(run_on<Plain>(one, batches_of(), Adam{}, 1), run_on<Plain>(cpu(), batches_of(), Adam{}, 1));
}
