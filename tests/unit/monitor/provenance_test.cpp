// SPDX-License-Identifier: BSL-1.0
// The origin of a run: what a monitor records about it by itself.
#include <sigma/monitor/run_folder.hpp>
#include <sigma/sigma.hpp>

#include "board.hpp"
#include "provenance.hpp"
#include "run_library.hpp"
#include "support/point_trainer.hpp"
#include "support/scratch.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

using namespace sigma;
using namespace sigma::test;
using monitor::Board;
using monitor::Json;

namespace {

const monitor::Halted never = [] { return false; };

bool shell(const std::string& folder, const std::string& command) {
    return std::system(("cd '" + folder + "' && (" + command + ") >/dev/null 2>&1").c_str()) == 0;
}
std::string digest(const Dataset& data) { return monitor::facts_of_data(data, never).at("iterator.digest"); }
Dataset numbers(std::vector<float> values, const char* name = "numbers") {
    const std::size_t count = values.size();
    return Dataset(Numbers{{count, 1}, std::move(values)}, Numbers{{count}, std::vector<float>(count, 1)}, name);
}

/// A board of one trainer that keeps its run.
struct Recorded {
    const Scratch scratch;
    PointTrainer trainer;
    Board board;

    explicit Recorded(bool provenance = true) : board({.runs = scratch / "runs", .provenance = provenance}) {
        board.quiet();
        board.enter(monitor::watch(trainer));
    }
    Json description() { return Json::parse(monitor::read_run(board.run_folder()).description); }
    Json facts() { return description()["trainers"][0]["facts"]; }
    /// Makes turns until a fact is there that a thread of its own computes.
    void gather() {
        for (int i = 0; i < 1000; ++i) {
            board.turn();
            if (facts().contains("iterator.digest")) return;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        FAIL("no digest after ten seconds");
    }
};

}  // namespace

TEST_CASE("A command line is a text that a shell takes back, without secrets") {
    using monitor::command_text;
    CHECK(command_text({"./train", "--rate=0.1", "a b", "", "it's"}) == "./train --rate=0.1 'a b' '' 'it'\\''s'");
    CHECK(command_text({"x", "--token=abc", "--api_key", "abc", "--HUB-TOKEN=a=b", "-password", "p", "end"}) ==
          "x --token=… --api_key … --HUB-TOKEN=… -password … end");
    CHECK(command_text({"x", "--max-tokens", "512", "--tokenizer=bpe", "--key-size=3"}) ==
          "x --max-tokens 512 --tokenizer=bpe --key-size=3");
    CHECK(command_text({std::string(2000, 'x')}).size() < 1010);
}

TEST_CASE("A program knows its command line and its machine") {
    const Json facts = monitor::facts_of_program();
    CHECK(facts.at("command").get<std::string>().size() > 1);
    CHECK(!facts.at("host").get<std::string>().empty());
    CHECK(facts.at("processor").get<std::string>().ends_with(" cores"));
    CHECK(facts.size() == 3);
}

TEST_CASE("The commit of a folder is known, and whether its files differ from it") {
    const Scratch scratch;
    const std::string folder = scratch / "source", run = scratch / "was-run";
    std::filesystem::create_directories(folder + "/below");
    CHECK(monitor::facts_of_folder(folder, never).empty());  // no repository, or no git
    if (!shell(folder, "git init && git config user.name a && git config user.email a@b && echo 1 > file && git add ."))
        return;
    CHECK(monitor::facts_of_folder(folder, never).empty());  // no commit
    REQUIRE(shell(folder, "git commit -m first"));
    const Json clean = monitor::facts_of_folder(folder + "/below", never);
    CHECK(clean.at("git.commit").get<std::string>().size() == 40);
    CHECK(clean.at("git.clean") == true);
    std::ofstream(folder + "/untracked") << "x";
    CHECK(monitor::facts_of_folder(folder, never) == clean);
    // A program that settings of the repository name does not run.
    REQUIRE(shell(folder, "git config core.fsmonitor 'touch " + run + "; false'"));
    std::ofstream(folder + "/file") << "changed";
    const Json changed = monitor::facts_of_folder(folder, never);
    CHECK(changed.at("git.clean") == false);
    CHECK(changed.at("git.commit") == clean.at("git.commit"));
    CHECK(!std::filesystem::exists(run));
    REQUIRE(shell(folder, "git -c core.fsmonitor=false add ."));  // in the index, but not in the commit
    CHECK(monitor::facts_of_folder(folder, never).at("git.clean") == false);
    CHECK(monitor::facts_of_folder(folder, [] { return true; }).empty());
}

TEST_CASE("A digest of data is that of its numbers, in their order") {
    std::vector<float> many(70'000);
    for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<float>(i);
    const std::string all = digest(numbers(many));
    CHECK(all.size() == 16);
    CHECK(digest(numbers(many, "another name")) == all);
    CHECK(digest(numbers(many).range(0, many.size() - 1)) != all);
    std::swap(many[3], many[69'000]);
    CHECK(digest(numbers(many)) != all);
    std::swap(many[3], many[69'000]);
    CHECK(digest(numbers(many)) == all);
    const Dataset other(Numbers{{2, 1}, {0, 1}}, Numbers{{2}, {1, 0}}, "a"),
        one(Numbers{{2, 1}, {0, 1}}, Numbers{{2}, {1, 1}}, "a");
    CHECK(digest(other) != digest(one));  // targets count
    CHECK(monitor::facts_of_data(one, [] { return true; }).empty());
}

TEST_CASE("A run records its origin by itself") {
    Recorded run;
    run.trainer.registry().set("mode", "warm").set("mine.width", 8).set("mine.on", true);
    run.trainer.registry().set("mine.long", std::string(5000, 'x'));
    run.trainer.registry().link<double>(
        "mine.broken", []() -> double { throw std::runtime_error("no"); }, [](double) {});
    run.gather();
    Json facts = run.facts();
    CHECK(facts["seed"] == 5);
    CHECK(facts["optimizer.name"] == "adam");
    CHECK(facts["optimizer.learning_rate"] == 0.125);
    CHECK(facts["iterator.data"] == "points");
    CHECK(facts["iterator.records"] == 8);
    CHECK(facts["iterator.minibatch_size"] == 4);
    CHECK(facts["iterator.seed"] == 9);
    CHECK(facts["iterator.shuffling"] == true);
    CHECK(facts["iterator.digest"] == digest(points()));
    CHECK(facts["mode"] == "warm");
    CHECK(facts["mine.width"] == 8);
    CHECK(facts["mine.on"] == true);
    CHECK(facts["mine.long"].get<std::string>().size() < 210);
    for (const char* measured : {"loss", "error", "iteration", "epoch", "runtime", "state", "mine.broken"})
        CHECK(!facts.contains(measured));
    CHECK(run.description()["facts"]["host"] == monitor::facts_of_program()["host"]);
    CHECK(run.description()["trainers"][0]["network"] == monitor::watch(run.trainer).network);
    const char* const home = std::getenv("PATH");
    if (home) CHECK(run.description().dump().find(home) == std::string::npos);

    // They are those at the beginning of a run, not of the time when the monitor was made, nor of its end.
    run.trainer.registry().remove("mine.broken");
    run.trainer.registry().set("mode", "cold");
    run.trainer.start({.epochs = RunOptions::forever});
    while (run.trainer.iteration() < 4) std::this_thread::yield();
    for (int i = 0; i < 1000 && run.facts()["mode"] != "cold"; ++i) {
        run.board.turn();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    CHECK(run.facts()["mode"] == "cold");
    CHECK(run.facts()["device"].get<std::string>().starts_with("cpu"));
    CHECK(run.facts()["epochs_planned"] == "endless");
    run.trainer.registry().set("mode", "hot");
    run.trainer.stop().wait();
    run.trainer.wait();
    for (int i = 0; i < 3; ++i) run.board.turn();
    CHECK(run.facts()["mode"] == "cold");
}

TEST_CASE("A short run has its origin, too") {
    const Scratch scratch;
    std::string folder;
    {
        PointTrainer trainer;
        Board board({.runs = scratch / "runs"});
        board.quiet();
        board.enter(monitor::watch(trainer));
        trainer.run(cpu(), 1);
        board.turn();
        folder = board.run_folder();
    }
    Json facts = Json::parse(monitor::read_run(folder).description)["trainers"][0]["facts"];
    CHECK(facts["iterator.digest"] == digest(points()));
    CHECK(facts["optimizer.learning_rate"] == 0.125);
}

TEST_CASE("A seed that JSON would round is a text") {
    PointTrainer trainer("points", (1ull << 60) + 1);
    CHECK(monitor::facts_of_trainer(trainer.registry())["seed"] == "1152921504606846977");
}

TEST_CASE("One option turns the recording off") {
    Recorded run(false);
    for (int i = 0; i < 3; ++i) run.board.turn();
    CHECK(!run.description().contains("facts"));
    CHECK(!run.description()["trainers"][0].contains("facts"));
}

TEST_CASE("Facts are read from a folder with limits") {
    const Scratch scratch;
    Json facts{{"a", 1}, {"b", "x"}, {"c", true}, {"d", Json::array({1})}, {"e", {{"f", 1}}}, {"g", nullptr}};
    facts["long"] = std::string(5000, 'x');
    facts[std::string(300, 'n')] = 1;
    const Json many = [] {
        Json all;
        for (int i = 0; i < 1000; ++i) all[std::to_string(i)] = i;
        return all;
    }();
    const Json described{{"name", "r"},
                         {"facts", facts},
                         {"trainers", {{{"name", "t"}, {"facts", many}}, {{"name", "u"}, {"facts", 7}}}}};
    { monitor::RunFolder run(scratch / "runs", "r", described.dump()); }
    monitor::RunLibrary library(scratch / "runs");
    const auto runs = library.runs();
    REQUIRE(runs.size() == 1);
    CHECK(runs[0].facts.size() == 4);
    CHECK(runs[0].facts["a"] == 1);
    CHECK(runs[0].facts["c"] == true);
    CHECK(runs[0].facts["long"].get<std::string>().size() < 1010);
    REQUIRE(runs[0].trainers.size() == 2);
    CHECK(runs[0].trainers[0].facts.size() == 120);
    CHECK(runs[0].trainers[1].facts == Json::object());
}
