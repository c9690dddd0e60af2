// SPDX-License-Identifier: BSL-1.0
// Runs that continue from a checkpoint of a recorded run, as runs of their own. The board's thread is quiet: the test
// makes the turns.
#include <sigma/hook/words.hpp>
#include <sigma/sigma.hpp>

#include "board.hpp"
#include "run_library.hpp"
#include "support/point_trainer.hpp"
#include "support/scratch.hpp"
#include "support/thrown.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace sigma;
using namespace sigma::test;
using monitor::Board;
using monitor::Json;

/// A trainer that writes a checkpoint every five steps, of two an epoch: within an epoch and at its end.
struct SavingTrainer : PointTrainer {
    explicit SavingTrainer(const Scratch& scratch, std::uint64_t seed = 5) : PointTrainer("points", seed) {
        add(every(5, sigma::iteration).then(sigma::save(file(scratch / "points-", sigma::iteration, ".sigma"))));
    }
    std::vector<std::uint8_t> parameters(const Scratch& scratch) {
        save_parameters(scratch / "parameters");
        std::ifstream in(scratch / "parameters", std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
};

/// The bytes of all files in a folder.
std::map<std::string, std::string> contents(const std::string& folder) {
    std::map<std::string, std::string> result;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (!entry.is_regular_file()) continue;
        std::ifstream in(entry.path(), std::ios::binary);
        result[entry.path().string()] = {std::istreambuf_iterator<char>(in), {}};
    }
    return result;
}

/// A quiet board of runs that watches a trainer.
struct WatchingBoard : Board {
    WatchingBoard(const Scratch& scratch, auto& trainer) : Board({.runs = scratch / "runs"}) {
        quiet();
        enter(monitor::watch(trainer));
        turn();
    }
};

/// Records a run of six epochs, with checkpoints at 5 and 10, and returns the name of its folder.
std::string record(const Scratch& scratch, SavingTrainer& trainer) {
    WatchingBoard board(scratch, trainer);
    trainer.run(cpu(), 6);
    return std::filesystem::path(board.run_folder()).filename().string();
}

TEST_CASE("A fork continues bit-identically as a new run with its parent, whose files stay") {
    const Scratch scratch;
    SavingTrainer uninterrupted(scratch);
    const std::string parent = record(scratch, uninterrupted);
    const auto before = contents(scratch / "runs");
    std::string child;
    {
        SavingTrainer trainer(scratch, 77);  // the seed is that of the checkpoint, too
        WatchingBoard board(scratch, trainer);
        board.fork("points", parent, 5).wait();
        board.turn();
        CHECK(trainer.iteration() == 5);
        CHECK(trainer.epoch() == 2);
        CHECK(board.state()["trainers"][0]["parent"]["run"] == parent);
        trainer.run(cpu(), 4);
        CHECK(trainer.iteration() == 12);
        CHECK(trainer.parameters(scratch) == uninterrupted.parameters(scratch));
        child = std::filesystem::path(board.run_folder()).filename().string();
    }
    auto after = contents(scratch / "runs");
    std::erase_if(after, [&](const auto& file) { return file.first.find(child) != file.first.npos; });
    CHECK(after == before);
    CHECK(monitor::runs_in(scratch / "runs").size() ==
          2);  // the folder before the fork had no run, and became the child

    const monitor::KeptRun kept = monitor::read_run(scratch / "runs" + "/" + child);
    const monitor::KeptRun old = monitor::read_run(scratch / "runs" + "/" + parent);
    REQUIRE(kept.parents.contains("points"));
    CHECK(kept.parents.at("points").run == parent);
    CHECK(kept.parents.at("points").iteration == 5);
    CHECK(kept.parents.at("points").seconds > 0);
    CHECK(old.parents.empty());
    CHECK(kept.status.at("points").state == "finished");
    // Its numbers begin after the fork, and are those of the uninterrupted run.
    const auto losses = [](const monitor::KeptRun& run, double from) {
        std::vector<double> result;
        run.trainers.at("points").at("loss").visit([](const auto&) {},
                                                   [&](const monitor::Point& point) {
                                                       if (point.x >= from) result.push_back(point.y);
                                                   });
        return result;
    };
    CHECK(losses(kept, 0).size() == 7);
    CHECK(losses(kept, 0) == losses(old, 6));
    CHECK(kept.trainers.at("points").contains("optimizer.learning_rate"));  // has not changed since its parent
}

TEST_CASE("Checkpoints that the program saves are marked, each file once") {
    const Scratch scratch;
    SavingTrainer trainer(scratch);
    WatchingBoard board(scratch, trainer);
    trainer.run(cpu(), 3);
    for (int i = 0; i < 2; ++i) {
        trainer.save(board.run_folder() + "/mine.sigma");
        board.turn();
        trainer.run(cpu(), 1);
    }
    board.command("points", "save", "by-user.sigma", "192.0.2.7");
    board.turn();
    std::vector<std::string> found;
    for (const Json& mark : board.marks())
        found.push_back(sentence(mark["name"].get<std::string>(), " ", mark["iteration"].get<int>(), " ",
                                 mark["client"].get<std::string>()));
    std::ranges::sort(found);
    std::vector<std::string> wanted{sentence(scratch / "points-5.sigma", " 5 "),
                                    sentence(scratch / "points-10.sigma", " 10 "), "mine.sigma 8 ",
                                    "by-user.sigma 10 192.0.2.7"};
    std::ranges::sort(wanted);
    CHECK(found == wanted);
    // The present run is forked at a file that has just been saved.
    board.fork("points", "", 8).wait();
    CHECK(trainer.iteration() == 8);
    // A number that has not changed since is in the new record, also if the trainer does not go back.
    trainer.run(cpu(), 1);
    trainer.save(board.run_folder() + "/here.sigma");
    board.fork("points", "", trainer.iteration()).wait();
    board.turn();
    CHECK(board.history("points", "optimizer.learning_rate", 0, 100, 100)["x"].empty());
    trainer.run(cpu(), 1);
    board.turn();
    CHECK(board.history("points", "optimizer.learning_rate", 0, 100, 100)["x"].size() == 1);
}

TEST_CASE("A running trainer is forked between two steps, and both records have their own points") {
    const Scratch scratch;
    SavingTrainer trainer(scratch);
    std::string parent, child;
    double stopped = 0;
    std::atomic<std::uint64_t> steps = 0, forked_at = 0;
    {
        WatchingBoard board(scratch, trainer);
        parent = board.run_folder();
        trainer.on_load([&](auto&, const std::string&) { forked_at = steps.load(); });
        trainer.on_iteration([&](auto&) {
            ++steps;  // some of them while the fork reads its files
            std::this_thread::sleep_for(std::chrono::microseconds(20));
        });
        trainer.start({.epochs = RunOptions::forever, .device = cpu()});
        while (steps < 12) std::this_thread::yield();
        board.turn();
        const Json answer = board.command_fork("points", "", 10, "192.0.2.7");
        CHECK(answer["status"] != "refused");
        for (int i = 0; i < 5000 && board.command(answer["id"].get<std::uint64_t>())["status"] == "pending"; ++i) {
            board.turn();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        board.turn();
        child = board.run_folder();
        CHECK(child != parent);
        CHECK(board.state()["trainers"][0]["parent"]["iteration"] == 10);
        trainer.stop();
        trainer.wait();
        board.turn();
        const Json history = board.history("points", "loss", 0, 1e9, 1000);
        CHECK(history["x"][0] == 11);
        stopped = history["x"].back().get<double>();
    }
    const monitor::KeptRun old = monitor::read_run(parent), kept = monitor::read_run(child);
    CHECK(old.status.at("points").state == "stopped");
    CHECK(old.status.at("points").reason ==
          sentence("a new run continued from iteration 10 of ", std::filesystem::path(parent).filename().string()));
    CHECK(forked_at >= 12);
    CHECK(old.trainers.at("points").at("loss").last().x == static_cast<double>(forked_at));
    CHECK(kept.trainers.at("points").at("loss").points() == static_cast<std::uint64_t>(stopped - 10));
    CHECK(kept.status.at("points").state == "stopped");
}

TEST_CASE("Steps and checkpoints until the load belong to the old record") {
    const Scratch scratch;
    SavingTrainer trainer(scratch);
    std::string parent, child;
    {
        Board board({.runs = scratch / "runs"});
        board.quiet();
        monitor::Watched watched = monitor::watch(trainer);
        watched.load = [&, load = watched.load](std::string file, std::function<void()> loaded) {
            trainer.run(cpu(), 1);  // after the last turn of the board
            trainer.save(scratch / "late.sigma");
            return load(std::move(file), std::move(loaded));
        };
        board.enter(std::move(watched));
        board.turn();
        trainer.run(cpu(), 3);
        parent = board.run_folder();
        board.fork("points", "", 5).wait();
        board.turn();
        trainer.run(cpu(), 1);
        child = board.run_folder();
    }
    const monitor::KeptRun old = monitor::read_run(parent), kept = monitor::read_run(child);
    CHECK(old.trainers.at("points").at("loss").last().x == 8);
    CHECK(old.marks.at("points").back().name == scratch / "late.sigma");
    CHECK(kept.trainers.at("points").at("loss").points() == 1);
    CHECK_FALSE(kept.marks.contains("points"));
}

TEST_CASE("Without a folder of runs, checkpoints are marked by their paths") {
    const Scratch scratch;
    SavingTrainer trainer(scratch);
    Board board{{}};
    board.quiet();
    board.enter(monitor::watch(trainer));
    trainer.run(cpu(), 1);
    trainer.save(scratch / "mine.sigma");
    board.turn();
    const Json marks = board.marks();
    REQUIRE(marks.size() == 1);
    CHECK(marks[0]["name"] == scratch / "mine.sigma");
    CHECK(board.history("points", "loss", 0, 100, 100)["x"].size() > 0);
}

TEST_CASE("A fork removes an unused record, but no file of the program") {
    const Scratch scratch;
    SavingTrainer trainer(scratch);
    const std::string parent = record(scratch, trainer);
    WatchingBoard board(scratch, trainer);
    const std::string unused = board.run_folder();
    std::ofstream(unused + "/mine.txt") << "kept";
    board.fork("points", parent, 5).wait();
    board.turn();
    CHECK(board.run_folder() != unused);
    CHECK(contents(unused).size() == 1);
    board.fork("points", parent, 10).wait();
    board.turn();
    CHECK(monitor::runs_in(scratch / "runs").size() == 2);  // the record between the forks was removed as well
}

TEST_CASE("The record after a fork has the numbers of other trainers, too") {
    const Scratch scratch;
    SavingTrainer forked(scratch);
    PointTrainer other("others", 7);
    std::string child;
    {
        Board board({.runs = scratch / "runs"});
        board.quiet();
        board.enter(monitor::watch(forked));
        board.enter(monitor::watch(other));
        board.turn();
        forked.run(cpu(), 3);
        other.run(cpu(), 1);
        board.turn();
        board.fork("points", "", 5).wait();
        forked.run(cpu(), 1);
        board.turn();
        child = board.run_folder();
    }
    const monitor::KeptRun kept = monitor::read_run(child);
    CHECK(kept.trainers.at("others").at("optimizer.learning_rate").last().y == 0.125);
    CHECK_FALSE(kept.trainers.at("others").contains("loss"));
    CHECK(kept.parents.size() == 1);
}

TEST_CASE("A hook must not wait for a fork of its trainer") {
    const Scratch scratch;
    SavingTrainer recorded(scratch), trainer(scratch);
    const std::string parent = record(scratch, recorded);
    WatchingBoard board(scratch, trainer);
    const auto fork = [&] { return error_text<StateError>([&] { board.fork("points", parent, 5).wait(); }); };
    std::string here, behind;
    trainer.add(at(1, epoch).then([&] { here = fork(); }), at(1, epoch).then([&] { behind = fork(); }).in_background());
    trainer.run(cpu(), 1);
    CHECK(here ==
          "fork of trainer 'points': expected a call from another thread, or between two runs, found a call by a hook");
    CHECK(behind == here);
}

TEST_CASE("A fork that is impossible changes nothing, and its error names what exists") {
    const Scratch scratch;
    SavingTrainer trainer(scratch);
    const std::string parent = record(scratch, trainer);
    WatchingBoard board(scratch, trainer);
    const auto error = [&](const std::string& name, const std::string& run, std::uint64_t at) {
        return error_text<ArgumentError>([&] { board.fork(name, run, at).wait(); });
    };
    CHECK(error("points", parent, 7) ==
          sentence("fork of trainer 'points': expected an iteration with a checkpoint in the run '", parent,
                   "', which has 5, 10, found iteration 7"));
    CHECK(error("points", "no-run", 5) ==
          sentence("fork of trainer 'points': expected a run in the folder '", scratch / "runs", "', found 'no-run'"));
    CHECK(error("points", "../runs/" + parent, 5).find("expected a run in the folder") != std::string::npos);
    CHECK(error("lines", parent, 5) == "fork: expected the name of a trainer of this monitor, found 'lines'");
    std::filesystem::create_directory_symlink(scratch / "runs" + "/" + parent, scratch / "runs" + "/link");
    CHECK(error("points", "link", 5).find("found 'link'") != std::string::npos);
    // A file that has been replaced counts where it was saved last.
    std::filesystem::copy_file(scratch / "points-5.sigma", scratch / "points-10.sigma",
                               std::filesystem::copy_options::overwrite_existing);
    CHECK(error("points", parent, 10).find("which has 5, found iteration 10") != std::string::npos);
    std::filesystem::remove(scratch / "points-5.sigma");
    std::filesystem::remove(scratch / "points-10.sigma");
    CHECK(error("points", parent, 5).find("which has none that exists") != std::string::npos);
    CHECK(trainer.iteration() == 12);
    CHECK_FALSE(board.state()["trainers"][0].contains("parent"));

    Board without{{}};
    without.quiet();
    SavingTrainer other(scratch);
    without.enter(monitor::watch(other));
    CHECK_THROWS_AS(without.fork("points", parent, 5), StateError);
}

struct Narrow : Network<Input(3) + named("deep", Dense(4, tanh)) + Dense(2) + SoftmaxCE()> {};

TEST_CASE("A checkpoint of another network is refused, and the trainer keeps its record") {
    const Scratch scratch;
    SavingTrainer wide(scratch);
    const std::string parent = record(scratch, wide);
    Trainer trainer("points", Narrow{}, Adam{}, minibatches(points(), 4));
    WatchingBoard board(scratch, trainer);
    trainer.run(cpu(), 1);
    board.turn();
    const std::string folder = board.run_folder();
    CHECK_THROWS_AS(board.fork("points", parent, 5).wait(), MismatchError);
    const Json refused = board.command_fork("points", parent, 5);
    CHECK(refused["status"] == "refused");
    CHECK(refused["reason"].get<std::string>().find("deep") != std::string::npos);
    board.turn();
    CHECK(board.run_folder() == folder);
    CHECK(trainer.iteration() == 2);
}

TEST_CASE("A child is read without its parent") {
    const Scratch scratch;
    SavingTrainer trainer(scratch);
    const std::string parent = record(scratch, trainer);
    std::string child;
    {
        Board board({.runs = scratch / "runs"});
        board.quiet();
        board.enter(monitor::watch(trainer));
        board.fork("points", parent, 10).wait();
        board.turn();
        trainer.run(cpu(), 2);  // the checkpoint is from before the end of the fifth epoch
        child = board.run_folder();
    }
    std::filesystem::remove_all(scratch / "runs" + "/" + parent);
    CHECK(monitor::read_run(child).parents.at("points").run == parent);
    monitor::RunLibrary library(scratch / "runs");
    const auto runs = library.runs();
    REQUIRE(runs.size() == 1);
    REQUIRE(runs[0].trainers.size() == 1);
    REQUIRE(runs[0].trainers[0].parent);
    CHECK(runs[0].trainers[0].parent->iteration == 10);
    CHECK(library.history(runs[0].id, "points", "loss", 0, 1e9, 100).buckets.size() == 2);
}

}  // namespace
