// SPDX-License-Identifier: BSL-1.0
// Answers about the runs in a folder, without a socket.
#include <sigma/monitor/panel.hpp>
#include <sigma/monitor/run_folder.hpp>
#include <sigma/sigma.hpp>

#include "support/point_trainer.hpp"
#include "support/scratch.hpp"
#include "web/api.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace sigma;

namespace {

const monitor::RunLibrary::Limits looks_always{.every = std::chrono::milliseconds(0)};

monitor::Response get(const monitor::Api& api, const std::string& target, const std::string& method = "GET") {
    monitor::Request request;
    request.method = method;
    request.target = target;
    request.host = "a";
    request.content_type = "application/json";
    return api.answer(request);
}
monitor::Json json(const monitor::Response& answer) { return monitor::parsed(answer.body).value(); }

/// Two runs; the second is damaged, and has names that are markup.
void make_runs(const std::string& folder) {
    monitor::RunFolder first(folder, "first",
                             R"({"name":"first","began":5,"trainers":[{"name":"points","network":"n"}]})");
    for (int i = 1; i <= 100; ++i) {
        first.add("points", "loss", {1.0 * i, 1.0 / i, 0.5 * i});
        if (i % 10 == 0) first.add("points", "accuracy", {1.0 * i, i == 50 ? std::nan("") : 0.5, 0.5 * i});
    }
    monitor::RunFolder second(folder, "second", "{}");
    second.add("<script>", "</b>&", {1, 2, 3});
    second.flush();
    std::ofstream(second.path() + "/series.bin", std::ios::app) << std::string(20, 'x');
}

/// The runs of a folder, without a trainer.
struct Served {
    const Scratch scratch;
    const std::string folder = scratch / "runs";
    monitor::Board board{{.runs = folder, .read_only = true}};
    monitor::RunLibrary library{folder, looks_always};
    const monitor::Api api{board, {{"a"}, ""}, &library};

    Served() {
        board.quiet();
        make_runs(folder);
    }
};

}  // namespace

TEST_CASE("Runs are answered without a trainer") {
    Served served;
    const monitor::Api& api = served.api;

    const auto all = json(get(api, "/api/runs"));
    CHECK(all["left_out"] == 0);
    REQUIRE(all["runs"].size() == 2);
    const auto& one = all["runs"][all["runs"][0]["name"] == "first" ? 0 : 1];
    const auto& other = all["runs"][all["runs"][0]["name"] == "first" ? 1 : 0];
    CHECK(one["began"] == 5);
    CHECK(one["live"] == false);
    CHECK(one["growing"] == true);
    CHECK(one["read"] == 1);
    CHECK(!one.contains("damaged"));
    CHECK(other["damaged"] == true);
    REQUIRE(one["trainers"].size() == 1);
    CHECK(one["trainers"][0]["network"] == "n");
    CHECK(one["trainers"][0]["iteration"] == 100);
    CHECK(one["trainers"][0]["seconds"] == 50);
    CHECK(one["trainers"][0]["series"][0] == monitor::Json({{"name", "loss"}, {"points", 100}, {"last", 0.01}}));
    CHECK(other["trainers"][0]["name"] == "<script>");

    const std::string run = one["id"];
    const auto history = json(get(api, "/api/runs/history?name=loss&from=3&to=4&run=" + run));
    CHECK(history["x"] == monitor::Json({3.0, 4.0}));
    CHECK(history["y"] == monitor::Json({1.0 / 3, 0.25}));
    CHECK(history["seconds"] == monitor::Json({1.5, 2.0}));
    CHECK(history["read"] == 1);
    CHECK(!history.contains("low"));
    CHECK(json(get(api, "/api/runs/history?name=loss&points=10&run=" + run))["low"].size() == 10);
    CHECK(json(get(api, "/api/runs/history?name=loss&run=" + run))["x"].size() == 100);
    CHECK(json(get(api, "/api/runs/history?name=accuracy&trainer=points&run=" + run))["y"][4].is_null());
    CHECK(get(api, "/api/runs/history?name=loss&trainer=others&run=" + run).status == 404);
    CHECK(get(api, "/api/runs/history?name=x&run=" + run).status == 404);
    CHECK(get(api, "/api/runs/history?name=loss&points=0&run=" + run).status == 400);
    for (const char* bad : {"", "..", "..%2Fruns", "%2Fetc", ".", "x%00"})
        CHECK(get(api, "/api/runs/history?name=loss&run=" + std::string(bad)).status == 404);
    CHECK(json(get(api, "/api/runs/history?name=loss&run=..%2Fx"))["error"] ==
          "run '../x': there is no such run in the folder");
    for (const char* path : {"/api/runs", "/api/runs/history"}) CHECK(get(api, path, "POST").status == 405);
    const monitor::Api closed(served.board, {{"a"}, "0123456789abcdef"}, &served.library);
    for (const char* path : {"/api/runs", "/api/runs/history?name=loss&run=x"}) CHECK(get(closed, path).status == 401);

    CHECK(json(get(api, "/api/state"))["only_runs"] == true);
    const auto panels = json(get(api, "/api/panels"));
    REQUIRE(panels.size() == 4);
    CHECK(panels[0]["kind"] == "runs");
    CHECK(panels[1]["series"] == monitor::Json({"loss"}));  // what one wants to see first
    CHECK(panels[1]["only_runs"] == true);
    CHECK(panels[3]["title"] == "</b>&");
    CHECK(std::filesystem::is_empty(served.folder) == false);
    CHECK(served.board.run_folder().empty());
}

