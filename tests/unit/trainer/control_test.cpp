// SPDX-License-Identifier: BSL-1.0
#include "fake_trainer.hpp"

#include <catch2/catch.hpp>
#include <support/thrown.hpp>

#include <atomic>
#include <optional>
#include <stdexcept>
#include <thread>

using namespace sigma;
using namespace std::chrono_literals;

TEST_CASE("an idle trainer does at once what makes sense, and says what does not") {
    FakeTrainer trainer("digits");
    Control& control = trainer.control();
    CHECK(control.state() == RunState::idle);
    CHECK(error_text<StateError>([&] { control.pause(); }) ==
          "pause of trainer 'digits': expected a running trainer, found an idle one");
    CHECK(error_text<StateError>([&] { control.resume(); }) ==
          "resume of trainer 'digits': expected a running trainer, found an idle one");
    CHECK(error_text<StateError>([&] { control.step(); }) ==
          "step of trainer 'digits': expected a running trainer, found an idle one");
    CHECK(control.stop().done());
    CHECK_FALSE(control.stopping());
    int value = 0;
    CHECK(control
              .post([&] {
                  control.post([&] { ++value; });
                  value *= 10;
              })
              .done());
    CHECK(value == 10);
    CHECK(control.reset().done());
    CHECK(control.rewind().done());
    CHECK(trainer.events == "reset rewind ");
    CHECK_THROWS_AS(control.post([] { throw std::out_of_range("x"); }).wait(), std::out_of_range);
    CHECK(error_text<StateError>([&] { control.post([&] { trainer.run(1); }).wait(); }) ==
          "run of trainer 'digits': expected an idle trainer, found a trainer executing a command");
    CHECK_NOTHROW(control.wait());
    trainer.run(3);
    CHECK(trainer.iteration == 3);
    CHECK(control.state() == RunState::idle);
}

TEST_CASE("a second run is refused") {
    FakeTrainer trainer("digits");
    std::string text;
    trainer.each = [&](FakeTrainer& t) { text = error_text<StateError>([&] { t.run(2); }); };
    trainer.run(1);
    CHECK(text == "run of trainer 'digits': expected an idle trainer, found a running one");
    trainer.each = [](FakeTrainer&) {};
    trainer.start(forever);
    CHECK(error_text<StateError>([&] { trainer.start(1); }) ==
          "run of trainer 'digits': expected an idle trainer, found a running one");
    trainer.control().pause().wait();
    CHECK(error_text<StateError>([&] { trainer.start(1); }) ==
          "run of trainer 'digits': expected an idle trainer, found a paused one");
    trainer.control().stop().wait();
}

TEST_CASE("pause, step and resume move exactly as far as they say") {
    FakeTrainer trainer("digits");
    Control& control = trainer.control();
    trainer.start(forever);
    CHECK(control.state() == RunState::running);
    control.pause().wait();
    CHECK(control.state() == RunState::paused);
    const std::uint64_t here = trainer.iteration;
    const double time = control.runtime();
    std::this_thread::sleep_for(20ms);
    CHECK(trainer.iteration == here);
    CHECK(control.runtime() == time);
    CHECK(time > 0);

    control.step().wait();
    CHECK(trainer.iteration == here + 1);
    CHECK(control.state() == RunState::paused);
    CHECK(control.runtime() > time);
    for (int i = 0; i < 4; ++i) control.step();
    control.step().wait();
    CHECK(trainer.iteration == here + 6);

    int value = 0;
    control.post([&] { value = 7; }).wait();
    CHECK(value == 7);
    CHECK(control.pause().wait_for(10s));  // paused already
    control.reset().wait();
    CHECK(trainer.iteration == 0);
    CHECK(control.state() == RunState::paused);
    control.post([&] { trainer.events.clear(); }).wait();
    control.resume().wait();
    CHECK(control.state() == RunState::running);
    while (trainer.iteration < 10) std::this_thread::yield();
    control.step().wait();  // of a running trainer: one more, then paused
    CHECK(control.state() == RunState::paused);
    const auto stopped = control.stop();
    stopped.wait();
    CHECK(control.state() == RunState::idle);
    CHECK(trainer.events == "resume pause ");
}

TEST_CASE("every change between running and paused is told once, before it is acknowledged") {
    FakeTrainer trainer("digits");
    Control& control = trainer.control();
    trainer.start(forever);
    for (int i = 0; i < 2; ++i) control.pause().wait();
    control.step().wait();
    for (int i = 0; i < 2; ++i) control.resume().wait();
    control.pause().wait();
    control.rewind().wait();
    control.stop().wait();
    CHECK(trainer.events == "pause resume pause resume pause rewind ");
}

