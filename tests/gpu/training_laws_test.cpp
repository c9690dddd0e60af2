// SPDX-License-Identifier: BSL-1.0
// Laws of training on every place: devices, a group of devices, workers and processes.
#include <catch2/catch.hpp>
#include <gpu/parallel.hpp>
#include <sigma/hook/save.hpp>
#include <sigma/trainer/machines/machines.hpp>
#include <support/scratch.hpp>
#include <support/thread_group.hpp>
#include <support/thrown.hpp>

#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>

using namespace trained;

namespace {

struct OnThreads {
    static auto open() { return cpu({.threads = 3}); }
    static constexpr double within = 0;  // bit-identical
};
struct OnDebug {
    static auto open() { return debug(); }
    static constexpr double within = tolerance;
};
struct OnAccelerator {
    static auto open() { return on_gpu::host_device(); }
    static constexpr double within = tolerance;
};
struct OnGroup {
    static auto open() { return on_gpu::host_group(3); }
    static constexpr double within = tolerance;
};

struct OnWorker {
    static auto open() { return workers(1); }
    static constexpr double within = 0;
};
struct OnProcess {
    static auto open() {
        static support::ThreadGroup alone(1);
        return MachineSet{alone.member(0), cpu(1), {}};
    }
    static constexpr double within = tolerance;
};

}  // namespace

// A group of processes cannot be used after an error.
#define SIGMA_DEVICES OnThreads, OnDebug, OnAccelerator, OnGroup, OnWorker
#define SIGMA_PLACES SIGMA_DEVICES, OnProcess

TEMPLATE_TEST_CASE("training law: losses, parameters and states are those of one thread", "[gpu]", SIGMA_PLACES) {
    const auto where = TestType::open();
    for (const bool each : {true, false}) {  // whether a hook reads each loss
        // 70 records in steps of 16, the last of 6; Adam has states
        const trained::Run here = run_on<Plain, Adam>(cpu(), batches_of(), {}, 2, each);
        const trained::Run there = run_on<Plain, Adam>(where, batches_of(), {}, 2, each);
        check_equal(there, here, TestType::within > 0 ? TestType::within : std::numeric_limits<double>::min());
    }
    const trained::Run one = run_on<Plain, Adam>(cpu(), minibatches(points(5), 1), {}, 1);
    check_equal(run_on<Plain, Adam>(where, minibatches(points(5), 1), {}, 1), one);
}

TEMPLATE_TEST_CASE("training law: steps follow each other, in one run or in several", "[gpu]", SIGMA_PLACES) {
    const auto where = TestType::open();
    const auto train = [&](bool pieces) {
        Trainer trainer("small", Plain{}, Adam{}, batches_of());
        if (pieces)
            trainer.on_iteration([](auto& t) {
                if (t.iteration() % 3 == 0) t.stop();  // within epochs
            });
        while (trainer.epoch() < 3) trainer.run(where, 3 - static_cast<std::int64_t>(trainer.epoch()));
        CHECK(trainer.iteration() == 15);
        std::vector<double> all{trainer.loss(), trainer.training_loss()};
        for (const float x : parameters_of(trainer.model())) all.push_back(static_cast<double>(x));
        for (const float x : states_of(trainer.training_step())) all.push_back(static_cast<double>(x));
        return all;
    };
    CHECK(train(true) == train(false));  // bit-identical
}

TEMPLATE_TEST_CASE("training law: what ends a run leaves all that was learned before", "[gpu]", SIGMA_DEVICES) {
    const auto where = TestType::open();
    Trainer trainer("small", Plain{}, GradientDescent{.learning_rate = 0.1}, batches_of());
    trainer.run(where, 1);
    const auto twin_after = [&](std::uint64_t steps) {
        Trainer twin("small", Plain{}, GradientDescent{.learning_rate = 0.1}, batches_of());
        twin.on_iteration([&](auto& t) {
            if (t.iteration() == steps) t.stop();
        });
        twin.run(where, 2);
        return parameters_of(twin.model());
    };
    bool throws = true;
    trainer.on_iteration([&](auto& t) {
        if (throws && t.iteration() == 7) throw std::runtime_error("a callback");
    });
    CHECK_THROWS_AS(trainer.run(where, 1), std::runtime_error);
    CHECK(trainer.iteration() == 7);
    CHECK(parameters_of(trainer.model()) == twin_after(7));
    throws = false;
    trainer.run(where, 1);
    CHECK(parameters_of(trainer.model()) == twin_after(10));

    // After a loss that is not finite, parameters have the values from before the step.
    trainer.model().template parameter<"2-dense.biases">()(0) = std::numeric_limits<float>::infinity();
    const auto before = parameters_of(trainer.model());
    // Even if a hook that saves notices it: the hook is not the cause, and its error option does not continue the run.
    const Scratch folder;
    const int saves = trainer.add(every(1, iteration).then(save(folder / "x.sigma")).on_error(OnError::report));
    CHECK_THROWS_AS(trainer.run(where, 1), NumericError);
    trainer.remove(saves);
    CHECK(trainer.iteration() == 10);
    CHECK(parameters_of(trainer.model()) == before);
    // The run has ended: corrected values stay, and are saved.
    trainer.model().template parameter<"2-dense.biases">()(0) = 0.5f;
    const auto mended = parameters_of(trainer.model());
    CHECK_FALSE(trainer.checkpoint().empty());
    CHECK(parameters_of(trainer.model()) == mended);
    trainer.run(where, 1);
    CHECK(std::isfinite(trainer.loss()));
}

