// SPDX-License-Identifier: BSL-1.0
#include <sigma/hook/save.hpp>
#include <sigma/hook/time_step.hpp>
#include <sigma/hook/words.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/trainer/trainer.hpp>

#include <catch2/catch.hpp>

#include <chrono>
#include <thread>

using namespace sigma;
using namespace std::chrono_literals;

namespace {

struct Tiny : Network<Input(2) + Dense(2) + SoftmaxCE()> {};
using TinyTrainer = Trainer<Tiny, GradientDescent>;
using Lines = std::vector<std::string>;

Dataset points() {
    Numbers x{{40, 2}, {}}, y{{40}, {}};
    for (int i = 0; i < 40; ++i) {
        x.values.push_back(static_cast<float>(i % 7));
        x.values.push_back(static_cast<float>(i % 3));
        y.values.push_back(static_cast<float>(i % 2));
    }
    return {x, y, "points"};
}
struct Trained {
    TinyTrainer trainer{"tiny", Tiny{}, GradientDescent{.learning_rate = 0.01}, minibatches(points(), 10)};
    Trained() {
        trainer.output = [](std::string_view) {};
    }
};
double seconds_of(auto f) {
    const auto began = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

}  // namespace

TEST_CASE("MomentSet come in order, and their counts say how often") {
    Trained t;
    Lines seen;
    const auto note = [&](const char* word, Moment m) {
        return [&seen, word, m](auto& trainer) {
            seen.push_back(
                sentence(word, " ", trainer.counts()[m], " (", trainer.iteration(), ", ", trainer.epoch(), ")"));
        };
    };
    t.trainer.add(at(start).then(note("start", Moment::start)), at(stop).then(note("stop", Moment::stop)),
                  every(3, iteration).then(note("iteration", Moment::iteration)),
                  every(1, epoch).then(note("epoch", Moment::epoch)), at(hold).then(note("pause", Moment::pause)),
                  at(resume).then(note("resume", Moment::resume)), at(reset).then(note("reset", Moment::reset)));
    t.trainer.run(cpu(), 1);
    CHECK(seen == Lines{"start 1 (0, 0)", "iteration 3 (3, 0)", "epoch 1 (4, 1)", "stop 1 (4, 1)"});
    seen.clear();
    t.trainer.add(at(6, iteration).then(hold), at(hold).then([&](auto& trainer) { trainer.resume(); }),
                  at(7, iteration).then(stop));
    t.trainer.run(cpu(), 5);
    CHECK(seen == Lines{"start 2 (4, 1)", "iteration 6 (6, 1)", "pause 1 (6, 1)", "resume 1 (6, 1)", "stop 2 (7, 1)"});
    seen.clear();
    t.trainer.reset().wait();
    CHECK(seen == Lines{"reset 1 (0, 0)"});
}

TEST_CASE("A run that is stopped within an epoch has no epoch; one that is stopped at its end has") {
    Trained t;
    int epochs = 0;
    t.trainer.add(every(1, epoch).then([&] { ++epochs; }), (at(6, iteration) || at(12, iteration)).then(stop));
    t.trainer.run(cpu(), 9);
    CHECK(t.trainer.iteration() == 6);
    CHECK(epochs == 1);
    t.trainer.run(cpu(), 9);
    CHECK(t.trainer.iteration() == 12);
    CHECK(epochs == 3);
}

TEST_CASE("Hooks may add and remove hooks, from the next moment on") {
    Trained t;
    Lines seen;
    int number = 0;
    t.trainer.add(at(2, iteration).then([&](auto& trainer) {
        number = trainer.add(
            every(1, iteration).then([&](auto& tr) { seen.push_back(sentence("added ", tr.iteration())); }));
    }),
                  at(4, iteration).then([&](auto& trainer) { trainer.remove(number); }));
    t.trainer.run(cpu(), 2);
    CHECK(seen == Lines{"added 3", "added 4"});
    CHECK_THROWS_AS(t.trainer.remove(number), ArgumentError);
}

TEST_CASE("Toggles reach a training run from another thread") {
    Trained t;
    const Toggle enough;
    t.trainer.add(when(enough).then(stop),
                  at(10, iteration).then([&] { std::thread([&] { enough.pulse(); }).join(); }));
    t.trainer.run(cpu());
    CHECK(t.trainer.iteration() >= 10);
    CHECK(t.trainer.iteration() <= 11);
}

TEST_CASE("A hook in the background can stop a run") {
    Trained t;
    t.trainer.add(when(iteration.reaches(50)).then(stop).in_background());
    t.trainer.run(cpu());
    CHECK(t.trainer.iteration() >= 50);
    CHECK(t.trainer.state() == RunState::idle);
}

TEST_CASE("A failure in the background ends the run, and the next run goes on") {
    Trained t;
    t.trainer.add(at(3, iteration).then([] { throw std::runtime_error("no paper"); }).in_background().named("printer"));
    CHECK_THROWS_WITH(t.trainer.run(cpu(), 1000), "hook 'printer', iteration 3: no paper");
    CHECK_NOTHROW(t.trainer.run(cpu(), 1));
    Trained other;  // also when it is found only at the end, and by who waits
    other.trainer.add(at(stop).then([] { throw std::runtime_error("no paper"); }).in_background().named("printer"));
    other.trainer.start(cpu(), 1);
    CHECK_THROWS_AS(other.trainer.wait(), HookError);
}

TEST_CASE("What hooks leave to be done when all are through fails by their name, and as they say") {
    const auto add = [](auto& trainer, auto action, OnError what) {
        return trainer.add(every(2, epoch).then(action).named("keep").on_error(what));
    };
    Trained t;
    std::vector<std::string> lines;
    t.trainer.output = [&](std::string_view line) { lines.emplace_back(line); };
    const int number = add(t.trainer, save("nowhere/x.sigma"), OnError::report);
    t.trainer.run(cpu(), 5);
    CHECK(t.trainer.epoch() == 5);
    REQUIRE(lines.size() == 2);
    CHECK(lines[0].starts_with("hook 'keep', iteration "));
    CHECK(lines[0].find("nowhere/x.sigma") != std::string::npos);
    t.trainer.remove(number);
    add(t.trainer, restore("none.sigma"), OnError::stop);
    try {
        t.trainer.run(cpu(), 5);
        FAIL("it went on");
    } catch (const HookError& e) {
        CHECK(e.hook == "keep");
        CHECK_THROWS_AS(std::rethrow_if_nested(e), Error);
    }
    CHECK(t.trainer.epoch() == 7);
}

TEST_CASE("A hook in the background is told not to wait for the run that waits for it") {
    Trained t;
    std::atomic<int> refused{0};
    const auto command = [&](auto f) {
        try {
            f();
        } catch (const StateError&) { ++refused; }
    };
    t.trainer.add(at(stop)
                      .then([&] {
                          command([&] { t.trainer.freeze("*"); });
                          command([&] { (void)t.trainer.checkpoint(); });
                          command([&] { t.trainer.load("none.sigma"); });
                          command([&] { t.trainer.add(every(1, epoch).then([] {})); });
                      })
                      .in_background());
    t.trainer.run(cpu(), 2);
    CHECK(refused == 4);
}

TEST_CASE("A trainer may end while its hooks work and command it") {
    for (int i = 0; i < 20; ++i) {
        Trained t;
        const Remote remote = t.trainer.control();
        t.trainer.add(every(1, iteration)
                          .then([&, remote] {
                              std::this_thread::sleep_for(2ms);
                              remote.post([&trainer = t.trainer] { trainer.optimizer.learning_rate = 0.02; });
                              remote.stop();
                          })
                          .in_background(1));
        t.trainer.start(cpu());
        std::this_thread::sleep_for(1ms * (i % 4));
    }
    SUCCEED();
}

TEST_CASE("A slow hook in the background takes no time of the training") {
    const auto time = [](bool with_hook) {
        Trained t;
        if (with_hook)
            t.trainer.add(every(1, iteration).then([] { std::this_thread::sleep_for(20ms); }).in_background());
        return seconds_of([&] { t.trainer.run(cpu(), 50); });
    };
    const double without = time(false), with = time(true);
    CAPTURE(without, with);
    CHECK(with < without + 1);  // 200 iterations, which would wait 4 s
}