TEST_CASE("commands take effect in their order, and stop overtakes") {
    FakeTrainer trainer("digits");
    Control& control = trainer.control();
    std::string order;
    std::optional<Acknowledgement> paused, stepped, resumed, called;
    trainer.each = [&](FakeTrainer& t) {
        if (t.iteration == 3) {
            control.post([&] { order += "a"; });
            control.post([&] { order += "b"; });
            control.step();  // iteration 4, then paused
            control.post([&] { order += t.iteration == 4 ? "c" : "x"; });
            control.resume();
            control.post([&] { order += t.iteration == 4 ? "d" : "x"; });
        }
        if (t.iteration == 6) {
            paused = control.pause();
            stepped = control.step();
            resumed = control.resume();
            CHECK_FALSE(control.stop().done());
            called = control.post([&] { order += "e"; });
        }
    };
    trainer.run(100);
    CHECK(trainer.iteration == 6);
    CHECK(order == "abcde");
    CHECK(trainer.events == "pause resume ");
    CHECK(called->done());
    CHECK_NOTHROW(called->wait());
    CHECK(error_text<StateError>([&] { paused->wait(); }) ==
          "pause of trainer 'digits': expected a running trainer, found an ending run");
    CHECK(error_text<StateError>([&] { stepped->wait_for(1s); }) ==
          "step of trainer 'digits': expected a running trainer, found an ending run");
    CHECK(error_text<StateError>([&] { resumed->wait(); }) ==
          "resume of trainer 'digits': expected a running trainer, found an ending run");
}

TEST_CASE("the thread that trains cannot wait for itself") {
    FakeTrainer trainer("digits");
    Control& control = trainer.control();
    const std::string expected =
        "wait for trainer 'digits': expected a thread other than the training thread, found the "
        "training thread, which would wait for itself";
    std::vector<std::string> found;
    std::optional<Acknowledgement> stop_;
    trainer.each = [&](FakeTrainer&) {
        const auto call = control.post([] {});
        CHECK(control.on_training_thread());
        found.push_back(error_text<StateError>([&] { call.wait(); }));
        found.push_back(error_text<StateError>([&] { call.wait_for(1h); }));
        found.push_back(error_text<StateError>([&] { control.wait(); }));
        stop_ = control.stop();
        found.push_back(error_text<StateError>([&] { stop_->wait(); }));
    };
    trainer.run(10);
    CHECK(found == std::vector<std::string>(4, expected));
    CHECK(trainer.iteration == 1);
    CHECK_NOTHROW(stop_->wait());
    CHECK_FALSE(control.on_training_thread());
}

TEST_CASE("what a hook of a pause does takes effect within it") {
    FakeTrainer trainer("digits");
    Control& control = trainer.control();
    trainer.heard = [&](detail::ControlEvent event) {
        if (event == detail::ControlEvent::pause) control.resume();
    };
    trainer.each = [&](FakeTrainer& t) {
        if (t.iteration == 2) control.pause();
    };
    trainer.run(4);
    CHECK(trainer.iteration == 4);
    CHECK(trainer.events == "pause resume ");
}

TEST_CASE("a function that gives itself again is called once at each boundary") {
    FakeTrainer trainer("digits");
    Control& control = trainer.control();
    int calls = 0;
    std::optional<Acknowledgement> last;
    std::function<void()> again = [&] {
        ++calls;
        last = control.post(again);
    };
    trainer.each = [&](FakeTrainer& t) {
        if (t.iteration == 1) control.post(again);
    };
    trainer.run(5);
    CHECK(calls == 6);  // the last time at the end of the run, where it is refused
    CHECK(error_text<StateError>([&] { last->wait(); }) ==
          "command of trainer 'digits': expected a running trainer, found an ending run");
}

TEST_CASE("what functions throw is in the acknowledgement, what the handler throws ends the run too") {
    FakeTrainer trainer("digits");
    Control& control = trainer.control();
    trainer.start(forever);
    CHECK_THROWS_AS(control.post([] { throw std::out_of_range("x"); }).wait(), std::out_of_range);
    CHECK(control.state() == RunState::running);
    control.post([&] { trainer.heard = [](detail::ControlEvent) { throw std::length_error("hook"); }; }).wait();
    CHECK_THROWS_AS(control.pause().wait(), std::length_error);
    CHECK_THROWS_AS(control.wait(), std::length_error);
    CHECK_THROWS_AS(control.wait(), std::length_error);
    CHECK(control.state() == RunState::idle);
    trainer.iteration = 0;
    trainer.start(3);
    CHECK_NOTHROW(control.wait());
    CHECK_THROWS_AS(control.reset().wait(), std::length_error);
}

