// SPDX-License-Identifier: BSL-1.0
// Data and answers of a monitor, without any network. Its thread is quiet: the test makes the turns.
#include <sigma/hook/words.hpp>
#include <sigma/sigma.hpp>
#include <sigma/trainer/workers/workers.hpp>

#include "board.hpp"
#include "support/point_trainer.hpp"
#include "support/scratch.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace sigma;
using namespace sigma::test;
using monitor::Board;
using monitor::Json;

TEST_CASE("A question sees all that a trainer has left until then") {
    PointTrainer trainer;
    trainer.add(every(epoch).then(score(points())));
    Board board{{}};
    board.quiet();
    board.enter(monitor::watch(trainer));
    trainer.run(cpu(), 2);
    CHECK(board.history("points", "error", 0, 100, 100)["x"] == Json({2.0, 4.0}));
    CHECK(board.history("points", "loss", 0, 100, 100)["x"] == Json({1.0, 2.0, 3.0, 4.0}));
    trainer.run(cpu(), 1);
    bool found = false;
    for (const Json& one : board.series("points"))
        if (one["name"] == "loss") found = one["points"] == 6;
    CHECK(found);
    // Listeners get all of it, too.
    std::shared_ptr<const monitor::Tick> told;
    board.on_tick([&](std::shared_ptr<const monitor::Tick> tick) { told = std::move(tick); });
    board.turn();
    REQUIRE(told);
    CHECK(told->points.at("points").at("loss").size() == 6);
    board.turn();
    CHECK(told->points.at("points").empty());
    board.on_tick(nullptr);
}

TEST_CASE("Workers of a run are told one by one, and have a panel while there are some") {
    PointTrainer trainer;
    Board board{{}};
    board.quiet();
    board.enter(monitor::watch(trainer));
    const auto panels = [&] {
        return std::ranges::count_if(board.panels(), [](const Json& one) { return one["kind"] == "workers"; });
    };
    trainer.run(cpu(), 1);
    CHECK(panels() == 0);
    CHECK_FALSE(board.state()["trainers"][0].contains("workers"));
    trainer.run(workers({cpu(1), cpu({.threads = 2})}), 3);
    CHECK(panels() == 1);
    const Json told = board.state()["trainers"][0]["workers"];
    REQUIRE(told.size() == 2);
    CHECK(told[1]["device"] == "cpu, 2 threads");
    for (const Json& one : told) {
        CHECK(one["state"] == "over");
        CHECK(one["steps"] == 3);  // two batches an epoch
        CHECK(one["steps_per_second"].get<double>() > 0);
        CHECK(one["waiting"].get<double>() < 1);
    }
    trainer.run(cpu(), 1);
    CHECK(panels() == 0);
}

TEST_CASE("A run that has gone back and waits there has no later points any more, and who listens reads again") {
    PointTrainer trainer;
    Board board{{}};
    board.quiet();
    board.enter(monitor::watch(trainer));
    trainer.run(cpu(), 1);
    trainer.start(cpu());
    while (trainer.iteration() < 20) std::this_thread::yield();
    trainer.pause().wait();
    std::shared_ptr<const monitor::Tick> told;
    board.on_tick([&](std::shared_ptr<const monitor::Tick> tick) { told = std::move(tick); });
    const auto missed = [&] {
        board.turn();
        return std::ranges::count(told->messages, R"({"type":"missed"})");
    };
    CHECK(missed() == 0);
    const auto xs = [&] { return board.history("points", "loss", 0, 1e9, 1000)["x"]; };
    CHECK(xs().size() >= 20);
    trainer.rewind().wait();
    CHECK(missed() == 1);
    CHECK(xs() == Json({1.0, 2.0}));
    CHECK(missed() == 0);
    trainer.step().wait();
    CHECK(missed() == 0);
    CHECK(xs() == Json({1.0, 2.0, 3.0}));
    trainer.stop().wait();
    trainer.reset();
    CHECK(missed() == 1);
    CHECK(xs() == Json::array());
    board.on_tick(nullptr);
}

