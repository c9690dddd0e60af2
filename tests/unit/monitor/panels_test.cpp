// SPDX-License-Identifier: BSL-1.0
// Panels without a browser and without sockets: their descriptions and answers.
#include <sigma/data/data.hpp>
#include <sigma/hook/words.hpp>
#include <sigma/layer/embedding.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/monitor/panel.hpp>
#include <sigma/monitor/watched.hpp>
#include <sigma/sigma.hpp>

#include "support/point_trainer.hpp"
#include "web/api.hpp"

#include "panels.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace sigma;
using namespace sigma::test;
using Catch::Contains;
using monitor::Json;

namespace {

/// A board and its addresses.
struct Desk {
    /// Returns the id of the n-th panel of this kind, from 0.
    std::string id(std::string_view kind, std::size_t n = 0) const {
        for (const Json& panel : told("/api/panels"))
            if (panel["kind"] == kind && n-- == 0) return panel["id"];
        return "none";
    }
    monitor::Board board;
    monitor::Api api{board, {{"a"}, ""}};

    explicit Desk(bool read_only = false) : board({.read_only = read_only}) {}
    monitor::Response ask(const std::string& target, const std::string& body = {}) const {
        monitor::Request request;
        request.method = body.empty() ? "GET" : "POST";
        request.target = target;
        request.host = "a";
        request.body = body;
        if (!body.empty()) request.content_type = "application/json";
        return api.answer(request);
    }
    /// Returns the JSON of an answer with status 200.
    Json told(const std::string& target, const std::string& body = {}) const {
        const monitor::Response response = ask(target, body);
        INFO(response.body.substr(0, 500));
        CHECK(response.status == 200);
        return monitor::parsed(response.body).value_or(Json());
    }
    std::string refused(const std::string& target, unsigned status) const {
        const monitor::Response response = ask(target);
        INFO(response.body.substr(0, 500));
        CHECK(response.status == status);
        return response.body;
    }
};

Dataset lines() { return Dataset(Numbers{{4, 2}, {0, 1, 2, 3, 4, 5, 6, 7}}, Numbers{{4, 1}, {1, 5, 9, 13}}, "lines"); }
struct Line : Network<Input(2) + Dense(1) + MeanSquaredError()> {};
struct Tokens : Network<Input(3) + Embedding(7, 2) + Dense(2) + SoftmaxCE()> {};

}  // namespace

TEST_CASE("A network that is made while the program runs is watched as a constant is") {
    const auto batches = minibatches(lines(), 2);
    Trainer fixed("fixed", Line{}, Adam{}, batches);
    Trainer made("made", network(Line::expression), Adam{}, batches);
    const monitor::Watched a = monitor::watch(fixed), b = monitor::watch(made);
    REQUIRE(a.nodes.size() == b.nodes.size());
    for (std::size_t i = 0; i < a.nodes.size(); ++i) CHECK(a.nodes[i].name == b.nodes[i].name);
    CHECK((a.edges == b.edges && a.inputs == b.inputs && a.outputs == b.outputs && a.input_shape == b.input_shape));
    CHECK((b.predict && b.predict_records && !b.classify && !b.maximise));
    CHECK(b.predict_records(lines()).size() == 4);
    Trainer tokens("tokens", network(Tokens::expression), Adam{},
                   minibatches(Dataset(Numbers{{2, 3}, {0, 1, 2, 3, 4, 5}}, Numbers{{2}, {0, 1}}, "t"), 2));
    CHECK((monitor::watch(tokens).classify && !monitor::watch(tokens).maximise));  // ids have no gradient
}

TEST_CASE("A slider is logarithmic where its ends are positive and far apart") {
    CHECK(monitor::slider("x", 1e-5, 1.0).logarithmic);
    CHECK_FALSE(monitor::slider("x", 0.01, 1.0).logarithmic);  // not more than 100 times
    CHECK_FALSE(monitor::slider("x", 0.0, 1e6).logarithmic);
    CHECK_FALSE(monitor::slider("x", 1e-5, 1.0, monitor::Scale::linear).logarithmic);
    CHECK(monitor::slider("x", 1.0, 2.0, monitor::Scale::logarithmic).logarithmic);
    CHECK_THROWS_WITH(monitor::slider("x", 1.0, 1.0), Contains("slider 'x': expected a finite range"));
    CHECK_THROWS_AS(monitor::slider("x", 0.0, std::numeric_limits<double>::infinity()), ArgumentError);
    CHECK_THROWS_AS(monitor::slider("x", std::numeric_limits<double>::quiet_NaN(), 1.0), ArgumentError);
    CHECK_THROWS_WITH(monitor::slider("x", 0.0, 1.0, monitor::Scale::logarithmic), Contains("positive range"));
    CHECK_THROWS_WITH(monitor::choice("mode", {}), Contains("choice 'mode': expected one text or more, found 0"));
}

