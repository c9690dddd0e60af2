// SPDX-License-Identifier: BSL-1.0
// A reset of a running, paused or idle trainer, as docs/control.md describes it.
#include <sigma/execution/device_step.hpp>
#include <sigma/hook/words.hpp>
#include <sigma/trainer/trainer.hpp>

#include "support/point_trainer.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <limits>
#include <thread>
#include <vector>

using namespace sigma;
using sigma::test::PointTrainer;

namespace {

std::vector<float> numbers_of(PointTrainer& trainer) {
    std::vector<float> all;
    for (const char* name : {"deep.weights", "deep.biases", "2-dense.weights", "2-dense.biases"})
        for (const float x : trainer.model().parameter(name)) all.push_back(x);
    return all;
}
/// Returns the numbers of an undisturbed trainer after some epochs.
std::vector<float> after(int epochs) {
    PointTrainer trainer;
    if (epochs > 0) trainer.run(cpu(1), epochs);
    return numbers_of(trainer);
}
void wait_for_epoch(const PointTrainer& trainer, std::uint64_t epoch) {
    while (trainer.epoch() < epoch) std::this_thread::yield();
}
constexpr std::int64_t forever = RunOptions::forever;

}  // namespace

TEST_CASE("A run that is reset goes on from the beginning, and trains as many epochs as it was asked for") {
    PointTrainer trainer;
    trainer.run(cpu(1), 3);
    int resets = 0;
    trainer.add(every(1, reset).then([&] { ++resets; }));
    // In its second epoch, the fifth of all.
    bool given = false;
    trainer.on_epoch([&](auto&) {
        if (trainer.epoch() == 5 && !std::exchange(given, true)) trainer.control().reset();
    });
    const History history = trainer.run(cpu(1), 4);
    CHECK(resets == 1);
    CHECK(trainer.epoch() == 4);  // not 7, which it had been before
    CHECK(history.epochs.size() == 4);
    CHECK(trainer.control().ending().how == RunEnding::finished);
    CHECK(numbers_of(trainer) == after(4));
    // The run has begun at the reset.
    trainer.rewind();
    CHECK(trainer.epoch() == 0);
    CHECK(numbers_of(trainer) == after(0));
}

TEST_CASE("A run without end that is reset goes on") {
    PointTrainer trainer;
    for (const std::int64_t epochs : {forever, std::int64_t{1'000'000'000}}) {
        trainer.start(cpu(1), epochs);
        wait_for_epoch(trainer, 20);
        std::uint64_t before = 0, behind = 1;
        trainer.post([&] { before = trainer.epoch(); });
        trainer.reset();
        trainer.post([&] { behind = trainer.epoch(); }).wait();
        CHECK(before >= 20);
        CHECK(behind == 0);
        CHECK(trainer.state() == RunState::running);
        wait_for_epoch(trainer, 10);
        CHECK(trainer.state() == RunState::running);
        trainer.stop().wait();
        CHECK(trainer.control().ending().how == RunEnding::stopped);
        CHECK(trainer.control().ending().reason == "a command");
    }
}

TEST_CASE("A paused run that is reset stays paused, and begins again when it goes on") {
    PointTrainer trainer;
    trainer.start(cpu(1), 1'000'000'000);
    wait_for_epoch(trainer, 5);
    trainer.pause().wait();
    trainer.reset().wait();
    CHECK(trainer.state() == RunState::paused);
    CHECK(trainer.epoch() == 0);
    CHECK(trainer.runtime() == 0);
    CHECK(numbers_of(trainer) == after(0));
    for (int i = 0; i < 4; ++i) trainer.step().wait();  // two epochs
    CHECK(trainer.state() == RunState::paused);
    CHECK(trainer.iteration() == 4);
    CHECK(numbers_of(trainer) == after(2));
    trainer.reset().wait();
    trainer.step().wait();
    CHECK(trainer.iteration() == 1);
    trainer.resume().wait();
    wait_for_epoch(trainer, 5);
    trainer.stop().wait();
    CHECK(trainer.control().ending().how == RunEnding::stopped);
}

TEST_CASE("Workers go on from the beginning too") {
    const auto trained = [](bool disturbed) {
        PointTrainer trainer;
        bool given = !disturbed;
        trainer.on_epoch([&](auto&) {
            if (trainer.epoch() == 3 && !std::exchange(given, true)) trainer.control().reset();
        });
        trainer.run(workers(2), 5);
        CHECK(trainer.epoch() == 5);
        return numbers_of(trainer);
    };
    CHECK(trained(true) == trained(false));
}

TEST_CASE("The action of a hook resets and ends the run, which would come to it again") {
    PointTrainer trainer;
    trainer.add(at(2, epoch).then(reset));
    trainer.run(cpu(1), 5);
    CHECK(trainer.epoch() == 0);
    CHECK(trainer.control().ending().how == RunEnding::stopped);
    CHECK(numbers_of(trainer) == after(0));
}

TEST_CASE("A reset that a run meets at its end is executed then") {
    PointTrainer trainer;
    trainer.on_epoch([&](auto&) {
        if (trainer.epoch() == 2) trainer.control().reset();
    });
    trainer.run(cpu(1), 2);
    CHECK(trainer.epoch() == 0);
    CHECK(trainer.state() == RunState::idle);
    CHECK(numbers_of(trainer) == after(0));
    trainer.run(cpu(1), 1);
    CHECK(numbers_of(trainer) == after(1));
}