TEST_CASE("What has ended a run by an exception is an error of the log, once") {
    PointTrainer trainer;
    Board board{{}};
    board.quiet();
    board.enter(monitor::watch(trainer));
    bool fails = true;
    trainer.on_epoch([&](auto&) {
        if (fails) throw std::runtime_error("no more");
    });
    CHECK_THROWS_WITH(trainer.run(cpu(), 3), "no more");
    for (int i = 0; i < 3; ++i) board.turn();
    const Json log = board.log(0, "error", "");
    REQUIRE(log.size() == 1);
    CHECK(log[0]["source"] == "points");
    CHECK(log[0]["message"] == "the run failed: no more");
    CHECK(board.state()["trainers"][0]["failure"] == "no more");
    fails = false;
    trainer.run(cpu(), 1);
    board.turn();
    CHECK(board.log(0, "error", "").size() == 1);
    CHECK(board.state()["trainers"][0]["failure"].is_null());
    fails = true;
    CHECK_THROWS(trainer.run(cpu(), 1));
    for (int i = 0; i < 2; ++i) board.turn();
    CHECK(board.log(0, "error", "").size() == 2);
}

TEST_CASE("How a run has ended is told until another begins") {
    PointTrainer trainer;
    Board board{{}};
    board.quiet();
    board.enter(monitor::watch(trainer));
    const auto told = [&] {
        const Json now = board.state()["trainers"][0];
        const std::string reason = monitor::text_in(now, "reason");
        return monitor::text_in(now, "state") + (reason.empty() ? "" : ": ") + reason;
    };
    CHECK(told() == "idle");
    trainer.run(cpu(), 1);
    CHECK(told() == "finished");
    trainer.start(cpu());
    CHECK(told() == "running");
    board.command("points", "stop", "");
    trainer.wait();
    CHECK(told() == "stopped: a command");
    CHECK(board.command("points", "pause", "")["status"] == "refused");
    trainer.on_epoch([](auto&) { throw std::runtime_error("no more"); });
    CHECK_THROWS(trainer.run(cpu(), 3));
    CHECK(told() == "failed: no more");
    trainer.reset();
    CHECK(told() == "idle");
}

TEST_CASE("What has failed is still told when its trainer has gone") {
    Board board{{}};
    board.quiet();
    {
        PointTrainer trainer;
        board.enter(monitor::watch(trainer));
        trainer.on_epoch([](auto&) { throw std::runtime_error("no more"); });
        CHECK_THROWS(trainer.run(cpu(), 3));
    }
    const Json now = board.state()["trainers"][0];
    CHECK((now["state"] == "failed" && now["closed"] == true && now["reason"] == "no more"));
}