TEST_CASE("The page is told how each value is set") {
    PointTrainer trainer;
    Desk desk;
    desk.board.enter(monitor::watch(trainer));
    desk.board.show(monitor::parameters("optimizer.*", monitor::slider("optimizer.learning_rate", 1e-5, 1.0)));
    desk.board.show(monitor::parameters(monitor::choice("mode", {"warm", "cold"}), monitor::slider("beta", 0, 1)));
    desk.board.show(monitor::bars(loss, "optimizer.learning_rate"));
    desk.board.show(monitor::ranked("accuracy"));
    desk.board.show(monitor::overview.on("All").wide(2));
    const Json panels = desk.told("/api/panels");
    CHECK(panels[0]["pattern"] == "optimizer.*");
    CHECK(panels[0]["fields"]["optimizer.learning_rate"] == Json{{"low", 1e-5}, {"high", 1.0}, {"log", true}});
    CHECK(panels[1]["names"] == Json{"mode", "beta"});
    CHECK(panels[1]["title"] == "mode, beta");
    CHECK(panels[1]["fields"]["mode"] == Json{{"choices", {"warm", "cold"}}});
    CHECK(panels[2]["series"] == Json{"loss", "optimizer.learning_rate"});
    CHECK(panels[2]["kind"] == "bars");
    CHECK(panels[3]["kind"] == "ranked");
    CHECK(panels[4]["kind"] == "overview");
    CHECK((panels[4]["tab"] == "All" && panels[4]["width"] == 2));
    CHECK_FALSE((panels[3].contains("tab") || panels[3].contains("width")));
}

TEST_CASE("Panels that could never show anything are refused when they are added") {
    Desk desk;
    const auto refuse = [&](const monitor::Panel& panel, const char* why) {
        CHECK_THROWS_WITH(desk.board.show(panel), Contains(why));
    };
    refuse(monitor::confusion(lines()), "confusion: expected data with classes as targets");
    const Dataset many(Numbers{{2, 3}, std::vector<float>(6)}, Numbers{{2}, {0, 1000}}, "many");
    refuse(monitor::confusion(many), "classes of a confusion matrix: expected 1 to 1000, found 1001");
    refuse(monitor::table(points(), 0), "records of a table: expected 1 to 1000, found 0");
    refuse(monitor::table(points(), 1001), "found 1001");
    refuse(monitor::ranked(points(), 8), "ranked record: expected an index below 8, found 8");
    refuse(monitor::maximised(101), "classes of maximised inputs: expected 1 to 100, found 101");
    refuse(monitor::picture("p", 0, 3, [] { return std::vector<float>{}; }), "pixels of a picture");
    refuse(monitor::overview.wide(4), "width of a panel: expected 1 to 3 columns, found 4");
    CHECK_NOTHROW(desk.board.show(monitor::table(points(), 1000)));
}

TEST_CASE("A chart that names another trainer in front of its numbers is refused, whichever comes first") {
    PointTrainer a("a"), b("b"), optimizer("optimizer");
    const char* const why =
        "chart of 'b.error': expected a name without a trainer, found the trainer 'b' in front; write "
        "chart(\"error\").of(\"b\")";
    monitor::Board board{{}};
    board.quiet();
    board.enter(monitor::watch(a));
    board.show(monitor::chart("b.error"));
    CHECK_THROWS_WITH(board.enter(monitor::watch(b)), why);
    CHECK(board.state()["trainers"].size() == 1);  // nothing has changed
    monitor::Board other{{}};
    other.quiet();
    other.enter(monitor::watch(a));
    other.enter(monitor::watch(b));
    CHECK_THROWS_WITH(other.show(monitor::chart("loss", "b.error")), why);
    CHECK_THROWS_WITH(other.show(monitor::chart("a.error")), Contains("write chart(\"error\").of(\"a\")"));
    CHECK_NOTHROW(other.show(monitor::chart("error").of("b")));
    other.enter(monitor::watch(optimizer));  // which numbers of all trainers begin with
    CHECK_NOTHROW(other.show(monitor::chart("optimizer.learning_rate")));
}