TEST_CASE("A number that never changes is no chart, and a run tells the changes by users") {
    const Scratch scratch;
    {
        monitor::RunFolder run(scratch / "runs", "one", R"({"name": "one", "trainers": [{"name": "points"}]})");
        for (int i = 1; i < 4; ++i) run.add("points", "loss", {1.0 * i, 1, 1});
        run.add("points", "rate", {1, 0.1, 1}, true);
        run.add("points", "accuracy", {1, 0.5, 1}, true);
        run.add("points", "accuracy", {2, 0.6, 1}, true);
        run.add("points",
                monitor::RunMark{
                    .kind = "set", .name = "rate", .before = "0.2", .after = "0.1", .client = "a", .iteration = 1});
    }
    monitor::Board board{{.runs = scratch / "runs", .read_only = true}};
    board.quiet();
    monitor::RunLibrary library(scratch / "runs", looks_always);
    const monitor::Api api(board, {{"a"}, ""}, &library);
    const auto panels = json(get(api, "/api/panels"));
    REQUIRE(panels.size() == 3);  // the table, and two charts
    CHECK(panels[1]["title"] == "loss");
    CHECK(panels[2]["title"] == "accuracy");
    const auto marks = json(get(api, "/api/runs"))["runs"][0]["trainers"][0]["marks"];
    REQUIRE(marks.size() == 1);
    CHECK(marks[0]["before"] == "0.2");
    CHECK(marks[0]["client"] == "a");
    CHECK(json(get(api, "/api/marks")).empty());
    CHECK(get(api, "/api/marks", "POST").status == 405);
    CHECK(get(api, "/api/arrangement", "POST").status == 403);
    CHECK(json(get(api, "/api/arrangement"))["arrangement"].is_null());
}

TEST_CASE("Runs with recorded origins are compared") {
    const Scratch scratch;
    const auto add = [&](const char* name, const char* facts) {
        monitor::RunFolder(
            scratch / "runs", name,
            std::string(R"({"name": "r", "facts": {"host": "here"}, "trainers": [{"name": "t")") + facts + "}]}");
    };
    monitor::Board board{{.runs = scratch / "runs", .read_only = true}};
    board.quiet();
    monitor::RunLibrary library(scratch / "runs", looks_always);
    const monitor::Api api(board, {{"a"}, ""}, &library);
    const auto kinds = [&] {
        std::vector<std::string> all;
        for (const auto& panel : json(get(api, "/api/panels"))) all.push_back(panel["kind"]);
        return all;
    };
    add("a", R"(, "facts": {"seed": 1, "kind": "<b>", "on": true})");
    add("b", "");
    CHECK(kinds() == std::vector<std::string>{"runs"});
    add("c", R"(, "facts": {"seed": 2})");
    CHECK(kinds() == std::vector<std::string>{"runs", "differences", "scatter", "parallel"});
    const monitor::Json answer = json(get(api, "/api/runs"));
    for (const auto& run : answer["runs"]) {
        CHECK(run["facts"] == monitor::Json({{"host", "here"}}));
        const std::string id = run["id"];
        if (id.ends_with("-a"))
            CHECK(run["trainers"][0]["facts"] == monitor::Json({{"seed", 1}, {"kind", "<b>"}, {"on", true}}));
        if (id.ends_with("-b")) CHECK(run["trainers"][0]["facts"] == monitor::Json::object());
    }
}

