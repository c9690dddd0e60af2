// SPDX-License-Identifier: BSL-1.0
// The panel of a classifier's predictions, without a browser and without sockets.
#include <sigma/layer/binary_ce.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/monitor/panel.hpp>
#include <sigma/monitor/watched.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/trainer/workers/workers.hpp>

#include "support/point_trainer.hpp"
#include "support/scratch.hpp"
#include "web/api.hpp"

#include "panels.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace sigma;
using namespace sigma::test;
using Catch::Contains;
using monitor::Json;

namespace {

struct Three : Network<Input(3) + Dense(3) + SoftmaxCE()> {};
struct Yes : Network<Input(3) + Dense(1) + BinaryCE()> {};
struct Hundred : Network<Input(3) + Dense(100) + SoftmaxCE()> {};
struct Number : Network<Input(3) + Dense(1) + MeanSquaredError()> {};

/// Records of `classes` classes, with some noise.
Dataset noisy(std::size_t records, std::size_t classes, const std::string& name = "noisy") {
    Numbers x{{records, 3}, std::vector<float>(records * 3)}, y{{records}, std::vector<float>(records)};
    Philox(7, RandomUse::user, 0).fill_normal(std::span(x.values));
    for (std::size_t i = 0; i < records; ++i) {
        y.values[i] = static_cast<float>((i * i + i / 3) % classes);
        x.values[3 * i] += y.values[i];
    }
    return Dataset(x, y, name);
}

/// A quiet board and its addresses. The test makes the turns.
struct Desk {
    std::unique_ptr<monitor::Board> board;
    std::unique_ptr<monitor::Api> api;