TEST_CASE("a run says how it has ended, and why") {
    FakeTrainer trainer("digits");
    Control& control = trainer.control();
    const auto ended = [&] {
        const RunEnding ending = control.ending();
        return sentence(ending_text(ending.how), ending.reason.empty() ? "" : ": ", ending.reason);
    };
    CHECK(ended() == "none");
    trainer.run(3);
    CHECK(ended() == "finished");
    trainer.start(forever);
    CHECK(ended() == "none");
    control.stop().wait();
    CHECK(ended() == "stopped: a command");
    trainer.start(forever);
    control.stop("a person");
    control.stop().wait();  // the first one did it
    CHECK(ended() == "stopped: a person");
    trainer.each = [](FakeTrainer& t) { t.control().stop(); };
    trainer.iteration = 0;
    trainer.run(forever);
    CHECK(ended() == "stopped: a hook");
    trainer.each = [](FakeTrainer&) { throw std::range_error("NaN"); };
    CHECK_THROWS(trainer.run(forever));
    CHECK(ended() == "failed: NaN");
    control.rewind().wait();  // it is as before that run
    CHECK(ended() == "none");
    Remote kept = control;
    {
        FakeTrainer gone("gone");
        kept = gone.control();
        gone.start(forever);
    }
    CHECK(kept.ending().reason == "its destruction");
}

TEST_CASE("a body that throws ends its run") {
    FakeTrainer trainer("digits");
    trainer.each = [](FakeTrainer& t) {
        if (t.iteration == 3) throw std::range_error("NaN");
    };
    CHECK_THROWS_AS(trainer.run(10), std::range_error);
    CHECK(trainer.control().state() == RunState::idle);
    CHECK_NOTHROW(trainer.control().wait());
    CHECK(trainer.control().failure() == "NaN");
    trainer.iteration = 4;
    trainer.run(5);
    CHECK(trainer.control().failure().empty());
    trainer.iteration = 0;
    trainer.start(10);
    CHECK_THROWS_AS(trainer.control().wait(), std::range_error);
    CHECK(trainer.control().failure() == "NaN");
    CHECK(trainer.iteration == 3);

    SECTION("and a step that was its last") {
        trainer.iteration = 0;
        std::optional<Acknowledgement> stepped;
        trainer.each = [&](FakeTrainer& t) {
            if (t.iteration == 1) stepped = t.control().step();
            if (t.iteration == 2) throw std::range_error("NaN");
        };
        CHECK_THROWS_AS(trainer.run(10), std::range_error);
        CHECK_THROWS_AS(stepped->wait(), std::range_error);
    }
}

TEST_CASE("destruction ends a run, paused or not, and what is left of the trainer says so") {
    std::optional<Remote> remote;
    std::optional<Acknowledgement> call;
    const bool paused = GENERATE(false, true);
    bool called = false;
    {
        FakeTrainer trainer("digits");
        trainer.start(forever);
        remote = trainer.control();
        if (paused) remote->pause().wait();
        call = remote->post([&] { called = true; });
    }
    CHECK(called);
    CHECK_NOTHROW(call->wait());
    CHECK(remote->closed());
    CHECK(remote->state() == RunState::idle);
    CHECK(remote->stop().done());
    CHECK_NOTHROW(remote->wait());
    CHECK(error_text<StateError>([&] { remote->reset(); }) ==
          "reset of trainer 'digits': expected a trainer, found one that was destroyed");
}

TEST_CASE("what the handler holds goes with the trainer") {
    const auto held = std::make_shared<int>(1);
    std::optional<Remote> remote;
    {
        Control control("digits", [held](detail::ControlEvent) {});
        remote = control;
        CHECK(held.use_count() == 2);
    }
    CHECK(held.use_count() == 1);
}

TEST_CASE("all commands from many threads at once") {
    FakeTrainer trainer("stress");
    Control& control = trainer.control();
    std::uint64_t plain = 0, in_iteration = 0;  // no atomics: only the thread that trains may touch them
    trainer.each = [&](FakeTrainer& t) {
        ++in_iteration;
        if (t.iteration % 64 == 0) control.post([&] { ++plain; });
    };
    std::atomic<std::uint64_t> posted{0}, acknowledged{0}, refused{0};
    std::atomic<bool> over{false};
    std::vector<std::thread> others;
    for (unsigned i = 0; i < 4; ++i)
        others.emplace_back([&, i] {
            unsigned random = i + 1;
            while (!over) {
                random = random * 1664525u + 1013904223u;
                try {
                    switch (random >> 28) {
                        case 0: control.pause().wait(); break;
                        case 1: control.resume(); break;
                        case 2: control.step(); break;
                        case 3: control.reset().wait(); break;
                        case 4: control.rewind(); break;
                        case 5: trainer.start(500); break;
                        case 6: control.stop().wait(); break;
                        case 7: (void)control.state(), (void)control.closed(); break;
                        default: ++posted; control.post([&] { ++plain, ++acknowledged; }).wait_for(50ms);
                    }
                } catch (const StateError&) { ++refused; }
                (void)control.runtime();
            }
        });
    std::this_thread::sleep_for(1s);
    over = true;
    std::thread freer([&] {  // whoever waits for a resume gets one
        while (over) {
            control.stop();
            std::this_thread::sleep_for(1ms);
        }
    });
    for (std::thread& other : others) other.join();
    over = false;
    freer.join();
    control.stop().wait();
    control.post([] {}).wait();
    CHECK(acknowledged == posted);
    CHECK(plain >= acknowledged);
    CHECK(in_iteration > 0);
    CHECK(control.state() == RunState::idle);
}