TEST_CASE("A monitor answers the runs of its folder beside its own") {
    const Scratch scratch;
    make_runs(scratch / "runs");
    test::PointTrainer trainer;
    monitor::Board board({.runs = scratch / "runs"});
    board.quiet();
    board.enter(monitor::watch(trainer));
    monitor::RunLibrary library(scratch / "runs", looks_always);
    const monitor::Api api(board, {{"a"}, ""}, &library);
    trainer.run(cpu(), 5);
    std::shared_ptr<const monitor::Tick> tick;
    board.on_tick([&](std::shared_ptr<const monitor::Tick> next) {
        if (!tick) tick = std::move(next);
    });
    for (int i = 0; i < 10; ++i) board.turn();  // one of ten writes
    REQUIRE(tick);

    const auto all = json(get(api, "/api/runs"))["runs"];
    REQUIRE(all.size() == 3);
    std::string live;
    for (const auto& run : all)
        if (run["live"] == true) live = run["id"];
    CHECK(live == std::filesystem::path(board.run_folder()).filename());
    auto mine = json(get(api, "/api/history?name=loss")),
         kept = json(get(api, "/api/runs/history?name=loss&run=" + live));
    CHECK(mine["x"].size() == 10);
    CHECK(mine["seconds"].size() == 10);
    for (const char* what : {"x", "y", "seconds"}) CHECK(mine[what] == kept[what]);
    CHECK(!json(get(api, "/api/state")).contains("only_runs"));
    const auto panels = json(get(api, "/api/panels"));
    CHECK(panels.back()["kind"] == "runs");
    CHECK(panels.back()["tab"] == "Runs");

    monitor::Subscriptions wanted;
    REQUIRE(wanted.take(R"({"subscribe":{"trainer":"points","series":["loss"]}})"));
    const auto messages = wanted.messages(*tick);
    REQUIRE(messages.size() == 1);
    const auto told = monitor::parsed(messages[0]).value();
    REQUIRE(told["series"]["loss"].size() == 10);
    for (std::size_t i = 0; i < 10; ++i) {
        CHECK(told["series"]["loss"][i][0] == mine["x"][i]);
        CHECK(told["series"]["loss"][i][2] == mine["seconds"][i]);
    }

    const monitor::Api without(board, {{"a"}, ""});
    CHECK(json(get(without, "/api/runs")) == monitor::parsed(R"({"runs":[],"left_out":0})").value());
    CHECK(get(without, "/api/runs/history?name=loss&run=" + live).status == 404);
    CHECK(json(get(without, "/api/panels")).size() + 1 == panels.size());
}

TEST_CASE("A run on disk says how it has ended, or that nobody knows") {
    const Scratch scratch;
    for (const bool monitor_first : {false, true}) {
        std::optional<test::PointTrainer> trainer(std::in_place, monitor_first ? "left" : "failed");
        monitor::Board board({.runs = scratch / "runs"});
        board.quiet();
        board.enter(monitor::watch(*trainer));
        board.turn();
        if (monitor_first) {
            trainer->start(cpu());
        } else {
            trainer->on_epoch([](auto&) { throw std::runtime_error("no more"); });
            CHECK_THROWS(trainer->run(cpu(), 3));
        }
        board.turn();
    }
    monitor::RunFolder killed(scratch / "runs", "killed", R"({"trainers":[{"name":"killed"}]})");
    killed.add("killed", monitor::RunStatus{.state = "running", .iteration = 1, .time = 2});
    killed.flush();
    const std::string file = killed.path() + "/series.bin";
    std::filesystem::last_write_time(file, std::filesystem::last_write_time(file) - std::chrono::hours(1));
    monitor::RunLibrary library(scratch / "runs");
    monitor::Board board{{}};
    std::map<std::string, monitor::Json> found;
    const monitor::Json listed = monitor::RunAnswers(&library).list(board);
    for (const monitor::Json& run : listed["runs"]) {
        const monitor::Json& trainer = run["trainers"][0];
        found[trainer["name"]] = trainer;
    }
    CHECK((found["failed"]["state"] == "failed" && found["failed"]["reason"] == "no more"));
    CHECK(found["failed"]["ended"] == 2.0);
    CHECK(found["left"]["state"] == "left");
    CHECK(found["killed"]["state"] == "broken off");
}