    explicit Desk(monitor::Board::Options options = {}) : board(std::make_unique<monitor::Board>(std::move(options))) {
        board->quiet();
        api = std::make_unique<monitor::Api>(*board, monitor::Access{{"a"}, ""});
    }
    monitor::Response ask(const std::string& target) const {
        monitor::Request request;
        request.method = "GET";
        request.target = target;
        request.host = "a";
        return api->answer(request);
    }
    Json told(const std::string& target = "/api/predictions?panel=predictions") const {
        const monitor::Response response = ask(target);
        INFO(response.body.substr(0, 500));
        CHECK(response.status == 200);
        return monitor::parsed(response.body).value_or(Json());
    }
    /// Makes turns until `done`, at most ten seconds.
    void turn_until(const std::function<bool()>& done) const {
        for (int i = 0; i < 2000 && !done(); ++i) {
            board->turn();
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        CHECK(done());
    }
    /// Returns the predictions of this iteration.
    Json told_of(std::uint64_t iteration, const std::string& panel = "predictions") const {
        Json found;
        turn_until([&] {
            found = told("/api/predictions?panel=" + panel);
            return found.contains("rows") && found["iteration"] == iteration;
        });
        return found;
    }
};

/// Compares an answer with predictions of the model, counted in another way.
void check_counts(const Json& found, const Dataset& data, std::size_t count, std::size_t classes,
                  const std::function<double(std::size_t, std::size_t)>& probability) {
    REQUIRE(found["rows"].size() == count);
    std::set<std::size_t> records;
    std::vector<std::vector<std::size_t>> counts(classes, std::vector<std::size_t>(classes));
    double before = HUGE_VAL;
    bool right_before = false;
    for (const Json& row : found["rows"]) {
        const auto record = row[0].get<std::size_t>();
        records.insert(record);
        std::size_t best = 0;
        for (std::size_t k = 1; k < classes; ++k)
            if (probability(record, k) > probability(record, best)) best = k;
        CHECK(row[1] == data.label(record));
        CHECK(row[2] == best);
        CHECK(row[3].get<double>() == Approx(probability(record, best)).margin(1e-4));
        CHECK(row[4].get<double>() == Approx(probability(record, data.label(record))).margin(1e-4));
        const double loss = row[5].get<double>();
        CHECK(loss == Approx(-std::log(probability(record, data.label(record)))).margin(1e-3));
        const bool right = row[1] == row[2];
        if (right == right_before) CHECK(loss <= before);
        else CHECK(right);
        before = loss, right_before = right;
        ++counts[data.label(record)][best];
    }
    CHECK(records.size() == count);
    CHECK(found["counts"] == Json(counts));
    // Precision and recall follow from these numbers.
    for (std::size_t k = 0; k < classes; ++k)
        for (int step = 0; step <= 100; ++step) {
            std::size_t positive = 0, negative = 0;
            for (std::size_t i = 0; i < count; ++i)
                if (probability(i, k) >= step / 100.0) ++(data.label(i) == k ? positive : negative);
            CHECK(found["positive"][k][static_cast<std::size_t>(step)] == positive);
            CHECK(found["negative"][k][static_cast<std::size_t>(step)] == negative);
        }
}

}  // namespace

TEST_CASE("Predictions at the end of a run are those of its model") {
    const Dataset data = noisy(300, 3);
    const auto examine = [&](auto& trainer) {
        Desk desk;
        desk.board->enter(monitor::watch(trainer));
        desk.board->show(monitor::predictions(data, {.records = 280}));
        desk.board->turn();
        trainer.run(cpu(), 3);
        const Json found = desk.told_of(trainer.iteration());
        const Array<float> all = trainer.predict(data.range(0, 280).inputs());
        check_counts(found, data, 280, 3,
                     [&](std::size_t i, std::size_t k) { return static_cast<double>(all.data()[3 * i + k]); });
        CHECK(found["epoch"] == 3);
        CHECK(found["of"] == 300);
        CHECK(found["classes"] == Json({"0", "1", "2"}));
        // A client that has this version gets nothing else.
        const Json unchanged = desk.told("/api/predictions?panel=predictions&seen=" + found["version"].dump());
        CHECK(unchanged == Json{{"version", found["version"]}});
    };
    Trainer fixed("fixed", Three{}, GradientDescent{.learning_rate = 0.1}, minibatches(data, 30));
    examine(fixed);
    Trainer made("made", network(Three::expression), GradientDescent{.learning_rate = 0.1}, minibatches(data, 30));
    examine(made);
}

TEST_CASE("One output predicts two classes") {
    const Dataset data = noisy(200, 2);
    Trainer trainer("yes", Yes{}, GradientDescent{.learning_rate = 0.1}, minibatches(data, 20));
    Desk desk;
    desk.board->enter(monitor::watch(trainer));
    desk.board->show(monitor::predictions(data));
    desk.board->turn();
    trainer.run(cpu(), 2);
    const Json found = desk.told_of(trainer.iteration());
    const Array<float> all = trainer.predict(data.inputs());
    check_counts(found, data, 200, 2, [&](std::size_t i, std::size_t k) {
        const auto yes = static_cast<double>(all.data()[i]);
        return k == 1 ? yes : 1 - yes;
    });
}

TEST_CASE("A panel predicts every so many epochs, each of its own trainer") {
    const Dataset data = noisy(60, 3);
    Trainer a("a", Three{}, GradientDescent{}, minibatches(data, 30)),
        b("b", Three{}, GradientDescent{}, minibatches(data, 20));
    Desk desk;
    desk.board->enter(monitor::watch(a));
    desk.board->enter(monitor::watch(b));
    desk.board->show(monitor::predictions(data, {.epochs = 2}));
    desk.board->show(monitor::predictions(data).of("b"));
    a.on_iteration([](auto&) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
    std::set<std::uint64_t> epochs;
    a.start(cpu());
    desk.turn_until([&] {
        const Json found = desk.told();
        if (found.contains("epoch")) epochs.insert(found["epoch"].get<std::uint64_t>());
        return epochs.size() == 2;
    });
    a.stop().wait();
    CHECK(std::ranges::all_of(epochs, [](std::uint64_t one) { return one % 2 == 0; }));
    CHECK(desk.told_of(a.iteration())["epoch"] == a.epoch());  // the end of the run
    b.run(workers(2), 2);
    CHECK(desk.told_of(b.iteration(), "predictions-b")["epoch"] == 2);
    CHECK(desk.told()["epoch"] == a.epoch());
}

TEST_CASE("A client sees a trainer that has not finished an epoch") {
    const Dataset data = noisy(40, 3);
    Trainer trainer("three", Three{}, GradientDescent{}, minibatches(data, 10));
    Desk desk;
    desk.board->enter(monitor::watch(trainer));
    desk.board->show(monitor::predictions(data));
    CHECK(desk.told() == Json{{"version", 0}});
    CHECK(desk.told_of(0)["epoch"] == 0);
}

TEST_CASE("A probability that equals a threshold reaches it") {
    const Dataset data = noisy(40, 2);
    Trainer trainer("yes", Yes{}, GradientDescent{}, minibatches(data, 10));
    trainer.registry().set("network.layers.1-dense.weights", Weights({3, 1}, {0.F, 0.F, 0.F}));
    trainer.registry().set("network.layers.1-dense.biases", Weights({1}, {0.F}));
    Desk desk;
    desk.board->enter(monitor::watch(trainer));
    desk.board->show(monitor::predictions(data));
    const Json found = desk.told_of(0);
    CHECK(found["negative"][1][50] != 0);
    CHECK(found["negative"][1][50] == found["negative"][1][0]);
    CHECK(found["negative"][1][51] == 0);
    CHECK(found["rows"][0][2] == 1);
}

TEST_CASE("Records have their images, or else their first numbers") {
    Numbers pixels{{2, 2, 2, 3}, std::vector<float>(24)};
    for (std::size_t i = 0; i < 24; ++i) pixels.values[i] = static_cast<float>(i % 12) / 11;
    Desk desk;
    desk.board->show(monitor::predictions(Dataset(pixels, Numbers{{2}, {0, 1}}, "colors")));
    desk.board->show(monitor::predictions(noisy(9, 2)).titled("numbers"));
    const Json images = desk.told("/api/predictions?panel=predictions&records=1");
    CHECK(images["picture"] == Json{{"rows", 2}, {"columns", 2}, {"channels", 3}});
    CHECK(images["inputs"] == Json{{"1", "00172e455c738ba2b9d0e7ff"}});
    const Json numbers = desk.told("/api/predictions?panel=predictions-numbers&records=8,2");
    REQUIRE(numbers["inputs"].size() == 2);
    CHECK(numbers["inputs"]["8"][0].get<float>() == noisy(9, 2).input(8)[0]);
    CHECK_FALSE(numbers.contains("picture"));
    for (const char* wrong : {"9", "x", "-1", "1,,2"})
        CHECK(desk.ask(sentence("/api/predictions?panel=predictions-numbers&records=", wrong)).status == 400);
    std::string many = "0";
    for (int i = 0; i < 64; ++i) many += ",0";
    CHECK_THAT(desk.ask("/api/predictions?panel=predictions-numbers&records=" + many).body,
               Contains("expected at most 64 indices below 9"));
}

TEST_CASE("Predictions refuse what they cannot show") {
    PointTrainer trainer;
    const Dataset numbers(Numbers{{2, 3}, {1, 2, 3, 4, 5, 6}}, Numbers{{2, 1}, {1.5, 2.5}}, "numbers");
    Trainer number("number", Number{}, GradientDescent{}, minibatches(numbers, 2));
    Desk desk;
    desk.board->enter(monitor::watch(trainer));
    desk.board->enter(monitor::watch(number));
    const auto refused = [&](monitor::Panel panel) {
        try {
            desk.board->show(std::move(panel));
        } catch (const ArgumentError& error) { return std::string(error.what()); }
        return std::string();
    };
    CHECK_THAT(refused(monitor::predictions(numbers)), Contains("data with classes as targets"));
    CHECK_THAT(refused(monitor::predictions(points()).of("number")),
               Contains("predictions of trainer 'number': expected a network with one input and one loss that "
                        "classifies, found 'input(3) + dense(1)"));
    CHECK_THAT(refused(monitor::predictions(Dataset(Numbers{{1, 2}, {1, 2}}, Numbers{{1}, {1}}, "two"))),
               Contains("expected records of 3 numbers, found 2"));
    CHECK_THAT(refused(monitor::predictions(noisy(9, 3))), Contains("data of at most 2 classes, found 3"));
    CHECK_THAT(refused(monitor::predictions(noisy(200, 150))), Contains("classes of predictions: expected 1 to 100"));
    CHECK_THAT(refused(monitor::predictions(points(), {.epochs = 0})), Contains("expected 1 or more, found 0"));
    CHECK_THAT(refused(monitor::predictions(points(), {.records = 10'001})), Contains("expected 1 to 10000"));
    CHECK(refused(monitor::predictions(points())).empty());
    // A trainer that is added later.
    desk.board->show(monitor::predictions(points()).of("later"));
    Trainer later("later", Number{}, GradientDescent{}, minibatches(numbers, 2));
    CHECK_THROWS_AS(desk.board->enter(monitor::watch(later)), ArgumentError);
    // A trainer that is known by its registry only.
    desk.board->enter({.name = "later", .remote = trainer.control(), .registry = trainer.registry()});
    const monitor::Response response = desk.ask("/api/predictions?panel=predictions-later");
    CHECK(response.status == 400);
    CHECK_THAT(response.body, Contains("one loss that classifies"));
}

TEST_CASE("The folder of a run has its last predictions") {
    const Scratch scratch;
    const std::string folder = scratch / "runs";
    const Dataset data = noisy(200, 3);
    Trainer trainer("three", Three{}, GradientDescent{}, minibatches(data, 20));
    {
        const Desk desk({.runs = folder});
        desk.board->enter(monitor::watch(trainer));
        desk.board->show(monitor::predictions(data));
        desk.board->turn();
        trainer.run(cpu(), 2);
    }  // the last turns
    monitor::Board board({.runs = folder, .read_only = true});
    board.quiet();
    monitor::RunLibrary library(folder);
    const monitor::Api api{board, {{"a"}, ""}, &library};
    const auto told = [&](const std::string& target) {
        monitor::Request request;
        request.method = "GET";
        request.target = target;
        request.host = "a";
        return monitor::parsed(api.answer(request).body).value_or(Json());
    };
    const Json run = told("/api/runs")["runs"].at(0);
    CHECK(run["predictions"] == true);
    const Json kept = told("/api/runs/predictions?run=" + run["id"].get<std::string>())["panels"].at(0);
    CHECK((kept["trainer"] == "three" && kept["title"] == "predictions" && kept["iteration"] == 20));
    CHECK(kept["rows"].size() == 200);
    CHECK(kept["inputs"].size() == 64);
    CHECK(kept["inputs"].contains(kept["rows"][0][0].dump()));  // of the worst error
    bool shown = false;
    for (const Json& panel : told("/api/panels")) shown = shown || panel["kind"] == "predictions_of_runs";
    CHECK(shown);
    CHECK_THAT(told("/api/runs/predictions?run=other")["error"].get<std::string>(), Contains("it has no predictions"));
}

TEST_CASE("An answer has a bounded size") {
    const Dataset data = noisy(10'000, 100);
    Trainer trainer("most", Hundred{}, GradientDescent{}, minibatches(data, 1000));
    Desk desk;
    desk.board->enter(monitor::watch(trainer));
    desk.board->show(monitor::predictions(data, {.records = 10'000}));
    const Json found = desk.told_of(0);
    CHECK(found["rows"].size() == 10'000);
    CHECK(monitor::text_of(found).size() < 700'000);
}