TEST_CASE("A table shows records with what the network says of them now") {
    PointTrainer trainer;
    Desk desk;
    desk.board.enter(monitor::watch(trainer));
    desk.board.show(monitor::table(points(), 5));
    const Json table = desk.told("/api/table?panel=" + desk.id("table"));
    CHECK(table["columns"] == Json{"record", "input 0", "input 1", "input 2", "target", "prediction", "probability"});
    REQUIRE(table["rows"].size() == 5);
    const Dataset records = points();
    const auto classes = trainer.model().classify(records.inputs<float>());
    for (std::size_t i = 0; i < 5; ++i) {
        const Json& row = table["rows"][i];
        CHECK(row[0] == i);
        CHECK(row[1].get<double>() == static_cast<double>(records.input(i)[0]));
        CHECK(row[4] == sentence(records.label(i)));
        CHECK(row[5] == sentence(classes[i]));
        CHECK(row[6].get<double>() >= 0.5);
        CHECK(table["wrong"][i] == (records.label(i) != classes[i]));
    }
    trainer.run(cpu(), 50);
    CHECK(desk.told("/api/table?panel=" + desk.id("table"))["rows"].size() == 5);  // kept for a second
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    CHECK(desk.told("/api/table?panel=" + desk.id("table")) != table);
    CHECK_THAT(desk.refused("/api/table?panel=none", 404), Contains("there is no such panel of the kind table"));
}

TEST_CASE("A table of numbers shows these, one of pictures the pictures once") {
    Trainer trainer("lines", Line{}, Adam{}, minibatches(lines(), 2));
    Desk desk;
    desk.board.enter(monitor::watch(trainer));
    desk.board.show(monitor::table(lines(), 10));
    const Json table = desk.told("/api/table?panel=" + desk.id("table"));
    CHECK(table["columns"] == Json{"record", "input 0", "input 1", "target", "prediction"});
    REQUIRE(table["rows"].size() == 4);
    CHECK(table["rows"][3][3] == Json{13.0});
    CHECK(table["rows"][3][4].size() == 1);
    CHECK_FALSE(table.contains("wrong"));

    struct Images : Network<Input(2, 2) + Dense(2) + SoftmaxCE()> {};
    const Dataset images(Numbers{{2, 2, 2}, {0, 1, 0.5, 0.25, 1, 1, 1, 1}}, Numbers{{2}, {0, 1}}, "images", {"a", "b"});
    Trainer sees("images", Images{}, Adam{}, minibatches(images, 2));
    desk.board.enter(monitor::watch(sees));
    desk.board.show(monitor::table(images, 2).of("images"));
    desk.board.show(monitor::ranked(images, 0).of("images"));
    const Json shown = desk.told("/api/table?panel=" + desk.id("table", 1) + "&pictures=1");
    CHECK(shown["columns"] == Json{"record", "target", "prediction", "probability"});
    CHECK(shown["picture"] == Json{{"rows", 2}, {"columns", 2}});
    CHECK(shown["pictures"][0] == Json{0.0, 1.0, 0.5, 0.25});
    CHECK(shown["rows"][1][1] == "b");
    CHECK_FALSE(desk.told("/api/table?panel=" + desk.id("table", 1)).contains("pictures"));

    const Json ranking = desk.told("/api/ranking?panel=" + desk.id("ranked"));
    CHECK(ranking["target"] == "a");
    CHECK(ranking["pixels"] == Json{0.0, 1.0, 0.5, 0.25});
    REQUIRE(ranking["values"].size() == 2);
    const double first = ranking["values"][0][1], second = ranking["values"][1][1];
    CHECK(first >= second);
    CHECK(first + second == Approx(1));
}