TEST_CASE("Histograms of runs are answered without a trainer") {
    Served served;
    const monitor::Api& api = served.api;
    CHECK(json(get(api, "/api/panels")).back()["kind"] == "chart");  // there is none yet
    std::string run;
    {
        monitor::RunFolder third(served.folder, "third", "{}");
        run = std::filesystem::path(third.path()).filename().string();
        const double numbers[] = {0, 1, 1, 2};
        third.add("points", "<w>", monitor::Distribution(3, numbers, 2));
        third.add("points", "<w>", monitor::Distribution(4, std::vector{std::nan("")}, 2));
        third.add("points", "b", monitor::Distribution(3, numbers, 4));
    }
    const auto panels = json(get(api, "/api/panels"));
    CHECK(panels.back()["kind"] == "histogram_of_runs");
    CHECK(panels.back()["tab"] == "Runs");
    CHECK(panels.size() == 5);  // no tensor has a chart
    const auto listed = json(get(api, "/api/runs"))["runs"];
    for (const auto& one : listed) CHECK(one["trainers"][0]["tensors"] == (one["id"] == run ? 2 : 0));

    const auto found = json(get(api, "/api/runs/histogram?run=" + run));
    CHECK(found ==
          monitor::parsed(R"({"run":")" + run + R"(","trainer":"points","names":["<w>","b"],"name":"<w>","read":1.0,
        "distributions":[{"iteration":3,"low":0.0,"high":2.0,"counts":[1,3]},
                         {"iteration":4,"low":null,"high":null,"counts":[0,0]}]})")
              .value());
    const auto other = json(get(api, "/api/runs/histogram?trainer=points&name=b&run=" + run));
    CHECK(other["name"] == "b");
    CHECK(other["distributions"][0]["counts"] == monitor::Json({1, 0, 2, 1}));
    CHECK(json(get(api, "/api/runs/histogram?trainer=points&name=%3Cw%3E&run=" + run)) == found);
    const auto refused = [&](const std::string& values) {
        const auto answer = get(api, "/api/runs/histogram?" + values);
        CHECK(answer.status == 404);
        return json(answer)["error"].get<std::string>();
    };
    CHECK(refused("run=..%2Fx") == "run '../x': there is no such run in the folder");
    CHECK(refused("trainer=x&run=" + run) == "trainer 'x': the run has no such trainer");
    CHECK(refused("name=x&run=" + run) == "histogram 'x': the run has no histograms of this tensor");
    for (const char* bad : {"", "..", "..%2Fruns", "%2Fetc", ".", "x%00"}) refused("run=" + std::string(bad));
    CHECK(get(api, "/api/runs/histogram", "POST").status == 405);
    const monitor::Api closed(served.board, {{"a"}, "0123456789abcdef"}, &served.library),
        without(served.board, {{"a"}, ""});
    CHECK(get(closed, "/api/runs/histogram?run=" + run).status == 401);
    CHECK(get(without, "/api/runs/histogram?run=" + run).status == 404);
}

TEST_CASE("A monitor writes the distributions that it keeps into its run") {
    const Scratch scratch;
    monitor::Json told;
    std::string folder;
    const std::string pattern = "network.layers.*.weights";
    test::PointTrainer trainer;
    {
        monitor::Board board({.runs = scratch / "runs"});
        board.enter(monitor::watch(trainer));
        board.show(monitor::histogram(pattern));
        for (int i = 0; i < 100 && (told.is_null() || told["distributions"].size() < 3); ++i) {
            trainer.run(cpu(), 5);
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            told = board.histogram("", pattern, "");
        }
        folder = board.run_folder();
        board.quiet();
        told = board.histogram("", pattern, "");
        monitor::RunLibrary library(scratch / "runs", looks_always);
        const monitor::Api api(board, {{"a"}, ""}, &library);
        CHECK(json(get(api, "/api/panels")).back()["kind"] == "runs");  // its own alone: the panel above shows them
    }
    REQUIRE(told["distributions"].size() >= 3);
    monitor::Board later({.runs = scratch / "runs", .read_only = true});
    later.quiet();
    monitor::RunLibrary library(scratch / "runs", looks_always);
    const monitor::Api api(later, {{"a"}, ""}, &library);
    const auto kept =
        json(get(api, "/api/runs/histogram?trainer=points&run=" + std::filesystem::path(folder).filename().string()));
    for (const char* what : {"names", "name", "distributions"}) CHECK(kept[what] == told[what]);
    CHECK(monitor::read_run(folder).distributions.at("points").size() == told["names"].size());
    CHECK(json(get(api, "/api/panels")).back()["kind"] == "histogram_of_runs");
}

