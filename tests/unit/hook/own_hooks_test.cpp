// SPDX-License-Identifier: BSL-1.0
#include <support/hook_trainer.hpp>

#include <catch2/catch.hpp>

#include <chrono>

using namespace sigma;
using sigma::test::HookTrainer;

// What docs/hooks.md shows.

// [action]
/// Prints a line when its hook fires for the n-th, 2n-th, … time.
struct Bell : Action<Bell> {
    int n, fired = 0;

    explicit Bell(int n_) : n(n_) {}
    void run(auto& context) {
        if (++fired % n == 0) context.print("ding");
    }
    void restart(auto&) { fired = 0; }      // what it remembers goes with a reset of the trainer
    void archive(Archive& a) { a(fired); }  // and into checkpoints
    static std::string text() { return "bell"; }
};
// [action]

// [computes]
/// Computes `value<"gap">`: how far the loss is above a target.
struct Gap : Action<Gap> {
    using Reads = Types<LossValue>;
    using Writes = Types<Computed<"gap">>;
    double target;
    LossValue value{};

    explicit Gap(double target_) : target(target_) {}
    void visit_values(auto f) { f(value); }  // a snapshot for the background holds these
    void run(auto& context) { context.template publish<Computed<"gap">>(context.get(value) - target); }
    static std::string text() { return "gap"; }
};
// [computes]

// [value]
/// Seconds that an iteration takes, new each epoch.
struct StepTime : LiveValue<StepTime> {
    static constexpr Text name = "step_time";
    static constexpr Moment moment = Moment::epoch;
    static double read(const auto& trainer) { return trainer.runtime() / static_cast<double>(trainer.iteration()); }
};
inline constexpr StepTime step_time{};
// [value]

TEST_CASE("Actions of one's own") {
    HookTrainer trainer;
    auto& group = trainer.add(every(1, iteration).then(Bell(2)));
    trainer.train(5);
    CHECK(trainer.lines().size() == 2);
    Archive out;
    group.archive(out);
    trainer.groups.clear();
    auto& next = trainer.add(every(1, iteration).then(Bell(2)));
    Archive in(out.words(), out.blobs());
    next.archive(in);
    trainer.train(1);
    CHECK(trainer.lines().size() == 3);
}

TEST_CASE("Values of one's own") {
    HookTrainer trainer;
    int gaps = 0, quick = 0;
    // [own]
    trainer.add(every(1, iteration).then(Gap(3)), when(value<"gap">.reaches(0)).then([&] { ++gaps; }),
                when(step_time.falls_below(0.1)).then([&] { ++quick; }));
    // [own]
    trainer.train(7);
    CHECK(gaps == 1);
    CHECK(quick == 1);
}

TEST_CASE("Manners of hooks") {
    HookTrainer trainer;
    int fired = 0;
    using namespace std::chrono_literals;
    // [manners]
    trainer.add(
        every(1, epoch).then([&] { ++fired; }).in_background(2).limit(10s).named("counter").on_error(OnError::report),
        every(1, epoch).then([](auto& t) { t.optimizer.learning_rate *= 0.9; }).priority<-1>());
    // [manners]
    trainer.train(4);
    trainer.finish();
    CHECK(fired == 2);
}