namespace {

constexpr auto weighed = Input(5) + Dense(7, tanh) +
                         Costs(Dense(3) + SoftmaxCE({.smoothing = 0.25}), loss_weight(0.5, Dense(1) + SquaredDiff()));
struct Weighed : Network<weighed> {};

}  // namespace

TEMPLATE_TEST_CASE("training law: hyperparameters that change act from the next step on", "[gpu]", SIGMA_PLACES) {
    const auto where = TestType::open();
    const auto run = [&](const auto& net, const auto& place) {
        Trainer trainer("small", net, Adam{}, minibatches(two_targets(), 8));
        trainer.add(schedule(hyperparameter("*.smoothing"), linear(8, 2), iteration),
                    every(2, iteration).then(multiply(hyperparameter("*.loss_weight"), 1.5)));
        std::vector<double> told;
        trainer.on_iteration([&](auto& t) { told.push_back(t.loss()); });
        trainer.on_epoch([&](auto& t) { CHECK(unequal_tensors(t) == 0); });
        trainer.run(place, 2);
        for (int i = 0; i < trainer.model().network().parameters.size(); ++i)
            for (const float x : detail::dense_elements(parameter_rows(trainer.model(), i)))
                told.push_back(static_cast<double>(x));
        return told;
    };
    const auto wanted = run(Weighed{}, cpu());
    CHECK(apart(run(Weighed{}, where), wanted) <= 10 * TestType::within);
    CHECK(apart(run(network(weighed), where), wanted) < 10 * tolerance);
}

TEMPLATE_TEST_CASE("training law: a model is used on other devices between two runs", "[gpu]", SIGMA_PLACES) {
    const auto where = TestType::open();
    const Device accelerator(on_gpu::host_device()), other(on_gpu::host_device());
    const auto x = Array<float>::from_shape({3, 5});
    const auto run = [&](const auto& between) {
        Trainer trainer("small", Plain{}, Adam{}, batches_of());
        for (int k = 0; k < 3; ++k) {
            trainer.run(where, 1);
            if (k < 2) between(trainer.model());
        }
        return parameters_of(trainer.model());
    };
    const auto wanted = run([](auto&) {});
    CHECK(run([&](auto& model) { model.predict(accelerator, x); }) == wanted);
    CHECK(run([&](auto& model) {
              model.to(other);
              model.predict(x);
              model.to(cpu());
          }) == wanted);
}

TEST_CASE("a run on an accelerator goes on after its model was on another one", "[gpu]") {
    const Device device(on_gpu::host_device()), other(on_gpu::host_device());
    const auto x = Array<float>::from_shape({3, 5});
    const auto run = [&](bool moves) {
        Trainer trainer("small", Plain{}, Adam{}, batches_of());
        for (int k = 0; k < 3; ++k) {
            trainer.run(device, 1);
            if (!moves) continue;
            trainer.model().predict(device, x);  // gives the memory of the parameters back
            trainer.model().to(other);
            trainer.model().to(cpu());
        }
        return parameters_of(trainer.model());
    };
    CHECK(run(true) == run(false));
}

TEST_CASE("workers on several devices are those of the processor", "[gpu]") {
    const auto run = [](const WorkerSet& by) {
        Trainer trainer("small", Plain{}, Adam{}, batches_of());
        std::vector<double> told;
        trainer.on_epoch([&](auto& t) {
            told.push_back(t.training_loss());
            told.push_back(t.evaluate(points(70)).error);
        });
        trainer.run(by, 2);
        for (const float x : parameters_of(trainer.model())) told.push_back(static_cast<double>(x));
        return told;
    };
    const WorkerOptions options{.merge_every = 1};
    CHECK(apart(run(workers({cpu(1), on_gpu::host_device()}, options)), run(workers(2, options))) < 10 * tolerance);
}

TEST_CASE("processes with accelerators have the bits of one with one", "[gpu]") {
    const auto run = [](int ranks, const auto& open) {
        support::ThreadGroup group(ranks);
        std::vector<std::vector<double>> all(static_cast<std::size_t>(ranks));
        const auto thrown = group.run([&](int rank) {
            Trainer trainer("small", Weighed{}, Adam{}, minibatches(two_targets(), 8));
            trainer.add(every(2, iteration).then(multiply(hyperparameter("*.loss_weight"), 1.5)));
            trainer.run(MachineSet{group.member(rank), open(), {}}, 2);
            std::vector<double>& told = all[static_cast<std::size_t>(rank)];
            told.push_back(trainer.training_loss());
            for (const float x : parameters_of(trainer.model())) told.push_back(static_cast<double>(x));
        });
        for (const std::string& text : thrown) CHECK(text == "");
        for (const auto& told : all) CHECK(told == all[0]);
        return all[0];
    };
    const auto there = [] { return on_gpu::host_device(); };
    const auto one = run(1, there);
    CHECK(run(2, there) == one);
    CHECK(apart(one, run(1, [] { return cpu(1); })) < 10 * tolerance);
}