TEST_CASE("Of a long run's distributions those are written that stay, and the last at its end") {
    const Scratch scratch;
    const std::string pattern = "network.layers.*.weights";
    std::string folder, name;
    std::uint64_t last = 0;
    const auto kept = [&] { return monitor::read_run(folder).distributions.at("points").at(name).all(); };
    {
        test::PointTrainer trainer;
        monitor::Board board({.runs = scratch / "runs", .tensors = std::chrono::milliseconds(0)});
        board.quiet();
        board.enter(monitor::watch(trainer));
        board.show(monitor::histogram(pattern));
        std::size_t most = 0;
        bool thinned = false;
        for (int i = 0; i < 20'000 && !thinned; ++i) {
            trainer.run(cpu(), 1);
            board.turn();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            const std::size_t now = board.histogram("", pattern, "")["distributions"].size();
            thinned = now < most;
            most = std::max(most, now);
        }
        REQUIRE(thinned);
        folder = board.run_folder();
        bool goes = false;  // the last one, when a later one comes
        for (int more = 0; more < 20 && !goes; ++more) {
            trainer.run(cpu(), 1);
            for (int i = 0; i < 10; ++i) board.turn();  // one of ten writes
            const monitor::Json answer = board.histogram("", pattern, ""), told = answer["distributions"];
            name = answer["name"];
            last = told.back()["iteration"];
            const auto found = kept();
            goes = found.size() + 1 == told.size();
            if (found.size() > told.size()) continue;  // the monitor thins when it has one more
            REQUIRE((goes || found.size() == told.size()));
            for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i].iteration == told[i]["iteration"]);
        }
        CHECK(goes);
    }
    CHECK(kept().back().iteration >= last);
}

TEST_CASE("Searches of the folder are answered beside its runs") {
    Served served;
    const monitor::Api& api = served.api;
    CHECK(json(get(api, "/api/runs/searches")) == monitor::parsed(R"({"searches":[],"left_out":0})").value());
    CHECK(json(get(api, "/api/panels")).size() == 4);
    const std::string head = "[\"search by grid\",\"seed 1\"]\n";
    std::ofstream(served.folder + "/s.jsonl")
        << head << R"(["1","0.5","2","0","","2","1","rate","0.125","0.125","0","2","<b>","1","tanh","1","2","4","0.7"])"
        << '\n'
        << R"(["2","inf","2","1","","0","0"])" << '\n'
        << R"(["3","nan","2","0","no","1","0","<b>","0","relu","0","2"])" << '\n';
    std::ofstream(served.folder + "/x.jsonl") << head << "[\"1\",\"no\"]\n";
    std::this_thread::sleep_for(std::chrono::milliseconds(600));  // it looks twice a second
    const auto listed = json(get(api, "/api/runs/searches"))["searches"];
    REQUIRE(listed.size() == 2);
    for (const auto& one : listed) CHECK(one["processes"] == 1);
    const auto panels = json(get(api, "/api/panels"));
    REQUIRE(panels.size() == 5);
    CHECK(panels[1] ==
          monitor::parsed(R"({"id":"search","kind":"search","title":"Search","trainer":"","tab":"Search"})"));
    auto found = json(get(api, "/api/runs/search?name=s.jsonl"));
    const std::string version = found["version"];
    CHECK(found["changed"].get<double>() > 1e9);
    found.erase("version");
    found.erase("changed");
    CHECK(found == monitor::parsed(R"({"name":"s.jsonl","settings":["search by grid","seed 1"],"choices":["rate","<b>"],
        "trials":[{"number":1,"loss":0.5,"seconds":2.0,"choices":[[0.125,"0.125"],[1.0,"tanh"]]},
                  {"number":2,"loss":"inf","seconds":2.0,"early":true,"choices":[]},
                  {"number":3,"loss":"nan","seconds":2.0,"failed":"no","choices":[null,[0.0,"relu"]]}]})"));
    CHECK(json(get(api, "/api/runs/search?name=s.jsonl&seen=" + version)) ==
          monitor::Json({{"name", "s.jsonl"}, {"version", version}}));
    CHECK(get(api, "/api/runs/search?name=x.jsonl").status == 400);
    CHECK(json(get(api, "/api/runs/search?name=x.jsonl"))["error"] ==
          "file 'x.jsonl', byte 33: expected a number, found 'no'");
    for (const char* bad : {"", "..%2Fs.jsonl", "%2Fetc%2Fpasswd", "y.jsonl", "s.jsonl%00"})
        CHECK(get(api, "/api/runs/search?name=" + std::string(bad)).status == 404);
    const monitor::Api closed(served.board, {{"a"}, "0123456789abcdef"}, &served.library),
        without(served.board, {{"a"}, ""});
    for (const char* path : {"/api/runs/searches", "/api/runs/search?name=s.jsonl"}) {
        CHECK(get(api, path, "POST").status == 405);
        CHECK(get(closed, path).status == 401);
    }
    CHECK(json(get(without, "/api/runs/searches"))["searches"].empty());
    CHECK(get(without, "/api/runs/search?name=s.jsonl").status == 404);
    CHECK(json(get(api, "/api/runs"))["runs"].size() == 2);
}
