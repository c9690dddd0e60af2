// SPDX-License-Identifier: BSL-1.0
// Requests and answers of a browser, through sockets.
#include <sigma/environment/log.hpp>
#include <sigma/hook/words.hpp>
#include <sigma/monitor/run_folder.hpp>
#include <sigma/monitor/web.hpp>
#include <sigma/sigma.hpp>

#include "support/point_trainer.hpp"
#include "support/raw_client.hpp"
#include "support/scratch.hpp"
#include "support/thrown.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <list>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include <signal.h>
#include <unistd.h>

using namespace sigma;
using namespace sigma::test;

namespace {

bool has(const std::string& text, std::string_view part) {
    if (text.find(part) != text.npos) return true;
    UNSCOPED_INFO("expected " << part << " in " << text.substr(0, 2000));
    return false;
}
/// The answer's body, of an answer 200.
std::string body(const std::string& answer) {
    UNSCOPED_INFO(answer.substr(0, 300));
    CHECK(status_of(answer) == 200);
    return body_of(answer);
}
/// Asks again until it is there, for at most ten seconds.
template <class Ask>
bool soon(Ask ask) {
    for (int i = 0; i < 200; ++i) {
        if (ask()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
}

}  // namespace

TEST_CASE("A monitor shows a trainer before, in and after a run") {
    PointTrainer trainer;
    monitor::Web web(trainer, {.port = 0});
    CHECK(web.address() == sentence("http://127.0.0.1:", web.port(), "/"));
    CHECK(web.token().empty());
    RawClient client(web.port());

    const std::string page = client.get("/");
    CHECK(has(body(page), "<html"));
    for (const char* field :
         {"Content-Security-Policy: default-src 'none'; script-src 'self';", "X-Content-Type-Options: nosniff",
          "Referrer-Policy: no-referrer", "Cache-Control: no-store", "frame-ancestors 'none'"})
        CHECK(has(page, field));
    CHECK(has(body(client.get("/page/uPlot.iife.min.js")), "uPlot"));
    CHECK(has(body(client.get("/page/uPlot-LICENSE.txt")), "MIT"));

    std::string state = body(client.get("/api/state"));
    CHECK(has(state, "\"name\":\"points\""));
    CHECK(has(state, "\"state\":\"idle\""));
    CHECK(has(state, "\"optimizer\":\"adam\""));
    CHECK(has(state, "\"network\":\"input(3) + dense(5) + dense(2) + softmax_ce\""));
    CHECK(has(state, "\"batches_per_epoch\":2"));
    CHECK(has(state, "\"read_only\":false"));

    trainer.run(cpu({.threads = 2}), 30);
    CHECK(soon([&] { return body_of(client.get("/api/history?name=loss")).find(",60") != std::string::npos; }));
    const std::string history = body(client.get("/api/history?trainer=points&name=loss&from=1&to=60&points=1000"));
    CHECK(has(history, "\"x\":[1.0,2.0,3.0,"));
    CHECK(!has(history, "null"));
    CHECK(has(body(client.get("/api/series")), "{\"last\":"));
    CHECK(soon([&] { return body_of(client.get("/api/history?name=error")).find(",60.0]") != std::string::npos; }));
    state = body(client.get("/api/state"));
    CHECK(has(state, "\"device\":\"cpu, 2 threads\""));
    CHECK(has(state, "\"iteration\":60"));
    CHECK(has(state, "\"epochs_planned\":30"));
    CHECK(status_of(client.get("/api/history?name=nothing")) == 404);

    const std::string graph = body(client.get("/api/graph"));
    CHECK(has(graph, "\"name\":\"2-dense\""));
    CHECK(has(graph, "\"edges\":[[0,1],[1,2],[2,3]]"));
    CHECK(has(graph, "points, 8 records"));

    const std::string parameter =
        body(client.get("/api/parameter?name=network.layers.deep.weights&bins=4&values=1&limit=3"));
    CHECK(has(parameter, "\"shape\":[3,5]"));
    const std::string metrics = body(client.get("/metrics"));
    CHECK(has(metrics, "# TYPE sigma_loss gauge\nsigma_loss{trainer=\"points\"} "));
    CHECK(has(metrics, "sigma_iteration{trainer=\"points\"} 60\n"));
    CHECK(has(metrics, "sigma_optimizer_learning_rate{trainer=\"points\"} 0.125\n"));
    CHECK(has(body(client.get("/api/panels")), "\"kind\":\"chart\""));
}

TEST_CASE("A browser reads and sets what the registry has") {
    PointTrainer trainer;
    monitor::Web web(trainer, {.port = 0});
    RawClient client(web.port());
    const std::string all = body(client.get("/api/registry?pattern=optimizer.*"));
    CHECK(has(all,
              "{\"name\":\"optimizer.learning_rate\",\"number\":0.125,\"tags\":[],\"text\":\"0.125\",\"type\":"
              "\"double\",\"writable\":true}"));
    CHECK(body(client.post("/api/registry", R"({"trainer":"points","name":"optimizer.learning_rate","value":0.5})")) ==
          R"({"name":"optimizer.learning_rate","text":"0.5"})");
    CHECK(trainer.optimizer.learning_rate == 0.5);
    const auto refused = [&](std::string_view name, std::string_view value, std::string_view why) {
        const std::string answer =
            client.post("/api/registry", sentence(R"({"name":")", name, R"(","value":)", value, "}"));
        CHECK(status_of(answer) == 400);
        CHECK(has(answer, why));
    };
    refused("optimizer.learning_rate", "\"fast\"", "expected a value of type double, found");
    refused("optimizer.learning_rate", "-1", "learning_rate");
    refused("optimizer.learning_rate", "[1]", "found array");
    refused("iteration", "3", "read-only");
    refused("nothing.at.all", "3", "nothing.at.all");
    refused("network.layers.deep.weights", "3", "array of float");
    CHECK(trainer.optimizer.learning_rate == 0.5);
    trainer.registry().set("mine.count", 3);
    trainer.registry().set("mine.on", false);
    trainer.registry().set("mine.word", "old");
    refused("mine.count", "1.5", "expected a value of type int, found 1.5");
    refused("mine.count", "5000000000", "5000000000");
    for (const char* body_given : {R"({"name":"mine.count","value":-7})", R"({"name":"mine.on","value":true})",
                                   R"({"name":"mine.word","value":"<b>new"})"})
        CHECK(status_of(client.post("/api/registry", body_given)) == 200);
    CHECK((trainer.registry().get<int>("mine.count") == -7 && trainer.registry().get<bool>("mine.on")));
    CHECK(trainer.registry().get<std::string>("mine.word") == "<b>new");
    CHECK(has(body(client.get("/api/registry?pattern=network.layers.deep.weights")), "\"type\":\"array of float\""));
    CHECK(status_of(client.get("/api/registry?pattern=a%3Cb")) == 400);
}

TEST_CASE("A browser commands a run, and hears of it") {
    Scratch scratch;
    PointTrainer trainer;
    std::string kept;
    {
        monitor::Web web(trainer, {.port = 0, .runs = scratch / "runs"});
        web.on_start("points", [&] { trainer.start(cpu()); });
        RawClient client(web.port());
        const auto give = [&](std::string_view command, std::string_view more = "") {
            const std::string answer =
                client.post("/api/commands", sentence(R"({"trainer":"points","command":")", command, "\"", more, "}"));
            CHECK(status_of(answer) == 202);
            const std::string given = body_of(answer);
            const std::size_t at = given.find("\"id\":") + 5;
            const std::string id = given.substr(at, given.find_first_of(",}", at) - at);
            std::string end;
            CHECK(soon([&] {
                end = body_of(client.get(sentence("/api/commands/", id)));
                return end.find("pending") == end.npos;
            }));
            return end;
        };
        CHECK(has(give("pause"), "\"status\":\"refused\""));
        CHECK(has(give("pause"), "expected a running trainer, found an idle one"));
        CHECK(has(give("start"), "\"done\""));
        CHECK(has(give("pause"), "\"done\""));
        CHECK(trainer.state() == RunState::paused);
        const auto before = trainer.iteration();
        CHECK(has(give("step"), "\"done\""));
        CHECK(trainer.iteration() == before + 1);
        CHECK(has(give("save", R"(,"file":"a.safetensors")"), "\"done\""));
        CHECK(std::filesystem::exists(web.run_folder() + "/a.safetensors"));
        give("step");
        CHECK(has(give("load", R"(,"file":"a.safetensors")"), "\"done\""));
        CHECK(trainer.iteration() == before + 1);
        const std::string record = web.run_folder();
        const auto saved_at = sentence(R"(,"iteration":)", before + 1);
        give("step");
        CHECK(has(give("fork", sentence(saved_at, R"(,"run":"no-run")")), "expected a run in the folder"));
        CHECK(has(give("fork", saved_at), "\"done\""));  // of the present run
        CHECK(trainer.iteration() == before + 1);
        CHECK(soon([&] { return web.run_folder() != record; }));
        for (const char* wrong : {"", R"(,"iteration":"5")", R"(,"iteration":-5)", R"(,"iteration":5,"run":7)"})
            CHECK(status_of(client.post("/api/commands", sentence(R"({"command":"fork")", wrong, "}"))) == 400);
        web.fork("points", std::filesystem::path(record).filename(), before + 1);
        CHECK(trainer.iteration() == before + 1);
        CHECK_THROWS_AS(web.fork("points", "", before + 1), ArgumentError);  // saved in another run
        trainer.save(web.run_folder() + "/a.safetensors");
        CHECK(has(give("resume"), "\"done\""));
        CHECK(has(give("stop"), "\"done\""));
        CHECK(trainer.state() == RunState::idle);
        CHECK(has(give("load", R"(,"file":"a.safetensors")"), "\"done\""));
        CHECK(trainer.iteration() == before + 1);
        CHECK(has(give("rewind"), "\"done\""));
        CHECK(has(give("reset"), "\"done\""));
        CHECK(trainer.iteration() == 0);
        CHECK(status_of(client.post("/api/commands", R"({"command":"explode"})")) == 400);
        CHECK(status_of(client.post("/api/commands", R"({"trainer":"others","command":"stop"})")) == 404);
        CHECK(status_of(client.get("/api/commands/99999")) == 404);
        CHECK(status_of(client.get("/api/commands/x")) == 404);
        kept = web.run_folder();
    }
    const monitor::KeptRun run = monitor::read_run(kept);
    CHECK(run.trainers.at("points").at("loss").points() > 0);
}

TEST_CASE("The network answers a browser, also while it trains") {
    PointTrainer trainer;
    monitor::Web web(trainer, {.port = 0});
    web.add(monitor::confusion(points()), monitor::chart(loss, "optimizer.learning_rate"), monitor::draw_digit(1, 3),
            monitor::graph);
    RawClient client(web.port());
    CHECK(has(
        body(client.get("/api/panels")),
        R"({"id":"chart-loss-optimizer-learning-rate","kind":"chart","series":["loss","optimizer.learning_rate"],"title":"loss, optimizer.learning_rate","trainer":"points"})"));
    const auto examine = [&] {
        const std::string answer = body(client.post("/api/predict", R"({"trainer":"points","input":[0.5,-1,2]})"));
        CHECK(has(answer, "{\"output\":["));
        const std::string matrix = body(client.get("/api/confusion?panel=confusion"));
        CHECK(has(matrix, "{\"classes\":[\"0\",\"1\"],\"counts\":[["));
    };
    examine();
    const Array<float> wanted = trainer.predict(Array<float>({1, 3}, std::vector<float>{0.5, -1, 2}));
    CHECK(has(client.post("/api/predict", R"({"input":[0.5,-1,2]})"),
              sentence("[", static_cast<double>(wanted.data()[0]), ",")));
    trainer.start(cpu());
    for (int i = 0; i < 10; ++i) examine();
    trainer.stop().wait();
    CHECK(has(client.post("/api/predict", R"({"input":[1,2]})"), "expected 3 numbers, found 2"));
    CHECK(has(client.post("/api/predict", R"({"input":[1,2,"x"]})"), "expected numbers, found string"));
    CHECK(status_of(client.get("/api/confusion?panel=none")) == 404);
    CHECK(status_of(client.post("/api/predict", R"({"input":5})")) == 400);
}

TEST_CASE("The stream tells what changes") {
    PointTrainer trainer;
    monitor::Web web(trainer, {.port = 0});
    RawClient client(web.port());
    CHECK(status_of(client.upgrade()) == 101);
    CHECK(has(client.message(), "\"type\":\"hello\""));
    CHECK(client.send_message(R"({"subscribe":{"trainer":"points","series":["loss","optimizer.learning_rate"]}})"));
    CHECK(has(client.message_with("\"state\""), "\"type\":\"state\""));
    trainer.start(cpu());
    CHECK(has(client.message_with("\"loss\":[["), "\"type\":\"points\""));
    RawClient other(web.port());  // gets the changes of a held number, with the running time
    other.post("/api/registry", R"({"name":"optimizer.learning_rate","value":0.25})");
    CHECK(has(client.message_with("optimizer.learning_rate\":[["), ",0.25,"));
    other.post("/api/commands", R"({"command":"pause"})");
    CHECK(has(client.message_with("\"type\":\"command\""), "\"status\":\"done\""));
    trainer.print("a line <b>of</b> the program");
    CHECK(has(client.message_with("\"type\":\"log\""), "a line <b>of</b> the program"));
    CHECK(has(other.get("/api/log?search=program&level=info"), "a line <b>of</b> the program"));
    CHECK(body_of(other.get("/api/log?search=program&level=error")) == "[]");
    trainer.stop().wait();
}

TEST_CASE("A monitor of an environment shows all its trainers, and those that come") {
    sigma::detail::Environment lab("lab", 42);
    PointTrainer one("one");
    lab.add(one, cpu(), 200);
    monitor::Web web(lab, {.port = 0});
    web.watch(one);
    RawClient client(web.port());
    CHECK(has(body(client.get("/api/state")), "\"environment\":{\"name\":\"lab\",\"seed\":42,"));
    {
        PointTrainer two("two");
        lab.add(two, cpu(), 100'000'000);
        CHECK(soon([&] { return body_of(client.get("/api/state")).find("\"two\"") != std::string::npos; }));
        lab.start();
        CHECK(soon([&] {
            return body_of(client.get("/api/history?trainer=two&name=loss")).find("\"x\":[]") == std::string::npos;
        }));
        CHECK(status_of(client.post("/api/predict", R"({"trainer":"two","input":[1,2,3]})")) ==
              400);  // of no known type
        lab.stop();
        lab.wait();
    }
    CHECK(soon([&] { return body_of(client.get("/api/state")).find("\"closed\"") != std::string::npos; }));
    CHECK(body(client.get("/api/registry?trainer=two")) == "[]");
    lab.log.warning("it ends");
    CHECK(soon([&] { return body_of(client.get("/api/log?level=warning")).find("it ends") != std::string::npos; }));
    PointTrainer again("one");
    CHECK_THROWS_AS(web.watch(again), ArgumentError);
}

TEST_CASE("A trainer may end before its monitor, and a monitor before its trainer") {
    auto trainer = std::make_unique<PointTrainer>();
    {
        monitor::Web web(*trainer, {.port = 0});
        trainer->start(cpu());
        RawClient client(web.port());
        CHECK(status_of(client.get("/api/state")) == 200);
    }
    trainer->pause().wait();
    trainer->resume();
    trainer->stop().wait();
    monitor::Web web(*trainer, {.port = 0});
    RawClient client(web.port());
    trainer.reset();
    for (const char* target : {"/api/state", "/api/series", "/metrics", "/api/graph", "/api/registry", "/api/panels"})
        CHECK(status_of(client.get(target)) == 200);
    CHECK(status_of(client.get("/api/parameter?name=network.layers.deep.weights")) == 409);
    CHECK(status_of(client.post("/api/predict", R"({"input":[1,2,3]})")) == 409);
    CHECK(has(client.post("/api/commands", R"({"command":"step"})"), "refused"));
}

TEST_CASE("A page ends while it is asked, whose answer waits for a slow step, and its logs go on") {
    sigma::detail::Log lab("lab");
    std::atomic<bool> inside = false, slow = true, over = false;
    std::thread writer([&] {
        while (!over) lab.info("a line");
    });
    for (int i = 0; i < 3; ++i) {
        PointTrainer trainer;
        inside = false, slow = true;
        trainer.on_iteration([&](Trainer<Points, Adam>&) {
            inside = true;
            for (int k = 0; k < 20000 && slow; ++k) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        });
        std::optional<monitor::Web> web(std::in_place, trainer, monitor::WebOptions{.port = 0});
        {
            const sigma::detail::Log gone("another");  // before the page
            web->follow(gone);
            gone.warning("its only line");
        }
        web->follow(lab);
        RawClient predict(web->port()), listening(web->port());
        std::list<RawClient> metrics;  // more than there are workers: some are answered when the page is ending
        for (int k = 0; k < 8; ++k) metrics.emplace_back(web->port());
        CHECK(status_of(listening.upgrade()) == 101);
        trainer.start(cpu());
        CHECK(soon([&] { return inside.load(); }));
        const std::string own = sentence("Host: 127.0.0.1:", web->port(), "\r\n"), question = R"({"input":[1,2,3]})";
        predict.send(sentence("POST /api/predict HTTP/1.1\r\n", own,
                              "Content-Type: application/json\r\nContent-Length: ", question.size(), "\r\n\r\n",
                              question));
        for (RawClient& each : metrics) each.send("GET /metrics HTTP/1.1\r\n" + own + "\r\n");
        std::this_thread::sleep_for(std::chrono::milliseconds(50));  // workers wait for the trainer
        std::thread ending([&] { web.reset(); });
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        slow = false;
        ending.join();
        CHECK(listening.closed(5));
        CHECK(trainer.state() == RunState::running);
        trainer.stop().wait();
    }
    over = true;
    writer.join();
}

TEST_CASE("Questions to a trainer whose step is slow hold up no command, and nothing of others") {
    PointTrainer slow("slow"), quick("quick");
    std::atomic<bool> inside = false, free = false;
    slow.on_iteration([&](auto&) {
        inside = true;
        for (int i = 0; i < 20'000 && !free; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    monitor::Web web(slow, {.port = 0});
    web.watch(quick);
    web.add(monitor::table(points(), 4).of("slow"), monitor::confusion(points()).of("slow"));
    slow.start(cpu());
    quick.start(cpu());
    REQUIRE(soon([&] { return inside.load(); }));
    std::list<RawClient> asking;
    const auto ask = [&](std::string_view target) {
        RawClient& one = asking.emplace_back(web.port());
        one.send(sentence("GET ", target, " HTTP/1.1\r\nHost: ", one.host(), "\r\n\r\n"));
    };
    for (int i = 0; i < 20; ++i)
        for (const char* target : {"/api/registry?trainer=slow&pattern=optimizer.*", "/metrics",
                                   "/api/parameter?trainer=slow&name=network.layers.deep.weights"})
            ask(target);
    ask("/api/table?panel=table-points-slow");
    ask("/api/confusion?panel=confusion-slow");
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    RawClient client(web.port());
    const auto began = std::chrono::steady_clock::now();
    CHECK(status_of(client.get("/")) == 200);
    CHECK(has(body(client.get("/api/state")), "\"slow\""));
    CHECK(has(body(client.get("/api/registry?trainer=quick&pattern=optimizer.*")), "learning_rate"));
    CHECK(has(client.post("/api/commands", R"({"trainer":"quick","command":"pause"})"), "\"status\""));
    CHECK(soon([&] { return quick.state() == RunState::paused; }));
    CHECK(has(client.post("/api/commands", R"({"trainer":"slow","command":"pause"})"), "\"pending\""));
    CHECK(status_of(client.upgrade()) == 101);
    CHECK(has(client.message(), "hello"));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    INFO(took.count() << " s");
    CHECK(took.count() < 5);
    CHECK(inside);
    free = true;
    int answered = 0;
    for (RawClient& one : asking) {
        const int status = status_of(one.answer());
        CHECK((status == 200 || status == 429));  // a fifth of its time
        answered += status == 200;
    }
    CHECK(answered >= 8);
    CHECK(soon([&] { return slow.state() == RunState::paused; }));
}

TEST_CASE("A monitor made and ended on the way of a run has what came while it was there") {
    PointTrainer trainer;
    trainer.start(cpu());
    for (int i = 0; i < 3; ++i) {
        monitor::Web web(trainer, {.port = 0});
        RawClient client(web.port());
        CHECK(soon([&] { return body_of(client.get("/api/series")).find("\"loss\"") != std::string::npos; }));
    }
    trainer.stop().wait();
}

TEST_CASE("Who looks is told why a run has ended before the program does") {
    PointTrainer trainer;
    trainer.on_epoch([](auto&) { throw std::runtime_error("no more"); });
    std::optional<monitor::Web> web(std::in_place, trainer, monitor::WebOptions{.port = 0});
    RawClient client(web->port());
    CHECK(status_of(client.upgrade()) == 101);
    client.message_with("hello");
    CHECK_THROWS(trainer.run(cpu(), 1));
    web.reset();
    CHECK(has(client.message_with("\"level\":\"error\""), "the run failed: no more"));
}

TEST_CASE("A program waits until it is asked to end, and is itself again then") {
    monitor::Web web({.port = 0});
    const auto handler = [](int signal) {
        struct sigaction now{};
        ::sigaction(signal, nullptr, &now);
        return now.sa_handler;
    };
    for (const int signal : {SIGINT, SIGTERM}) {
        const auto before = handler(signal);
        std::atomic<bool> over = false;
        std::thread waiting([&] {
            web.wait();
            over = true;
        });
        CHECK(soon([&] { return handler(signal) != before; }));
        CHECK_FALSE(over);
        ::kill(::getpid(), signal);
        waiting.join();
        CHECK(over);
        CHECK(handler(signal) == before);
    }
}

TEST_CASE("Options of a monitor that make no sense are refused") {
    CHECK_THROWS_AS(monitor::Web({.port = 0, .address = "everywhere"}), ArgumentError);
    CHECK_THROWS_AS(monitor::Web({.port = 0, .token = "short"}), ArgumentError);
    CHECK_THROWS_AS(monitor::Web({.port = 0, .token = "a token; with=more than that"}), ArgumentError);
    CHECK_THROWS_AS(monitor::Web({.port = 0, .idle_seconds = 0}), ArgumentError);
    CHECK_THROWS_AS(monitor::Web({.port = 0, .clients = 0}), ArgumentError);
    monitor::Web web({.port = 0});
    CHECK(error_text([&] { monitor::Web({.port = web.port()}); }) ==
          sentence("monitor at 127.0.0.1, port ", web.port(),
                   ": expected a free port, or 0 for any free port, found 'Address already in use'"));
    CHECK_THROWS_AS(monitor::Web({.port = web.port()}), ArgumentError);
}