TEST_CASE("A run whose epochs are steps is sampled by time, and has its last numbers") {
    PointTrainer trainer;
    std::uint64_t epochs = 0;
    trainer.registry().link<double>("mine.epochs", [&] { return static_cast<double>(epochs); });
    trainer.on_epoch([&](auto&) { ++epochs; });
    Board board{{}};
    board.quiet();  // no turn requests samples
    board.enter(monitor::watch(trainer));
    trainer.run(cpu(), 3000);
    const auto points = [&](const std::string& name) {
        for (const Json& one : board.series("points"))
            if (one["name"] == name) return one["points"].get<int>();
        return 0;
    };
    CHECK(points("loss") == 6000);
    const int sampled = points("mine.epochs");  // the first ones, fewer if one took long, and the last
    CHECK((sampled >= 2 && sampled <= 65));
    const Json found = board.history("points", "mine.epochs", 0, 1e9, 10'000);
    CHECK(found["held"] == true);
    CHECK(found["x"][0] == 2.0);
    CHECK(found["x"].back() == 6000.0);
    CHECK(found["last"] == 3000.0);
    CHECK(board.history("points", "loss", 0, 1e9, 10)["held"] == false);
    CHECK(board.state()["trainers"][0]["dropped"] == 0);
    // A request samples once more, at the next step.
    board.turn();
    trainer.run(cpu(), 1);
    CHECK(points("mine.epochs") == sampled + 1);
}

TEST_CASE("Of a number that holds only changes are kept, also behind where a run has gone back to") {
    PointTrainer trainer;
    Board board{{}};
    board.quiet();
    board.enter(monitor::watch(trainer));
    const auto xs = [&] { return board.history("points", "optimizer.learning_rate", 0, 1e9, 1000)["x"]; };
    trainer.run(cpu(), 5);
    CHECK(xs() == Json({2.0}));
    trainer.optimizer.learning_rate = 0.25;
    trainer.run(cpu(), 5);
    const Json changed = xs();  // a sample that took long lets some out, but for the last
    REQUIRE(changed.size() == 2);
    CHECK(changed[0] == 2.0);
    CHECK((changed[1] >= 12.0 && changed[1] <= 20.0));
    trainer.rewind().wait();
    board.turn();
    CHECK(xs() == Json({2.0}));
    trainer.optimizer.learning_rate = 0.25;
    trainer.run(cpu(), 1);
    CHECK((xs().size() == 2 && xs()[0] == 2.0));
}

TEST_CASE("Numbers that are not finite are told as words, where they were") {
    PointTrainer trainer;
    double now = 1;
    trainer.registry().link<double>("mine.odd", [&] { return now; });
    Board board{{}};
    board.quiet();
    board.enter(monitor::watch(trainer));
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (const double x : {1.0, infinity, 2.0, std::nan(""), -infinity}) {
        now = x;
        trainer.run(cpu(), 1);
    }
    const Json found = board.history("points", "mine.odd", 0, 1e9, 100);
    CHECK(found["y"] == Json({1.0, nullptr, 2.0, nullptr, nullptr}));
    CHECK(found["odd"] == Json::parse(R"([[4.0,"inf"],[8.0,"nan"],[10.0,"-inf"]])"));
    CHECK(found["last"] == "-inf");
    // Also of many that are one.
    const Json one = board.history("points", "mine.odd", 0, 1e9, 1);
    CHECK(one["y"] == Json({1.5}));
    CHECK(one["odd"].size() == 3);
    CHECK(!board.history("points", "loss", 0, 1e9, 100).contains("odd"));
}

TEST_CASE("A text is changed only by who has all of it") {
    PointTrainer trainer;
    trainer.registry().set("mine.text", std::string(5000, 'x')).set("mine.bytes", std::string("a\xff"));
    trainer.registry().set("mine.book", std::string(100'000, 'x'));
    Board board{{}};
    const auto entry = [&](const char* name) { return board.registry("points", name)[0]; };
    board.enter(monitor::watch(trainer));
    CHECK(entry("mine.text")["text"] == std::string(5000, 'x'));
    CHECK(!entry("mine.text").contains("partial"));
    CHECK(entry("mine.book")["partial"] == true);
    CHECK(entry("mine.bytes")["partial"] == true);
    CHECK(board.set("points", "mine.text", std::string(300, 'y'))["text"] == std::string(300, 'y'));
}

TEST_CASE("Changes by users are kept with their clients, and go when the run goes back") {
    const Scratch scratch;
    std::string folder;
    {
        PointTrainer trainer;
        Board board({.runs = scratch / "runs"});
        board.quiet();
        board.enter(monitor::watch(trainer));
        board.turn();  // creates the folder
        folder = board.run_folder();
        std::vector<std::string> told;
        board.on_tick([&](std::shared_ptr<const monitor::Tick> tick) {
            for (const std::string& message : tick->messages)
                if (Json::parse(message)["type"] == "mark") told.push_back(Json::parse(message)["mark"]["name"]);
        });
        trainer.run(cpu(), 2);
        board.set("points", "optimizer.learning_rate", 0.0625, "192.0.2.7");
        board.set("points", "optimizer.learning_rate", 0.0625, "192.0.2.7");  // changes nothing
        CHECK_THROWS_AS(board.set("points", "optimizer.learning_rate", -1), monitor::Refusal);
        CHECK_THROWS_AS(board.set("points", "no.such.name", 1), monitor::Refusal);
        CHECK(board.command("points", "save", "a.sigma")["status"] == "done");
        CHECK(board.command("points", "pause", "")["status"] == "refused");
        const Json made = board.marks();
        REQUIRE(made.size() == 2);
        CHECK(made[0]["trainer"] == "points");
        CHECK(made[0]["kind"] == "set");
        CHECK(made[0]["name"] == "optimizer.learning_rate");
        CHECK(made[0]["before"] == "0.125");
        CHECK(made[0]["after"] == "0.0625");
        CHECK(made[0]["client"] == "192.0.2.7");
        CHECK(made[0]["iteration"] == 4);
        CHECK(made[1]["kind"] == "save");
        CHECK(made[1]["name"] == "a.sigma");
        CHECK(made[1]["client"] == "terminal");
        board.turn();
        board.turn();
        CHECK(told == std::vector<std::string>{"optimizer.learning_rate", "a.sigma"});  // once each
        trainer.reset();
        board.turn();
        CHECK(board.marks().empty());
        board.on_tick(nullptr);
    }
    const auto kept = monitor::read_run(folder).marks.at("points");
    REQUIRE(kept.size() == 2);
    CHECK(kept[0].before == "0.125");
    CHECK(kept[0].iteration == 4);
    CHECK(kept[1].name == "a.sigma");
}

TEST_CASE("An arrangement of the page is kept with the run") {
    const Scratch scratch;
    std::string folder;
    {
        PointTrainer trainer;
        Board board({.runs = scratch / "runs"});
        board.quiet();
        board.enter(monitor::watch(trainer));
        board.turn();
        folder = board.run_folder();
        CHECK(board.arrangement() == Json({{"version", 0}, {"arrangement", nullptr}}));
        CHECK(board.arrange({{"hidden", {"log"}}})["version"] == 1);
        CHECK_THROWS_AS(board.arrange(Json::array()), monitor::Refusal);
        CHECK(board.arrange({{"hidden", {"graph"}}})["version"] == 2);
        CHECK(board.arrangement()["arrangement"]["hidden"][0] == "graph");
        CHECK(board.state()["arranged"] == 2);
        CHECK_THROWS_AS(board.command("points", "save", "page.json"), monitor::Refusal);
    }
    std::ifstream file(folder + "/page.json");
    CHECK(Json::parse(file)["hidden"][0] == "graph");
}

TEST_CASE("The last number of a history is that of the series, also where points were merged") {
    PointTrainer trainer;
    Board board{{}};
    board.quiet();
    board.enter(monitor::watch(trainer));
    trainer.run(cpu(), 50);
    const Json few = board.history("points", "loss", 0, 1e9, 3), all = board.history("points", "loss", 0, 1e9, 1000);
    REQUIRE(few["low"].size() == 3);
    CHECK(few["last"] == all["y"].back());
    CHECK(few["last"] != few["y"].back());
}

TEST_CASE("What is released of a tap takes nothing any more") {
    monitor::Tap tap;
    const auto name = tap.number_of("x");
    tap.put(name, {1, 2, 3});
    tap.release();
    tap.release();
    CHECK((tap.released() && !tap.open()));
    for (int i = 0; i < 3; ++i) tap.put(name, {1, 2, 3});
    CHECK(tap.dropped() == 3);
    tap.drain([](const std::string&, bool, const monitor::Point&) { FAIL("expected nothing"); });
}

TEST_CASE("A trainer that has gone leaves its name to another, and no memory; one that is there does not") {
    Board board{{}};
    board.quiet();
    std::shared_ptr<monitor::Tap> tap;
    const auto watched = [&](PointTrainer& trainer) {
        monitor::Watched result = monitor::watch(trainer);
        result.attach = [&tap, attach = result.attach](const std::shared_ptr<monitor::Tap>& to) {
            tap = to;
            attach(to);
        };
        return result;
    };
    auto first = std::make_unique<PointTrainer>();
    board.enter(watched(*first));
    first->run(cpu(), 3);
    board.turn();
    CHECK(!tap->released());
    PointTrainer second;
    CHECK_THROWS_AS(board.enter(watched(second)), ArgumentError);
    first.reset();
    board.turn();
    CHECK(tap->released());
    CHECK(board.history("points", "loss", 0, 100, 100)["x"].size() == 6);  // what is kept of it
    board.enter(watched(second));
    CHECK(board.state()["trainers"].size() == 1);
    second.run(cpu(), 1);
    CHECK(board.history("points", "loss", 0, 100, 100)["x"] == Json({1.0, 2.0}));
    PointTrainer third;
    CHECK_THROWS_AS(board.enter(watched(third)), ArgumentError);
}

TEST_CASE("A trainer that comes into an environment in place of one of its name is shown") {
    auto trainer = std::make_unique<PointTrainer>();
    Board board{{}};
    board.quiet();
    const auto members = [&] {
        std::vector<monitor::Watched> all;
        if (trainer)
            all.push_back({.name = trainer->name(), .remote = trainer->control(), .registry = trainer->registry()});
        return all;
    };
    board.environment("lab", 1, members);
    CHECK(board.state()["trainers"][0]["state"] == "idle");
    trainer.reset();
    board.turn();
    CHECK(board.state()["trainers"][0]["state"] == "closed");
    trainer = std::make_unique<PointTrainer>();
    board.environment("lab", 1, members);
    CHECK(board.state()["trainers"].size() == 1);
    CHECK(board.state()["trainers"][0]["state"] == "idle");
}

TEST_CASE("The run of an environment is described, with trainers that come later") {
    const Scratch scratch;
    PointTrainer first("first"), second("second");
    std::vector<PointTrainer*> there{&first};
    const auto members = [&] {
        std::vector<monitor::Watched> all;
        for (PointTrainer* one : there)
            all.push_back({.name = one->name(), .remote = one->control(), .registry = one->registry()});
        return all;
    };
    Board board{{.runs = scratch / "runs", .provenance = false}};
    board.quiet();
    board.environment("lab", 1, members);
    const auto said = [&] { return Json::parse(file_text(board.run_folder() + "/run.json")); };
    board.turn();
    const Json alone = said();
    CHECK(alone["trainers"] ==
          Json::parse(R"([{"name":"first","network":"input + dense + dense","optimizer":"adam"}])"));
    there.push_back(&second);
    board.environment("lab", 1, members);
    board.turn();
    const Json both = said();
    REQUIRE(both["trainers"].size() == 2);
    CHECK(both["trainers"][1]["name"] == "second");
    CHECK(both["began"] == alone["began"]);
}

TEST_CASE("The start button of a trainer that has gone starts nothing") {
    auto trainer = std::make_unique<PointTrainer>();
    Board board{{}};
    board.enter(monitor::watch(*trainer));
    int begun = 0;
    board.on_start("points", [&] { ++begun; });
    CHECK(board.command("points", "start", "")["status"] == "done");
    CHECK(begun == 1);
    trainer.reset();
    const Json answer = board.command("points", "start", "");
    CHECK(answer["status"] == "refused");
    CHECK(answer["reason"] == "start of trainer 'points': the trainer was destroyed");
    CHECK(begun == 1);
}

TEST_CASE("A log that still calls finds no board that has gone") {
    std::function<void(const LogRecord&)> follow;
    const LogRecord record{LogLevel::info, std::chrono::system_clock::now(), "lab", "a line", "a line\n"};
    {
        Board board{{}};
        follow = board.follower();
        follow(record);
        board.turn();
        CHECK(board.log(0, "", "")[0]["message"] == "a line");
    }
    follow(record);
    std::atomic<bool> done = false;
    for (int i = 0; i < 20; ++i) {
        auto board = std::make_unique<Board>(Board::Options{});
        follow = board->follower();
        done = false;
        std::thread writer([&, call = follow] {
            while (!done) call(record);
        });
        board.reset();
        done = true;
        writer.join();
    }
}

TEST_CASE("A trainer answers one question at a time") {
    PointTrainer trainer;
    std::atomic<bool> busy = true;
    std::atomic<int> asked = 0;
    monitor::Watched watched = monitor::watch(trainer);
    watched.predict = [&, predict = watched.predict](std::vector<double> input) {
        ++asked;
        // Not for ever, whatever goes wrong.
        for (int i = 0; i < 20000 && busy; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        busy = false;
        return predict(std::move(input));
    };
    watched.classify = [&asked, classify = watched.classify](const Dataset& records, std::size_t count) {
        ++asked;
        return classify(records, count);
    };
    Board board{{}};
    board.enter(std::move(watched));
    board.show(monitor::confusion(points()));
    trainer.start(cpu());
    const auto comes = [](auto what) {  // within 20 seconds
        for (int i = 0; i < 20000 && !what(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return what();
    };
    Json output, matrix;
    std::thread first([&] { output = board.predict("points", {1, 2, 3}); });
    CHECK(comes([&] { return asked == 1; }));
    std::thread second([&] { matrix = board.panel("confusion", "confusion"); });
    CHECK(comes([&] { return asked == 2; }));
    const auto refused = [](auto question) -> std::string {
        try {
            question();
        } catch (const monitor::Refusal& refusal) { return sentence(refusal.status, " ", refusal.sentence); }
        return "";
    };
    const std::string wanted = "429 questions to trainer 'points': another question is being answered; try again later";
    CHECK(refused([&] { board.predict("points", {1, 2, 3}); }) == wanted);
    CHECK(refused([&] { board.panel("confusion", "confusion"); }) == wanted);
    busy = false;
    first.join();
    second.join();
    CHECK(output["output"].size() == 2);
    CHECK(matrix["counts"].size() == 2);
    trainer.stop().wait();  // that prediction took its fifth of a run's time
    CHECK(refused([&] { board.predict("points", {1, 2, 3}); }).empty());
    CHECK(refused([&] { board.panel("confusion", "confusion"); }).empty());
}

TEST_CASE("A run waits for questions for a fifth of its time at most") {
    PointTrainer trainer;
    const auto take_long = [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
    trainer.registry().link<double>("mine.slow", [&] {
        take_long();
        return 1.0;
    });
    monitor::Watched watched{.name = trainer.name(), .remote = trainer.control(), .registry = trainer.registry()};
    watched.inputs = 1;
    watched.predict = [&](std::vector<double> input) {
        take_long();
        return input;
    };
    Board board{{}};
    board.quiet();
    board.environment("lab", 1, [&] { return std::vector{watched}; });
    trainer.start(cpu());
    const auto began = std::chrono::steady_clock::now();
    const auto seconds = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    };
    int answered = 0;
    const auto ask_until = [&](double end, auto question) {
        const int before = answered;
        int refused = 0;
        while (seconds() < end) try {
                question();
                ++answered;
            } catch (const monitor::Refusal& refusal) {
                CHECK(refusal.status == 429);
                CHECK(refusal.sentence ==
                      "questions to trainer 'points': they take more than a fifth of its time; try again later");
                ++refused;
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
        CHECK(answered >= before + 5);
        CHECK(refused > 0);
        CHECK(answered * 0.02 <= monitor::Share::most + monitor::Share::part * seconds() + 0.02);
    };
    ask_until(1.5, [&] { board.registry("points", "mine.slow"); });
    ask_until(3.0, [&] { board.predict("points", Json{1.0}); });
    CHECK_THROWS_AS(([&] {
                        for (int i = 0; i < 100; ++i) board.metrics();
                    }()),
                    monitor::Refusal);
    // Questions to an idle trainer delay no step.
    trainer.stop().wait();
    for (int i = 0; i < 40; ++i) CHECK_NOTHROW(board.registry("points", "mine.slow"));
}

TEST_CASE("A slow step of one trainer of an environment holds up nothing that is told of the others") {
    PointTrainer slow("slow"), quick("quick");
    std::atomic<bool> inside = false, free = false;
    slow.on_iteration([&](Trainer<Points, Adam>&) {
        inside = true;
        for (int i = 0; i < 20000 && !free; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        inside = false;
    });
    Board board{{}};
    board.quiet();
    board.environment("lab", 1, [&] {
        std::vector<monitor::Watched> all;
        for (PointTrainer* each : {&slow, &quick})
            all.push_back({.name = each->name(), .remote = each->control(), .registry = each->registry()});
        return all;
    });
    std::map<std::string, std::size_t> told;  // losses
    board.on_tick([&](const std::shared_ptr<const monitor::Tick>& tick) {
        for (const auto& [name, series] : tick->points)
            if (const auto found = series.find("loss"); found != series.end()) told[name] += found->second.size();
    });
    slow.start(cpu());
    for (int i = 0; i < 20000 && !inside; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    for (std::size_t run = 1; run <= 3; ++run) {
        quick.run(cpu(), 1);
        // At once, but where reading took so long that the next time is later.
        for (int i = 0; i < 5000 && told["quick"] < run; ++i) {
            board.turn();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        CHECK(told["quick"] == run);
    }
    CHECK(inside);
    CHECK(told["slow"] == 0);
    free = true;
    slow.stop().wait();
    for (int i = 0; i < 4; ++i) board.turn();
    CHECK(told["slow"] > 0);
    board.on_tick(nullptr);
}

TEST_CASE("A board ends while a trainer of an environment has not answered yet, and the other way round") {
    for (const bool board_first : {true, false}) {
        auto trainer = std::make_unique<PointTrainer>();
        std::atomic<bool> inside = false, slow = true;
        trainer->on_iteration([&](Trainer<Points, Adam>&) {
            inside = true;
            for (int i = 0; i < 20000 && slow; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        });
        auto board = std::make_unique<Board>(Board::Options{});
        board->quiet();
        board->environment(
            "lab", 1,
            [one = monitor::Watched{.name = "points", .remote = trainer->control(), .registry = trainer->registry()}] {
                return std::vector<monitor::Watched>{one};
            });
        trainer->start(cpu());
        for (int i = 0; i < 20000 && !inside; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        for (int i = 0; i < 2; ++i) board->turn();
        if (board_first) {
            board.reset();
            CHECK(inside);
        }
        slow = false;
        trainer->stop().wait();
        trainer.reset();
        if (board) {
            board->turn();
            const Json now = board->state()["trainers"][0];
            CHECK((now["state"] == "stopped" && now["closed"] == true));
        }
    }
}

TEST_CASE("No metric is there twice") {
    PointTrainer trainer("a \"quoted\\name\"");
    trainer.registry().set("mine.a.b", 1);
    trainer.registry().set("mine.a_b", 2);
    trainer.registry().set("monitor.dropped_points", 7);
    Board board{{}};
    board.enter(monitor::watch(trainer));
    const std::string text = board.metrics();
    std::set<std::string> samples;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        INFO(line);
        CHECK(samples.insert(line.substr(0, line.rfind(' '))).second);
    }
    const std::string label = R"({trainer="a \"quoted\\name\"")";
    CHECK(text.find(sentence("sigma_mine_a_b", label, "} 1\n")) != text.npos);
    CHECK(text.find(sentence("sigma_mine_a_b", label, ",name=\"mine.a_b\"} 2\n")) != text.npos);
    CHECK(text.find("sigma_monitor_dropped_points 0\n") != text.npos);
}
