// SPDX-License-Identifier: BSL-1.0
// Numbers of the machine and profiles of steps, without a browser and without sockets.
#include <sigma/device/profiler.hpp>
#include <sigma/monitor/panel.hpp>
#include <sigma/monitor/watched.hpp>

#include "support/point_trainer.hpp"
#include "support/scratch.hpp"
#include "web/api.hpp"

#include "machine.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <vector>

using namespace sigma;
using namespace sigma::test;
using Catch::Contains;
using monitor::Json;

namespace {

std::map<std::string, monitor::Usage> by_name(const std::vector<monitor::Usage>& all) {
    std::map<std::string, monitor::Usage> found;
    for (const monitor::Usage& one : all) found[one.name] = one;
    return found;
}

/// Two GPUs, of which the second has no sensor.
monitor::Nvml two_gpus() {
    constexpr int not_supported = 3;
    using Nvml = monitor::Nvml;
    static int gpus[2];
    Nvml fake;
    fake.count = [](unsigned* count) { return *count = 2, 0; };
    fake.handle = [](unsigned index, void** gpu) { return *gpu = &gpus[index], 0; };
    fake.name = [](void*, char* text, unsigned) { return std::strcpy(text, "H200"), 0; };
    fake.utilization = [](void* gpu, Nvml::Utilization* to) { return to->gpu = gpu == &gpus[0] ? 40 : 100, 0; };
    fake.memory = [](void*, Nvml::Memory* to) { return to->used = 3'000'000'000, 0; };
    fake.temperature = [](void* gpu, int, unsigned* to) { return *to = 51, gpu == &gpus[0] ? 0 : not_supported; };
    fake.power = [](void* gpu, unsigned* to) { return *to = 250'500, gpu == &gpus[0] ? 0 : not_supported; };
    return fake;
}

/// A quiet board with a running trainer and its addresses. The test makes the turns.
struct RunningDesk {
    PointTrainer trainer;
    monitor::Board board;
    monitor::Api api{board, {{"a"}, ""}};

    explicit RunningDesk(monitor::Board::Options options = {.tensors = std::chrono::milliseconds(1)})
        : board(std::move(options)) {
        board.quiet();
        trainer.on_iteration([](auto&) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
        board.enter(monitor::watch(trainer));
    }
    ~RunningDesk() { trainer.control().stop(); }
    monitor::Response ask(const std::string& method, const std::string& target, const std::string& body = {}) const {
        monitor::Request request;
        request.method = method, request.target = target, request.host = "a";
        request.content_type = "application/json", request.body = body;
        return api.answer(request);
    }
    Json told(const std::string& target) const {
        const monitor::Response response = ask("GET", target);
        INFO(response.body.substr(0, 500));
        CHECK(response.status == 200);
        return monitor::parsed(response.body).value_or(Json());
    }
    Json command() const {
        return monitor::parsed(ask("POST", "/api/commands", R"({"trainer":"points","command":"profile"})").body)
            .value_or(Json());
    }
    /// Returns a number as the panel shows it; null if it is unknown.
    Json number(const std::string& series) const {
        const Json all = told("/api/system")["numbers"];
        for (const Json& one : all)
            if (one["series"] == series) return one;
        return nullptr;
    }
    /// Makes turns until `done`, at most ten seconds.
    template <class Done>
    void turn_until(const Done& done) {
        for (int i = 0; i < 2000 && !done(); ++i) {
            board.turn();
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        CHECK(done());
    }
};

}  // namespace

TEST_CASE("A machine reports its processor and memory, and no GPU without NVML") {
    monitor::Machine machine{std::nullopt};
    CHECK_FALSE(by_name(machine.read()).contains("system.process.cores"));  // a mean needs two readings
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
    while (std::chrono::steady_clock::now() < until) {}
    auto found = by_name(machine.read());
    CHECK(found.at("system.process.cores").value > 0.05);
    CHECK(found.at("system.process.cores").value < std::thread::hardware_concurrency() + 1);
    for (const auto& [name, _] : found) CHECK_FALSE(name.starts_with("system.gpu."));
    if (!monitor::Machine::missing().empty()) return;
    CHECK(found.at("system.machine.cores").value > 0.05);
    CHECK(found.at("system.machine.free").value > 10);
    const double memory = found.at("system.process.memory").value, threads = found.at("system.process.threads").value;
    CHECK(memory > 1);
    std::vector<char> more(100'000'000, 'x');
    std::jthread another([&] { std::this_thread::sleep_for(std::chrono::milliseconds(300)); });
    found = by_name(machine.read());
    // TSan keeps more than two bytes for each byte, and a thread of its own.
    CHECK(found.at("system.process.memory").value - memory > 70);
    CHECK(found.at("system.process.memory").value - memory < 500);
    CHECK(found.at("system.process.threads").value > threads);
    CHECK(found.at("system.process.threads").value <= threads + 2);
    CHECK(more.back() == 'x');
}

TEST_CASE("A machine reports what its GPUs measure") {
    const auto found = by_name(monitor::Machine(two_gpus()).read());
    CHECK(found.at("system.gpu.0.load").value == Approx(0.4));
    CHECK(found.at("system.gpu.0.load").label == "GPU 0 (H200): utilization");
    CHECK(found.at("system.gpu.0.memory").value == Approx(3000));
    CHECK(found.at("system.gpu.0.temperature").value == 51);
    CHECK(found.at("system.gpu.0.power").value == Approx(250.5));
    CHECK(found.at("system.gpu.1.load").value == 1);
    CHECK_FALSE(found.contains("system.gpu.1.temperature"));
    CHECK_FALSE(found.contains("system.gpu.1.power"));
    CHECK_FALSE(monitor::Nvml::load("libno-such-library.so.1"));
    CHECK_FALSE(monitor::Nvml::load("libc.so.6"));  // without the functions
}

TEST_CASE("A panel of the system has curves of the run, which are not written to disk") {
    const Scratch scratch;
    std::string folder;
    {
        RunningDesk desk({.runs = (scratch.path / "runs").string(), .tensors = std::chrono::milliseconds(1)});
        desk.trainer.start({.epochs = RunOptions::forever});
        for (int i = 0; i < 20; ++i) desk.board.turn();
        CHECK(desk.told("/api/system")["numbers"].empty());  // nothing is read without a panel
        desk.board.show(monitor::system);
        const auto points = [&](const std::string& name) -> std::size_t {
            for (const Json& one : desk.told("/api/series"))
                if (one["name"] == name) return one["points"].get<std::size_t>();
            return 0;
        };
        desk.turn_until([&] { return points("system.process.cores") >= 3 && points("system.waiting") >= 2; });
        const Json cores = desk.number("system.process.cores"), waiting = desk.number("system.waiting"),
                   computing = desk.number("system.computing");
        CHECK(cores["label"] == "process: cores in use");
        CHECK(cores["y"].size() >= 2);
        // Most of an iteration is the callback, which neither waits for data nor computes.
        const double all = waiting["last"].get<double>() + computing["last"].get<double>();
        CHECK(all > 0);
        CHECK(all < 0.7);
        CHECK(desk.told("/api/history?name=system.waiting")["x"].size() >= 2);
        folder = desk.board.run_folder();
        desk.trainer.control().stop().wait();
        desk.trainer.wait();
        desk.turn_until([&] { return sigma::detail::profile_now() == 0; });  // an idle program measures nothing
    }
    std::ifstream file(folder + "/series.bin", std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    CHECK_THAT(bytes, Contains("loss") && !Contains("system."));
}

TEST_CASE("A client gets a profile of a running trainer") {
    RunningDesk desk;
    CHECK(desk.command()["reason"] == "profile of trainer 'points': it is not running");
    CHECK(desk.told("/api/system")["profile"].is_null());
    desk.trainer.start({.epochs = RunOptions::forever});
    desk.turn_until([&] { return desk.trainer.control().state() == RunState::running; });
    CHECK(desk.command()["status"] == "done");
    CHECK(desk.command()["reason"] == "profile of trainer 'points': it is still being measured");
    CHECK(desk.told("/api/system")["profile"].contains("measuring"));
    desk.turn_until([&] { return desk.told("/api/system")["profile"].contains("version"); });
    const Json profile = desk.told("/api/system")["profile"];
    CHECK(profile["iterations"].get<int>() >= 80);  // the first ones are not timed, some more under TSan
    CHECK(profile["seconds"].get<double>() > 0.001);
    double shares = 0;
    for (const Json& part : profile["parts"])
        if (part["name"] != "hooks of epochs") shares += part["share"].get<double>();
    CHECK(shares == Approx(1).margin(0.05));
    std::vector<std::string> layers;
    for (const Json& kernel : profile["kernels"]) {
        CHECK(kernel["seconds"].get<double>() > 0);
        const auto layer = kernel["layer"].get<std::string>();
        if (layers.empty() || layers.back() != layer) layers.push_back(layer);
    }
    CHECK(layers == std::vector<std::string>{"deep", "2-dense", "3-softmax_ce"});
    CHECK(desk.told("/api/system?seen=1")["profile"] == Json{{"version", 1}});
    CHECK(desk.command()["status"] == "done");  // another one
}

TEST_CASE("A profile ends with its run, and a read-only monitor makes none") {
    RunningDesk desk;
    desk.trainer.start({.epochs = RunOptions::forever});
    desk.turn_until([&] { return desk.trainer.control().state() == RunState::running; });
    CHECK(desk.command()["status"] == "done");
    desk.trainer.control().stop().wait();
    desk.turn_until([&] { return desk.told("/api/system")["profile"].contains("version"); });

    RunningDesk closed({.read_only = true});
    CHECK(closed.ask("POST", "/api/commands", R"({"trainer":"points","command":"profile"})").status == 403);
}
