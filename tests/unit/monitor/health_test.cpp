// SPDX-License-Identifier: BSL-1.0
// The health of layers, and one record through the network, without a browser and without sockets.
#include <sigma/layer/dense.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/monitor/panel.hpp>
#include <sigma/monitor/watched.hpp>
#include <sigma/trainer/workers/workers.hpp>

#include "support/point_trainer.hpp"
#include "support/scratch.hpp"
#include "web/api.hpp"

#include "panels.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace sigma;
using namespace sigma::test;
using Catch::Contains;
using monitor::Json;

namespace {

double squares(const Weights& values) {
    double sum = 0;
    for (const float x : values) sum += static_cast<double>(x) * static_cast<double>(x);
    return sum;
}
/// Returns the norm of all arrays that match a pattern.
double norm_of(const Registry& registry, const std::string& pattern) {
    double sum = 0;
    for (const auto& [name, values] : registry.get_all<Weights>(pattern)) sum += squares(values);
    return std::sqrt(sum);
}

/// Units 0 and 1 of the first layer can be made silent by their biases.
struct Silent : Network<Input(3) + Dense(4, relu) + Dropout(0.1) + Dense(4) + relu + Dense(2) + SoftmaxCE()> {};

/// A quiet board and its addresses. The test makes the turns.
struct Desk {
    monitor::Board board;
    monitor::Api api{board, {{"a"}, ""}};

