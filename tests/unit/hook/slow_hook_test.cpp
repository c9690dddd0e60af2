// SPDX-License-Identifier: BSL-1.0
// Hooks that run in the background from the first slow firing on.
#include <support/hook_trainer.hpp>

#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace sigma;
using namespace sigma::test;
using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

namespace {

/// Remembers the weight of each run. Passes a gate in its runs from the third on.
struct Remembers : Action<Remembers> {
    static constexpr Needs needs = Needs::parameters;
    std::vector<double>* weights;
    std::atomic<int>* runs;
    Gate* gate;
    Remembers(std::vector<double>& weights_, std::atomic<int>& runs_, Gate& gate_)
        : weights(&weights_), runs(&runs_), gate(&gate_) {}
    void run(auto& context) {
        if (weights->size() >= 2) gate->pass();
        weights->push_back(context.model().weight);
        ++*runs;
    }
    static std::string text() { return "remember"; }
};

/// Halves the learning rate and stops the run.
struct Halves : Action<Halves> {
    static void run(auto& context) {
        context.change([](auto& t) { t.optimizer.learning_rate /= 2; });
        context.stop();
    }
    static std::string text() { return "halve"; }
};

}  // namespace

TEST_CASE("The trainer waits for a hook until it is slow, says so, and never waits for it again") {
    HookTrainer trainer;
    std::vector<double> weights;
    std::atomic<int> runs{0};
    Gate gate;
    auto& group = trainer.add(
        every(1, iteration).then(Remembers(weights, runs, gate)).in_background_if_slower(1s, 2).named("memory"));
    for (int i = 1; i <= 2; ++i) {
        trainer.train(1);
        CHECK(runs == i);  // done before the next iteration
    }
    CHECK(trainer.lines().empty());
    trainer.train(1);
    CHECK(runs == 2);
    const Lines moved{"hook 'memory' is not done after 1 s: it runs in the background from now on"};
    CHECK(trainer.lines() == moved);
    trainer.train(3);  // two wait and one is skipped
    CHECK(runs == 2);
    CHECK(group.skipped() == 1);
    gate.open();
    trainer.finish();
    CHECK(weights == std::vector<double>{1, 2, 3, 4, 5});  // of the moment in which the hook fired
    CHECK(trainer.lines() == moved);
}

TEST_CASE("The line names the hook that is slow, not others that share its snapshot") {
    HookTrainer trainer;
    Gate gate;
    trainer.add(every(1, iteration).then(Makes<"a", LossValue>()).in_background_if_slower(10min).named("maker"),
                when(value<"a">.reaches(0)).then([&] { gate.pass(); }).in_background_if_slower(1s).named("reader"));
    trainer.train(1);
    gate.open();
    trainer.finish();
    REQUIRE(trainer.lines().size() == 1);
    CHECK_THAT(trainer.lines()[0], Catch::StartsWith("hook 'reader' is not done after 1 s"));
}

TEST_CASE("The trainer does not wait for a hook that shares a snapshot with one that is always in the background") {
    HookTrainer trainer;
    Gate gate;
    SECTION("shared") {
        trainer.add(every(1, iteration).then(Makes<"a", LossValue>()).in_background_if_slower(10min),
                    when(value<"a">.reaches(0)).then([&] { gate.pass(); }).in_background());
    }
    SECTION("the last option counts") {
        trainer.add(every(1, iteration).then([&] { gate.pass(); }).in_background_if_slower(10min).in_background());
    }
    trainer.train(1);  // would wait for ten minutes
    gate.open();
    trainer.finish();
    CHECK(trainer.lines().empty());
}

TEST_CASE("What a fast hook changes and throws is there at the next iteration") {
    HookTrainer trainer;
    SECTION("changes") {
        trainer.add(at(1, iteration).then(Halves{}).in_background_if_slower(10min));
        trainer.train(1);
        CHECK(trainer.stopped);
        CHECK(trainer.optimizer.learning_rate == 0.1);
        trainer.train(1);
        CHECK(trainer.optimizer.learning_rate == 0.05);
    }
    SECTION("throws") {
        trainer.add(at(1, iteration)
                        .then([] { throw std::runtime_error("no paper"); })
                        .in_background_if_slower(10min)
                        .named("printer"));
        trainer.train(1);
        CHECK_THROWS_WITH(trainer.train(1), "hook 'printer', iteration 1: no paper");
    }
}

TEST_CASE("A hook that is left in the background reports its error and can be removed while it runs") {
    HookTrainer trainer;
    Gate gate;
    SECTION("error at the end of the run") {
        trainer.add(at(1, iteration)
                        .then([&] { gate.pass(), throw std::runtime_error("no paper"); })
                        .in_background_if_slower(1ms)
                        .named("printer"));
        trainer.train(2);
        gate.open();
        CHECK_THROWS_WITH(trainer.finish(), "hook 'printer', iteration 1: no paper");
    }
    SECTION("removal waits for it") {
        bool done = false;
        trainer.add(every(1, iteration)
                        .then([&] { gate.pass(), std::this_thread::sleep_for(20ms), done = true; })
                        .in_background_if_slower(1ms));
        trainer.train(2);
        gate.wait_for_somebody();  // a job that has not begun would be dropped
        gate.open();
        trainer.groups.clear();
        CHECK(done);
    }
}

TEST_CASE("A limit of a slow hook is above 0, and may be as long as a duration can be") {
    CHECK_THROWS_WITH(every(1, epoch).then([] {}).in_background_if_slower(0s),
                      "limit of a hook: expected a time above 0, found 0 s");
    HookTrainer trainer;
    int runs = 0;
    trainer.add(every(1, iteration).then([&] { ++runs; }).in_background_if_slower(std::chrono::hours::max()));
    trainer.train(2);
    CHECK(runs == 2);
    CHECK(trainer.lines().empty());
}