TEST_CASE("Tables and pictures of the program's own are asked for while somebody looks") {
    Desk desk;
    std::atomic<int> asked = 0;
    desk.board.show(monitor::table("mine", {"n", "word"}, [&] {
        ++asked;
        return monitor::Rows{{1.0, "<b>one"}, {std::numeric_limits<double>::quiet_NaN(), "none"}};
    }));
    desk.board.show(monitor::picture("ramp", 1, 3, [] { return std::vector<float>{0, 1, 2}; }));
    desk.board.show(monitor::picture("short", 2, 3, [] { return std::vector<float>{0, 1, 2}; }));
    desk.board.show(
        monitor::table("throws", {"n"}, []() -> monitor::Rows { throw StateError("mine", "rows", "none"); }));
    CHECK(asked == 0);
    CHECK(desk.told("/api/table?panel=" + desk.id("table")) ==
          *monitor::parsed(R"({"columns":["n","word"],"rows":[[1.0,"<b>one"],[null,"none"]]})"));
    CHECK(asked == 1);
    CHECK(desk.told("/api/picture?panel=" + desk.id("picture"))["values"] == Json{0.0, 1.0, 2.0});
    CHECK_THAT(desk.refused("/api/picture?panel=" + desk.id("picture", 1), 400),
               Contains("expected 6 numbers, found 3"));
    CHECK_THAT(desk.refused("/api/table?panel=" + desk.id("table", 1), 409), Contains("mine"));
    CHECK(desk.ask("/api/picture?panel=" + desk.id("picture"), "{}").status == 405);
}

TEST_CASE("Inputs that maximise classes are looked for while training goes on") {
    PointTrainer trainer;
    Desk desk;
    desk.board.enter(monitor::watch(trainer));
    desk.board.show(monitor::maximised(2, {.steps = 200, .cost = 0.3}));
    desk.board.show(monitor::maximised(3, {.steps = 2}));
    trainer.start(cpu());
    Json found;
    for (int i = 0; i < 200 && (found.is_null() || found["inputs"].empty()); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        found = desk.told("/api/maximised?panel=" + desk.id("maximised"));
    }
    REQUIRE(found["inputs"].size() == 2);
    for (const Json& one : found["inputs"]) {
        CHECK(one["rows"] == 1);
        CHECK(one["values"].size() == 3);
        CHECK(one["probability"].get<double>() > 0.5);
        CHECK(one["success"] == true);
    }
    CHECK(found["computing"] == false);
    trainer.stop().wait();
    // More classes than exist: the answer reports it.
    unsigned status = 200;
    for (int i = 0; i < 200 && status == 200; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        status = desk.ask("/api/maximised?panel=" + desk.id("maximised", 1)).status;
    }
    CHECK(status == 400);
}

TEST_CASE("Of a network of one output the probability is of the class that is maximised") {
    PointTrainer trainer;
    monitor::Watched one = monitor::watch(trainer);
    one.maximise = [](std::size_t, const MaximiseOptions&, const std::function<bool()>&) {
        return std::vector<monitor::MaximisedInput>(2, {.input = {1, 2, 3}, .prediction = {0.25}});
    };
    Desk desk;
    desk.board.enter(std::move(one));
    desk.board.show(monitor::maximised(2));
    Json found;
    for (int i = 0; i < 200 && (found.is_null() || found["inputs"].empty()); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        found = desk.told("/api/maximised?panel=" + desk.id("maximised"));
    }
    REQUIRE(found["inputs"].size() == 2);
    CHECK(found["inputs"][0]["probability"] == 0.75);
    CHECK(found["inputs"][1]["probability"] == 0.25);
}

TEST_CASE("What a program throws, of whatever type, is told and ends nothing") {
    PointTrainer trainer;
    Desk desk;
    desk.board.enter(monitor::watch(trainer));
    desk.board.show(monitor::picture("p", 1, 1, []() -> std::vector<float> { throw 7; }));
    CHECK_THAT(desk.refused("/api/picture?panel=" + desk.id("picture"), 500),
               Contains("an exception of an unknown type"));
    desk.board.on_start("points", [] { throw 7; });
    const Json answer = desk.board.command("points", "start", "");
    CHECK(answer["status"] == "refused");
    CHECK(answer["reason"] == "an exception of an unknown type");
}