    explicit Desk(monitor::Board::Options options = {.tensors = std::chrono::milliseconds(1)})
        : board(std::move(options)) {
        board.quiet();
    }
    monitor::Response ask(const std::string& target) const {
        monitor::Request request;
        request.method = "GET";
        request.target = target;
        request.host = "a";
        return api.answer(request);
    }
    Json told(const std::string& target) const {
        const monitor::Response response = ask(target);
        INFO(response.body.substr(0, 500));
        CHECK(response.status == 200);
        return monitor::parsed(response.body).value_or(Json());
    }
    /// Makes turns until `done`, at most ten seconds.
    void turn_until(const std::function<bool()>& done) {
        for (int i = 0; i < 2000 && !done(); ++i) {
            board.turn();
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        CHECK(done());
    }
};

}  // namespace

TEST_CASE("The health of layers is that of the registry's tensors") {
    PointTrainer trainer;
    const auto watched = monitor::watch(trainer);
    const Registry registry = trainer.registry();
    const auto unread = watched.health(false);
    REQUIRE(unread.size() == 2);
    CHECK(unread[0].name == "deep");
    CHECK_FALSE(unread[0].gradients);
    CHECK_FALSE(unread[0].dead);
    trainer.run(cpu(), 1);
    const auto found = watched.health(false);
    for (const monitor::LayerHealth& layer : found) {
        const std::string at = sentence("network.layers.", layer.name, ".");
        CHECK(layer.weights.value() ==
              Approx(std::hypot(norm_of(registry, at + "weights"), norm_of(registry, at + "biases"))));
        CHECK(layer.gradients.value() == Approx(norm_of(registry, at + "gradients.*")));
        CHECK_FALSE(layer.update);
    }
    // Of both layers, only the first has a range with two ends.
    const auto outputs = registry.get<Weights>("network.layers.deep.outputs");
    std::size_t saturated = 0;
    for (const float x : outputs) saturated += std::abs(x) >= 0.99F;
    CHECK(found[0].saturated.value() == static_cast<double>(saturated) / static_cast<double>(outputs.size()));
    CHECK_FALSE(found[1].saturated);

    const auto before = registry.get<Weights>("network.layers.deep.weights");
    const auto biases = registry.get<Weights>("network.layers.deep.biases");
    trainer.run(cpu(), 1);
    const auto after = watched.health(true);
    double change = 0;
    for (const auto& [name, was] : {std::pair("weights", &before), std::pair("biases", &biases)}) {
        const auto now = registry.get<Weights>(sentence("network.layers.deep.", name));
        for (std::size_t i = 0; i < now.size(); ++i) change += std::pow(now.data()[i] - was->data()[i], 2);
    }
    CHECK(after[0].update.value() == Approx(std::sqrt(change / (squares(before) + squares(biases)))));
    CHECK_FALSE(after[0].weights);
}

TEST_CASE("A unit is dead if no record of three batches in a row reaches it") {
    Trainer trainer("silent", Silent{}, Adam{.learning_rate = 1e-12}, minibatches(points(), 4));
    Registry registry = trainer.registry();
    const auto watched = monitor::watch(trainer);
    const auto read = [&] {
        trainer.run(cpu(), 1);
        return watched.health(false);
    };
    registry.set("network.layers.1-dense.biases", Weights({4}, {-1000.F, -1000.F, 1000.F, 1000.F}));
    CHECK_FALSE(read()[0].dead);
    CHECK_FALSE(read()[0].dead);
    const auto found = read();
    CHECK(found[0].dead.value() == 0.5);
    // The dropout layer has no unit of its own; the relu behind the second dense layer has.
    std::vector<std::string> names;
    for (const auto& layer : found) names.push_back(layer.name);
    CHECK(names == std::vector<std::string>{"1-dense", "3-dense", "4-activation", "5-dense"});
    CHECK_FALSE(found[2].weights);
    CHECK(found[2].dead);
    // A unit that one record reaches begins again.
    registry.set("network.layers.1-dense.biases", Weights({4}, {-1000.F, 1000.F, 1000.F, 1000.F}));
    CHECK(read()[0].dead.value() == 0.25);
    registry.set("network.layers.1-dense.biases", Weights({4}, {-1000.F, -1000.F, 1000.F, 1000.F}));
    CHECK(read()[0].dead.value() == 0.25);
}

TEST_CASE("A panel of health has curves of the run from its start, which are not written to disk") {
    const Scratch scratch;
    PointTrainer trainer;
    trainer.on_iteration([](auto&) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
    std::string folder;
    {
        Desk desk({.runs = scratch.path.string(), .tensors = std::chrono::milliseconds(1)});
        desk.board.enter(monitor::watch(trainer));
        desk.board.show(monitor::health);
        trainer.start(cpu());
        const auto points = [&](const char* name) {
            for (const Json& one : desk.board.series("points"))
                if (one["name"] == name) return one["points"].get<int>();
            return 0;
        };
        desk.turn_until([&] { return points("health.deep.update") >= 3 && points("health.deep.dead") >= 1; });
        trainer.stop().wait();
        const Json told = desk.told("/api/health");
        REQUIRE(told["layers"].size() == 2);
        const Json& deep = told["layers"][0];
        CHECK(deep["name"] == "deep");
        CHECK(deep["values"]["gradients"]["series"] == "health.deep.gradients");
        CHECK(deep["values"]["gradients"]["y"].size() >= 3);
        CHECK(deep["values"]["update"]["last"].get<double>() > 0);
        CHECK(deep["values"]["saturated"]["last"].get<double>() <= 1);
        CHECK_FALSE(told["layers"][1]["values"].contains("saturated"));
        // A chart of them, as of any number.
        CHECK(desk.told("/api/history?name=health.deep.gradients")["x"].size() >= 3);
        folder = desk.board.run_folder();
    }
    const std::string bytes = file_text(folder + "/series.bin");
    CHECK_THAT(bytes, Contains("loss"));
    CHECK_THAT(bytes, !Contains("health."));
}

TEST_CASE("Nothing is read of layers that nobody wants to see") {
    std::atomic<int> readings = 0;
    PointTrainer trainer;
    Desk desk;
    monitor::Watched watched = monitor::watch(trainer);
    watched.health = [&, health = watched.health](bool after_a_step) {
        ++readings;
        return health(after_a_step);
    };
    desk.board.enter(std::move(watched));
    trainer.start(cpu());
    for (int i = 0; i < 20; ++i) desk.board.turn();
    CHECK(readings == 0);
    // The page without a choice of panels has one, and asks while somebody looks.
    bool by_default = false;
    for (const Json& panel : desk.board.panels()) by_default = by_default || panel["kind"] == "health";
    CHECK(by_default);
    CHECK(desk.told("/api/health")["layers"].empty());
    desk.turn_until([&] { return desk.told("/api/health")["layers"].size() == 2; });
    trainer.stop().wait();
    // Without a run, the program may use the model.
    const int before = readings;
    CHECK(before > 0);
    for (int i = 0; i < 20; ++i) {
        desk.board.turn();
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    CHECK(readings == before);
}

TEST_CASE("With workers, gradients are those of the whole minibatch") {
    PointTrainer trainer;
    trainer.on_iteration([](auto&) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
    Desk desk;
    desk.board.enter(monitor::watch(trainer));
    desk.board.show(monitor::health);
    trainer.start(workers(2));
    desk.turn_until([&] {
        const Json told = desk.told("/api/health");
        return told["layers"].size() == 2 && told["layers"][0]["values"].contains("gradients");
    });
    const Json values = desk.told("/api/health")["layers"][0]["values"];
    trainer.stop().wait();
    CHECK(values["weights"]["last"].get<double>() > 0);
    CHECK(values["gradients"]["last"].get<double>() > 0);
    CHECK(values.contains("saturated"));

    PointTrainer alone;
    alone.run(workers(2), 1);
    const auto found = monitor::watch(alone).health(false);
    for (const monitor::LayerHealth& layer : found)
        CHECK(layer.gradients.value() ==
              Approx(norm_of(alone.registry(), sentence("network.layers.", layer.name, ".gradients.*"))));
}

TEST_CASE("Reading the health of layers takes a two-hundredth of the time at most") {
    std::atomic<int> readings = 0;
    PointTrainer trainer;
    Desk desk;
    monitor::Watched watched = monitor::watch(trainer);
    watched.health = [&](bool) {
        ++readings;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return std::vector<monitor::LayerHealth>(1);
    };
    desk.board.enter(std::move(watched));
    desk.board.show(monitor::health);
    trainer.start(cpu());
    desk.turn_until([&] { return readings == 2; });  // before and after a step
    for (int i = 0; i < 100; ++i) {
        desk.board.turn();
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    trainer.stop().wait();
    CHECK(readings == 2);  // 40 ms take 8 seconds
}

TEST_CASE("Only layers of a trainer that is watched have health") {
    PointTrainer trainer;
    Desk desk;
    monitor::Watched bare{.name = "bare", .remote = trainer.control(), .registry = trainer.registry()};
    desk.board.enter(std::move(bare));
    desk.board.show(monitor::activations(points()));
    const monitor::Response health = desk.ask("/api/health"), record = desk.ask("/api/activations?panel=activations");
    CHECK(health.status == 400);
    CHECK_THAT(health.body, Contains("a network that was passed to watch()"));
    CHECK(record.status == 400);
    CHECK_THAT(record.body, Contains("a network of one input that was passed to watch()"));
}

TEST_CASE("A chosen record is shown through the network") {
    PointTrainer trainer;
    trainer.run(cpu(), 1);
    Desk desk;
    desk.board.enter(monitor::watch(trainer));
    desk.board.show(monitor::activations(points()));
    desk.board.show(monitor::activations(Dataset(Numbers{{1, 2}, {1, 2}}, Numbers{{1, 1}, {1}}, "other")));
    for (const Json& panel : desk.board.panels())
        if (panel["id"] == "activations") CHECK(panel["records"] == 8);
    const Json told = desk.told("/api/activations?panel=activations&record=5");
    CHECK(told["record"] == 5);
    CHECK(told["target"] == "0");
    const auto outputs = layer_outputs(std::as_const(trainer).model(), {points().input(5).data()}, 1);
    REQUIRE(told["layers"].size() == outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const Json& layer = told["layers"][i];
        REQUIRE(layer["values"].size() == outputs[i].size());
        CHECK(layer["count"] == outputs[i].size());
        for (std::size_t k = 0; k < outputs[i].size(); ++k)
            CHECK(layer["values"][k].get<double>() == Approx(outputs[i][k]).margin(1e-4));
        CHECK(layer["low"].get<double>() <= layer["high"].get<double>());
    }
    CHECK(told["layers"][1]["name"] == "deep");
    CHECK(told["layers"][1]["shape"] == "(5)");
    const monitor::Response beyond = desk.ask("/api/activations?panel=activations&record=8");
    CHECK(beyond.status == 400);
    CHECK_THAT(beyond.body, Contains("expected an index below 8, found 8"));
    const monitor::Response other = desk.ask("/api/activations?panel=activations--2");
    CHECK(other.status == 400);
    CHECK_THAT(other.body, Contains("expected records of 3 numbers, found 2"));
}