TEST_CASE("Who asks for records while another's question waits gets what was said before, or is refused") {
    PointTrainer trainer;
    monitor::Watched slow = monitor::watch(trainer);
    std::atomic<bool> goes_on{false}, asked{false};
    slow.predict_records = [&](const Dataset& records) {
        asked = true;
        while (!goes_on) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return std::vector<std::vector<double>>(records.size(), {0.25, 0.75});
    };
    Desk desk;
    desk.board.enter(std::move(slow));
    desk.board.show(monitor::table(points(), 5));
    const std::string address = "/api/table?panel=" + desk.id("table");
    const auto beside_another = [&](const auto& f) {
        asked = goes_on = false;
        std::thread other([&] { desk.ask(address); });
        while (!asked) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        f();
        goes_on = true;
        other.join();
    };
    beside_another([&] { CHECK_THAT(desk.refused(address, 429), Contains("another question is being answered")); });
    CHECK(desk.told(address)["rows"].size() == 5);
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    beside_another([&] { CHECK(desk.told(address)["rows"].size() == 5); });
}

TEST_CASE("A monitor may end while it looks for inputs, and its trainer before it") {
    auto trainer = std::make_unique<PointTrainer>();
    auto desk = std::make_unique<Desk>();
    monitor::Watched watched = monitor::watch(*trainer);
    const auto copied = std::make_shared<std::atomic<bool>>(false);
    watched.maximise = [copied, maximise = watched.maximise](std::size_t classes, const MaximiseOptions& options,
                                                             const std::function<bool()>& halted) {
        return maximise(classes, options, [&] {
            *copied = true;  // it looks, with its copy
            return halted();
        });
    };
    desk->board.enter(std::move(watched));
    desk->board.show(monitor::maximised(2, {.steps = 1'000'000'000, .cost = 1e-30, .all_steps = true}));
    desk->board.show(monitor::maximised(2, {.steps = 3}));
    desk->board.show(monitor::table(points(), 2));
    CHECK(desk->told("/api/maximised?panel=" + desk->id("maximised"))["computing"] == true);
    for (int i = 0; i < 2000 && !*copied; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    REQUIRE(*copied);
    trainer.reset();
    CHECK(desk->told("/api/maximised?panel=" + desk->id("maximised"))["computing"] == true);  // it has a copy
    CHECK(desk->ask("/api/table?panel=" + desk->id("table")).status == 409);
    unsigned status = 200;
    for (int i = 0; i < 200 && status == 200; ++i) {
        status = desk->ask("/api/maximised?panel=" + desk->id("maximised", 1)).status;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    CHECK(status == 409);
    const auto before = std::chrono::steady_clock::now();
    desk.reset();
    CHECK(std::chrono::steady_clock::now() - before < std::chrono::seconds(10));
}

TEST_CASE("Networks of tokens are watched, and what has no gradient is refused") {
    const Dataset tokens(Numbers{{4, 3}, {0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4}}, Numbers{{4}, {0, 1, 0, 1}}, "tokens");
    Trainer trainer("tokens", Tokens{}, Adam{}, minibatches(tokens, 2));
    Desk desk;
    desk.board.enter(monitor::watch(trainer));
    desk.board.show(monitor::maximised(2));
    desk.board.show(monitor::table(tokens, 2));
    CHECK_THAT(desk.refused("/api/maximised?panel=" + desk.id("maximised"), 400), Contains("one input of numbers"));
    CHECK(desk.told("/api/table?panel=" + desk.id("table"))["rows"].size() == 2);
}

TEST_CASE("Of a parameter only those columns are told that are asked for") {
    PointTrainer trainer;
    Desk desk;
    desk.board.enter(monitor::watch(trainer));
    const std::string address = "/api/parameter?name=network.layers.deep.weights&values=1&bins=1";
    const Json all = desk.told(address), some = desk.told(address + "&columns=2"),
               few = desk.told(address + "&columns=2&limit=3");
    REQUIRE(all["values"].size() == 15);
    CHECK(desk.told(address + "&columns=99")["values"] == all["values"]);
    REQUIRE(some["values"].size() == 6);
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t column = 0; column < 2; ++column)
            CHECK(some["values"][2 * row + column] == all["values"][5 * row + column]);
    CHECK(few["values"].size() == 3);
    CHECK(desk.ask(address + "&columns=0").status == 400);
}

TEST_CASE("Who only looks may ask the network, and change nothing") {
    PointTrainer trainer;
    Desk desk(true);
    desk.board.enter(monitor::watch(trainer));
    CHECK(desk.told("/api/predict", R"({"input":[1,2,3]})")["output"].size() == 2);
    CHECK(desk.ask("/api/registry", R"({"name":"optimizer.learning_rate","value":1})").status == 403);
    CHECK(desk.ask("/api/commands", R"({"command":"stop"})").status == 403);
    CHECK(trainer.optimizer.learning_rate == 0.125);
}

TEST_CASE("Before the network stand its records") {
    PointTrainer trainer;
    const monitor::Watched watched = monitor::watch(trainer);
    REQUIRE(watched.data.size() == 3);
    CHECK(watched.data[0].text == "(3) and a number");
    CHECK(watched.data[0].from.empty());
    CHECK(watched.data[1].text == "points, 8 records");
    CHECK(watched.data[2].kind == "minibatches");
    CHECK(watched.data[2].from == std::vector<std::size_t>{1});
}

TEST_CASE("Before the records stand their readers, each with its source") {
    const auto read = zip(data::inputs = data::bytes<3>(data::memory("aaabbbcccddd", "points.bin")),
                          data::targets = data::bytes<>(data::memory(std::string("\0\1\0\1", 4), "answers.bin"))) >>
                      data::standardize(data::inputs) >> data::dataset("bytes");
    Trainer trainer("bytes", test::Points{}, Adam{}, minibatches(read, 2, 9));
    const monitor::Watched watched = monitor::watch(trainer);
    std::vector<std::string> steps;
    for (const monitor::PipelineStep& step : watched.data) {
        std::string text = sentence(step.kind, ": ", step.text);
        for (const std::size_t from : step.from) text += sentence(" < ", from);
        steps.push_back(text);
    }
    CHECK(steps == std::vector<std::string>{"source: points.bin", "reader: bytes < 0", "source: answers.bin",
                                            "reader: bytes < 2", "records: (3) and a number < 1 < 3",
                                            "transform: standardize of inputs < 4", "dataset: bytes, 4 records < 5",
                                            "minibatches: 2 records, shuffled, 2 an epoch < 6"});
    Desk desk;
    desk.board.enter(watched);
    const Json told = desk.told("/api/graph")["data"];
    REQUIRE(told.size() == watched.data.size());
    CHECK(told[4]["from"] == Json{1, 3});
}

TEST_CASE("A panel keeps its name when others come before it") {
    const std::vector<monitor::Panel> panels = {monitor::chart("loss", "optimizer.learning_rate"),
                                                monitor::confusion(lines()), monitor::chart("loss").of("b"),
                                                monitor::confusion(lines()), monitor::log};
    CHECK(monitor::ids_of(panels) == std::vector<std::string>{"chart-loss-optimizer-learning-rate", "confusion",
                                                              "chart-loss-b", "confusion--2", "log"});
    CHECK(monitor::ids_of({monitor::log, panels[0]})[1] == monitor::ids_of(panels)[0]);
}

TEST_CASE("A histogram shows the run so far to who comes late") {
    PointTrainer trainer;
    Desk desk;
    desk.board.enter(monitor::watch(trainer));
    desk.board.show(monitor::histogram("network.layers.*.weights"));
    const std::string address = "/api/histogram?pattern=network.layers.*.weights";
    Json told = desk.told(address);
    for (int i = 0; i < 100 && told["distributions"].size() < 3; ++i) {
        trainer.run(cpu(), 5);
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        told = desk.told(address);
    }
    REQUIRE(told["distributions"].size() >= 3);
    CHECK(told["name"] == told["names"][0]);
    const Json now = desk.told("/api/parameter?name=" + told["name"].get<std::string>());
    for (const Json& one : told["distributions"]) {
        CHECK(one["counts"].size() == monitor::Distributions::bins);
        std::uint64_t all = 0, wanted = 1;
        for (const Json& n : one["counts"]) all += n.get<std::uint64_t>();
        for (const Json& n : now["shape"]) wanted *= n.get<std::uint64_t>();
        CHECK(all == wanted);
        CHECK(one["low"].get<double>() <= one["high"].get<double>());
    }
    CHECK(told["distributions"][0]["iteration"] < told["distributions"][1]["iteration"]);
    CHECK(desk.told("/api/histogram?pattern=other")["names"].empty());
    CHECK_THAT(desk.refused(address + "&name=other", 404), Contains("the panel shows no such tensor"));
}
