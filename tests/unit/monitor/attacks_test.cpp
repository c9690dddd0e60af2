// SPDX-License-Identifier: BSL-1.0
// Requests that nobody should send. docs/design/monitor-protocol.md lists the attacks.
#include <sigma/core/terminal.hpp>
#include <sigma/monitor/web.hpp>

#include "support/point_trainer.hpp"
#include "support/raw_client.hpp"
#include "support/scratch.hpp"
#include "web/api.hpp"
#include "web/people.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <list>
#include <memory>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

using namespace sigma;
using namespace sigma::test;

namespace {

using Texts = std::vector<std::string>;

/// A monitor of a trainer, and its clients.
struct Stage {
    PointTrainer trainer;
    monitor::Web web;
    std::unique_ptr<RawClient> client;

    explicit Stage(monitor::WebOptions options = {}) : web(trainer, with_free_port(std::move(options))) { again(); }
    static monitor::WebOptions with_free_port(monitor::WebOptions options) {
        options.port = 0;
        return options;
    }
    RawClient& again() {
        client = std::make_unique<RawClient>(web.port());
        return *client;
    }
    int ask(const std::string& bytes) { return status_of(again().ask(bytes)); }
    /// Logs in like a browser and returns the session; empty if it is refused.
    std::string session(const std::string& offered, const std::string& as = "token") {
        const auto answer =
            monitor::parsed(body_of(again().post("/api/login", sentence("{\"", as, "\":\"", offered, "\"}"))));
        return answer ? monitor::text_in(*answer, "session") : "";
    }
    std::string own() const { return sentence("127.0.0.1:", web.port()); }
    /// Returns whether the server answers other clients.
    bool lives() const {
        RawClient other(web.port());
        return status_of(other.get("/api/state")) == 200;
    }
};

std::string bearer(const std::string& word) { return "Authorization: Bearer " + word + "\r\n"; }
/// Returns the protocol with which a page sends its session, since it can send no other field.
std::string of_stream(const std::string& session) {
    return "Sec-WebSocket-Protocol: sigma, sigma-session-" + session + "\r\n";
}

std::string get(const std::string& fields, const std::string& target = "/api/state") {
    return "GET " + target + " HTTP/1.1\r\n" + fields + "\r\n";
}

}  // namespace

TEST_CASE("attack: a name of another machine in Host, by which a foreign page would read it (rebinding)") {
    Stage stage;
    const std::string port = sentence(":", stage.web.port());
    for (const std::string& good :
         {"127.0.0.1" + port, "localhost" + port, "[::1]" + port, "LocalHost" + port, std::string("127.0.0.1")})
        CHECK(stage.ask(get("Host: " + good + "\r\n")) == 200);
    for (const std::string& bad :
         Texts{"evil.example" + port, std::string("evil.example"), "127.0.0.1.evil.example" + port, "127.0.0.1:1",
               "localhost:99999" + port, "", " ", "127.0.0.1" + port + ".", "user@127.0.0.1" + port})
        CHECK(stage.ask(get("Host: " + bad + "\r\n")) == 403);
    CHECK(stage.ask(get("")) == 403);
    CHECK(stage.ask(get("Host: 127.0.0.1" + port + "\r\nHost: evil.example\r\n")) == 403);
    CHECK(stage.ask("GET /api/state HTTP/1.0\r\n\r\n") == 403);
    Stage named({.names = {"Lab.Example"}});
    CHECK(named.ask(get(sentence("Host: lab.example:", named.web.port(), "\r\n"))) == 200);
}

TEST_CASE("attack: a page of another site asks") {
    Stage stage;
    const std::string host = "Host: " + stage.own() + "\r\n";
    CHECK(stage.ask(get(host + "Origin: http://" + stage.own() + "\r\n")) == 200);
    for (const std::string& origin :
         {std::string("http://evil.example"), std::string("null"), "https://" + stage.own(),
          std::string("http://localhost:1"), "http://" + stage.own() + ".evil.example", "http://" + stage.own() + "/"})
        CHECK(stage.ask(get(host + "Origin: " + origin + "\r\n")) == 403);
    CHECK(stage.ask(get(host + "Origin: http://" + stage.own() + "\r\nOrigin: http://evil.example\r\n")) == 403);
    const double before = stage.trainer.optimizer.learning_rate;
    const std::string body = R"({"name":"optimizer.learning_rate","value":0.5})";
    CHECK(status_of(stage.again().post("/api/registry", body,
                                       "Content-Type: application/json\r\nOrigin: http://evil.example\r\n")) == 403);
    // Requests that a form or a simple request of a foreign page can send.
    for (const char* type : {"", "Content-Type: text/plain\r\n", "Content-Type: application/x-www-form-urlencoded\r\n",
                             "Content-Type: multipart/form-data\r\n", "Content-Type: application/jsonp\r\n"})
        CHECK(status_of(stage.again().post("/api/registry", body, type)) == 400);
    CHECK(stage.trainer.optimizer.learning_rate == before);
    CHECK(status_of(stage.again().post("/api/registry", body, "Content-Type: Application/JSON; charset=utf-8\r\n")) ==
          200);
}

TEST_CASE("attack: the stream from another site, or to another address") {
    Stage stage;
    CHECK(status_of(stage.again().upgrade("Origin: http://" + stage.own() + "\r\n")) == 101);
    CHECK(status_of(stage.again().upgrade("Origin: http://evil.example\r\n")) == 403);
    CHECK(status_of(stage.again().upgrade("Origin: null\r\n")) == 403);
    CHECK(status_of(stage.again().upgrade("", "/api/state")) == 404);
    CHECK(status_of(stage.again().upgrade("", "/api/stream?token=x")) == 404);
    CHECK(stage.ask(get("Host: evil.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: "
                        "13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
                        "/api/stream")) == 403);
    CHECK(status_of(stage.again().get("/api/stream")) == 404);  // without an upgrade
    CHECK(stage.lives());
}

TEST_CASE("attack: other methods") {
    Stage stage;
    const std::string host = "Host: " + stage.own() + "\r\n";
    for (const char* method : {"PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PATCH", "PROPFIND", "HEAD", "BREW"})
        CHECK(stage.ask(sentence(method, " /api/state HTTP/1.1\r\n", host, "\r\n")) == 405);
    for (const char* target :
         {"/api/state", "/api/panels", "/api/history", "/api/log", "/api/commands/1", "/metrics", "/"})
        CHECK(status_of(stage.again().post(target, "{}")) == 405);
    for (const char* target : {"/api/commands", "/api/predict", "/api/login"})
        CHECK(status_of(stage.again().get(target)) == 405);
    CHECK(status_of(stage.again().post("/api/unknown", "{}")) == 404);
    CHECK(status_of(stage.again().get("/api/unknown")) == 404);
}

TEST_CASE("attack: too much at once") {
    Stage stage;
    const std::string host = "Host: " + stage.own() + "\r\n";
    CHECK(stage.ask(get(host + "X: " + std::string(7000, 'x') + "\r\n")) == 200);
    CHECK(stage.ask(get(host + "X: " + std::string(9000, 'x') + "\r\n")) == 431);
    CHECK(stage.ask(get(host, "/api/history?name=" + std::string(9000, 'x'))) == 431);
    std::string many = host;
    for (int i = 0; i < 2000; ++i) many += sentence("X", i, ": y\r\n");
    CHECK(stage.ask(get(many)) == 431);
    CHECK(status_of(stage.again().post("/api/registry", std::string(65'000, ' ') + "{}")) == 400);
    CHECK(status_of(stage.again().post("/api/registry", std::string(70'000, ' '))) == 413);
    CHECK(stage.ask(sentence("POST /api/registry HTTP/1.1\r\n", host,
                             "Content-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n")) == 413);
    std::string chunks = sentence("POST /api/registry HTTP/1.1\r\n", host,
                                  "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 100; ++i) chunks += "400\r\n" + std::string(1024, ' ') + "\r\n";
    CHECK(stage.ask(chunks + "0\r\n\r\n") == 413);
    CHECK(stage.lives());
}

TEST_CASE("attack: bytes that are no HTTP") {
    Stage stage;
    const std::string host = "Host: " + stage.own() + "\r\n";
    for (const std::string& bytes :
         {std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 a TLS hello\r\n\r\n", 27),
          std::string("hello\r\n\r\n"), std::string("GET\r\n\r\n"), std::string("GET /  HTTP/9.9\r\n\r\n"),
          std::string(100, '\0') + "\r\n\r\n", "GET /api/state HTTP/1.1\r\n" + host + "Content-Length: -1\r\n\r\n",
          "GET /api/state HTTP/1.1\r\n" + host + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
          "POST / HTTP/1.1\r\n" + host + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
          "GET /api/state HTTP/1.1\r\n" + host + "Bad Name: x\r\n\r\n"}) {
        const int status = stage.ask(bytes);
        CHECK((status == 400 || status == 0));
    }
    // A second request that hides behind the first is one of its own, with its own checks.
    RawClient& client = stage.again();
    client.send(get(host) + get("Host: evil.example\r\n"));
    CHECK(status_of(client.answer()) == 200);
    CHECK(status_of(client.answer()) == 403);
    CHECK(stage.lives());
}

TEST_CASE("attack: files of the machine") {
    Scratch scratch;
    Stage stage({.runs = scratch / "runs"});
    for (const char* target :
         {"/page/../../../../etc/passwd", "/../etc/passwd", "//etc/passwd", "/page/%2e%2e/%2e%2e/etc/passwd",
          "/page//etc/passwd", "/page/..%2findex.html", "/page/index.html/", "/page/", "/page/./index.html",
          "/page/index.html%00", "/etc/passwd", "/page/INDEX.HTML", "/%70age/index.html"})
        CHECK(status_of(stage.again().get(target)) == 404);
    CHECK(stage.ask("GET http://" + stage.own() + "/api/state HTTP/1.1\r\nHost: " + stage.own() + "\r\n\r\n") == 404);
    CHECK(status_of(stage.again().get("/page/index.html")) == 200);
    stage.trainer.run(cpu(), 1);
    for (int i = 0; i < 100 && stage.web.run_folder().empty(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const auto save = [&](const std::string& file) {
        return status_of(stage.again().post("/api/commands", R"({"command":"save","file":")" + file + "\"}"));
    };
    for (const char* file : {"../a", "/tmp/a", "a/b", ".hidden", "..", "", "a\\\\b", "a\\u0000b", "\\u00e4", "a b",
                             "series.bin", "run.json", "log.jsonl"})
        CHECK(save(file) == 400);
    CHECK(save(std::string(200, 'a')) == 400);
    CHECK(status_of(stage.again().post("/api/commands", R"({"command":"load","file":"missing"})")) == 404);
    std::filesystem::create_symlink("/etc/passwd", stage.web.run_folder() + "/link");
    CHECK(status_of(stage.again().post("/api/commands", R"({"command":"load","file":"link"})")) == 404);
    CHECK(save("link") == 404);
    CHECK(save("fine.safetensors") == 202);
    Stage without;
    CHECK(status_of(without.again().post("/api/commands", R"({"command":"save","file":"a"})")) == 409);
}

TEST_CASE("attack: no token, another token, and the token where it does not belong") {
    const std::string token = "abcdefghijklmnop0123456789";
    Stage stage({.token = token});
    CHECK(stage.web.token() == token);
    CHECK(status_of(stage.again().get("/")) == 200);  // the page itself has no data of the run
    for (const char* target :
         {"/api/state", "/api/panels", "/metrics", "/api/log", "/api/commands/1", "/api/unknown"}) {
        const std::string answer = stage.again().get(target);
        CHECK(status_of(answer) == 401);
        CHECK(answer.find(token) == answer.npos);
    }
    CHECK(status_of(stage.again().get("/api/state?token=" + token)) == 401);
    for (const std::string& wrong : {std::string("Bearer "), "Bearer " + token.substr(1), "Bearer " + token + "x",
                                     "bearer" + token, "Basic " + token, token})
        CHECK(status_of(stage.again().get("/api/state", "Authorization: " + wrong + "\r\n")) == 401);
    CHECK(status_of(stage.again().get("/api/state", bearer(token))) == 200);
    CHECK(status_of(stage.again().get("/api/state", "Authorization: bearer " + token + "\r\n")) == 200);
    // A browser sends cookies to all ports of a machine: the server ignores them.
    for (const std::string& name : {sentence("sigma_token_", stage.web.port()), std::string("sigma_session")})
        CHECK(status_of(stage.again().get("/api/state", sentence("Cookie: ", name, "=", token, "\r\n"))) == 401);
    CHECK(status_of(stage.again().post("/api/registry", R"({"name":"optimizer.learning_rate","value":1})")) == 401);
    CHECK(status_of(stage.again().upgrade()) == 401);
    CHECK(status_of(stage.again().upgrade(bearer(token))) == 101);
    CHECK(status_of(stage.again().post("/api/login", R"({"token":"guess"})")) == 401);
    CHECK(status_of(stage.again().post("/api/login", R"({"token":5})")) == 400);
    CHECK(status_of(stage.again().post("/api/login", R"({"token":"guess"})",
                                       "Content-Type: application/json\r\nOrigin: http://evil.example\r\n")) == 403);
    const std::string answer = stage.again().post("/api/login", R"({"token":")" + token + "\"}");
    CHECK(status_of(answer) == 200);
    CHECK(answer.find("Set-Cookie") == answer.npos);
    CHECK(answer.find(token) == answer.npos);
}

TEST_CASE("An address lets one browser in, once") {
    const std::string token = "abcdefghijklmnop0123456789";
    Stage stage({.token = token});
    const std::string link = stage.web.link(), begin = stage.web.address() + "#ticket=";
    REQUIRE(link.starts_with(begin));
    const std::string ticket = link.substr(begin.size());
    CHECK(ticket.size() == 32);
    CHECK(stage.web.link() != link);
    CHECK(status_of(stage.again().get("/api/state", bearer(ticket))) == 401);
    CHECK(stage.session(ticket, "token").empty());
    const std::string session = stage.session(ticket, "ticket");
    REQUIRE(session.size() == 32);
    CHECK(status_of(stage.again().get("/api/state", bearer(session))) == 200);
    CHECK(stage.session(ticket, "ticket").empty());
    CHECK(stage.session("", "ticket").empty());
    const Stage open;
    CHECK(open.web.link() == open.web.address());
}

TEST_CASE("Who uses a machine is known by its accounts and sessions") {
    const Scratch scratch;
    const std::string accounts = scratch / "passwd", sessions = scratch / "user";
    std::filesystem::create_directories(sessions + "/0");
    const auto people = [&](const std::string& lines, unsigned long own) {
        std::ofstream(accounts) << "root:x:0:0:root:/root:/bin/bash\n" << lines;
        return monitor::people_of(accounts, sessions, own);
    };
    const std::string ada = "ada:x:1000:1000::/home/ada:/bin/bash\n", bob = "bob:x:1001:1001::/home/bob:/bin/sh\n",
                      service = "web:x:1002:1002::/:/usr/sbin/nologin\nnobody:x:65534:65534::/:/bin/sh\n";
    CHECK(people("", 0) == 0);
    CHECK(people(ada + service, 0) == 1);
    CHECK(people(ada + service, 1000) == 1);
    CHECK(people(ada + "torn", 1005) == 2);
    CHECK(people(ada + bob, 1000) == 2);
    std::filesystem::create_directories(sessions + "/1003");
    CHECK(people(ada, 1000) == 2);
}

TEST_CASE("Loopback of a machine that others use asks for a token") {
    Stage stage({.shared = true});
    CHECK(stage.web.token().size() == 32);
    CHECK(status_of(stage.again().get("/api/state")) == 401);
    CHECK(status_of(stage.again().get("/api/state", bearer(stage.web.token()))) == 200);
    const Stage own({.shared = false});
    CHECK(own.web.token().empty());
}

TEST_CASE("attack: guessing the token, in whichever way it may be given") {
    const std::string token = "abcdefghijklmnop0123456789";
    const auto guesses = [&](auto guess, int right_is) {
        Stage stage({.token = token});
        for (int i = 0; i < 50; ++i) CHECK(guess(stage, "the same as before") == 401);  // an old session is one guess
        for (int i = 1; i < 10; ++i) CHECK(guess(stage, sentence("guess-", i)) == 401);
        for (int i = 10; i < 13; ++i) CHECK(guess(stage, sentence("guess-", i)) == 429);
        const std::string late = stage.again().get("/api/state", bearer("another"));
        CHECK(status_of(late) == 429);
        CHECK(late.find("Retry-After: 60\r\n") != late.npos);
        CHECK(body_of(late) == R"({"error":"token: more than 10 wrong ones in a minute; try again later"})");
        // The right token is accepted nevertheless: clients behind a tunnel have one address.
        CHECK(guess(stage, token) == right_is);
        CHECK(status_of(stage.again().get("/api/state", bearer(token))) == 200);
        CHECK(status_of(stage.again().upgrade(bearer(token))) == 101);
        const std::string session = stage.session(token);
        REQUIRE(session.size() == 32);
        CHECK(status_of(stage.again().get("/api/state", bearer(session))) == 200);
        // A request without a token gets 401, and the page is served.
        CHECK(status_of(stage.again().get("/api/state")) == 401);
        CHECK(status_of(stage.again().get("/")) == 200);
    };
    for (const char* login : {"/api/login", "/api/login?x", "/api/login?token=1"})
        guesses(
            [&](Stage& stage, const std::string& guess) {
                return status_of(stage.again().post(login, sentence("{\"token\":\"", guess, "\"}")));
            },
            200);
    guesses(
        [&](Stage& stage, const std::string& guess) {
            return status_of(stage.again().post("/api/login", sentence("{\"ticket\":\"", guess, "\"}")));
        },
        429);  // it is no ticket
    guesses([&](Stage& stage,
                const std::string& guess) { return status_of(stage.again().get("/api/state?x=1", bearer(guess))); },
            200);
    guesses([&](Stage& stage, const std::string& guess) { return status_of(stage.again().upgrade(of_stream(guess))); },
            101);
    // Many in one request are many.
    Stage stage({.token = token});
    std::string many = "Sec-WebSocket-Protocol: sigma";
    for (int i = 0; i < 20; ++i) many += sentence(", sigma-session-", i);
    CHECK(status_of(stage.again().upgrade(many + "\r\n")) == 429);
}

TEST_CASE("attack: guessing the session of a browser") {
    const std::string token = "abcdefghijklmnop0123456789";
    Stage stage({.token = token});
    const std::string session = stage.session(token);
    REQUIRE(session.size() == 32);
    for (const std::string& wrong : {std::string("x"), std::string(32, '0'), session.substr(1), session + "0"}) {
        CHECK(status_of(stage.again().get("/api/state", bearer(wrong))) == 401);
        CHECK(status_of(stage.again().upgrade(of_stream(wrong))) == 401);
    }
    CHECK(status_of(stage.again().get("/api/state", bearer(session))) == 200);
    const std::string stream = stage.again().upgrade(of_stream(session));
    CHECK(status_of(stream) == 101);
    CHECK(stream.find("Sec-WebSocket-Protocol: sigma\r\n") != stream.npos);
    // A program that is started again with the same token has another.
    Stage other({.token = token});
    CHECK(other.session(token) != session);
    CHECK(status_of(other.again().get("/api/state", bearer(session))) == 401);
    // Without a token there is no session.
    Stage open;
    CHECK(open.session(token).empty());
    CHECK(status_of(open.again().upgrade("Sec-WebSocket-Protocol: sigma\r\n")) == 101);
}

TEST_CASE("attack: a client that asks in a loop, by ever new connections") {
    // 400 at once and 100 a second: a machine that is too slow to ask more is refused nothing.
    const auto allowed = [begin = std::chrono::steady_clock::now()] {
        return 400 + 100 * std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    Stage stage;
    std::string refused;
    for (int i = 0; i < 3000 && refused.empty(); ++i) {
        if (i % 50 == 0) stage.again();
        const std::string answer = stage.client->get("/api/history?name=nothing");
        if (status_of(answer) == 429) {
            refused = body_of(answer);
            CHECK(answer.find("Retry-After: 1\r\n") != answer.npos);
        }
    }
    if (!refused.empty() || allowed() < 3000)
        CHECK(refused == R"({"error":"questions: more than 100 a second; try again later"})");
    CHECK(stage.lives());  // the state, what a page shows and the stream are there for it
    CHECK(status_of(stage.again().upgrade()) == 101);

    monitor::Board board{{}};
    board.quiet();
    PointTrainer trainer;
    board.enter(monitor::watch(trainer));
    const monitor::Api api(board, {{"a"}, ""});
    for (const char* target : {"/api/registry", "/api/parameter?name=network.layers.deep.weights", "/metrics",
                               "/api/series", "/api/log", "/api/table?panel=table-points"}) {
        const auto answer = [&](const char* whose) {
            return api.answer({"GET", target, "a", "", "", "", "", "", whose}).status;
        };
        int asked = 0;
        const double before = allowed();
        while (answer(target) != 429 && asked < 1000) ++asked;
        CHECK(asked >= 400);
        CHECK(asked <= 401 + allowed() - before);
        CHECK(answer("another") != 429);
    }
    for (const char* target : {"/api/state", "/api/panels", "/api/graph"})
        for (int i = 0; i < 600; ++i)
            CHECK(api.answer({"GET", target, "a", "", "", "", "", "", "a client"}).status == 200);
}

TEST_CASE("The token is printed beside a status line, not into it") {
    Scratch scratch;
    const std::string file = scratch / "printed";
    std::fflush(stderr);
    const int before = ::dup(STDERR_FILENO), to = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    REQUIRE((before >= 0 && to >= 0 && ::dup2(to, STDERR_FILENO) >= 0));
    std::string token;
    {
        terminal::StatusLine status(stderr, true);
        status.show("epoch 3");
        PointTrainer trainer;
        const monitor::Web web(trainer, {.port = 0, .address = "0.0.0.0"});
        token = web.token();
    }
    std::fflush(stderr);
    ::dup2(before, STDERR_FILENO);
    ::close(before);
    ::close(to);
    const std::string printed = file_text(file);
    const std::size_t line = printed.find("monitor: http://0.0.0.0:"), shown = printed.find("epoch 3");
    REQUIRE((line != printed.npos && shown < line));
    CHECK(printed.find("needs the token " + token + "; http://0.0.0.0:") != printed.npos);
    CHECK(printed.find("/#ticket=") != printed.npos);
    CHECK(printed.find("\x1b[", shown) < line);            // the status line goes
    CHECK(printed.find("epoch 3", line) != printed.npos);  // and comes again below
}

TEST_CASE("A program that this one starts has nothing of the server") {
    const auto descriptors = [] {
        std::vector<int> all;
        for (const std::string& name : names_in("/proc/self/fd")) all.push_back(std::stoi(name));
        return all;
    };
    const std::vector<int> before = descriptors();
    Scratch scratch;
    Stage stage({.runs = scratch / "runs"});
    RawClient listens(stage.web.port());
    CHECK(status_of(listens.upgrade()) == 101);
    CHECK(stage.lives());
    for (int i = 0; i < 100 && stage.web.run_folder().empty(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    int seen = 0;
    for (const int one : descriptors()) {
        if (std::ranges::find(before, one) != before.end()) continue;
        const int flags = ::fcntl(one, F_GETFD);
        if (flags < 0) continue;  // of the folder that was read
        ++seen;
        CHECK((flags & FD_CLOEXEC) != 0);
    }
    CHECK(seen >= 6);
}

TEST_CASE("attack: another address has a token of its own") {
    PointTrainer trainer;
    const monitor::Web web(trainer, {.port = 0, .address = "0.0.0.0"}),
        other(trainer, {.port = 0, .address = "0.0.0.0"});
    CHECK(web.token().size() == 32);
    CHECK(web.token() != other.token());
    RawClient client(web.port());
    CHECK(status_of(client.get("/api/state")) == 401);
    const std::string token = "Authorization: Bearer " + web.token() + "\r\n";
    CHECK(status_of(client.get("/api/state", token)) == 200);
    // Which of the machine's addresses it is called by is not known; a name would have to be given.
    const auto by = [&](std::string_view host) {
        RawClient one(web.port());
        return status_of(one.ask(get(sentence("Host: ", host, ":", web.port(), "\r\n", token))));
    };
    CHECK(by("192.168.1.5") == 200);
    CHECK(by("[fe80::1]") == 200);
    for (const char* bad : {"evil.example", "1.2.3.4.evil.example", "[evil]", "fe80", "."}) CHECK(by(bad) == 403);
}

TEST_CASE("attack: changes where it is it is read-only and accepts no changes") {
    Stage stage({.read_only = true});
    for (const char* target : {"/api/registry", "/api/commands"}) {
        const std::string answer = stage.again().post(
            target, R"({"command":"reset","name":"optimizer.learning_rate","value":1,"input":[1,2,3]})");
        CHECK(status_of(answer) == 403);
        CHECK(answer.find("it is read-only and accepts no changes") != answer.npos);
    }
    CHECK(status_of(stage.again().get("/api/state")) == 200);
    CHECK(status_of(stage.again().post("/api/predict", R"({"input":[1,2,3]})")) == 200);  // changes nothing
    CHECK(stage.trainer.optimizer.learning_rate == 0.125);
}

TEST_CASE("attack: JSON that is none, or nested without end, or of other types") {
    Stage stage;
    for (const char* target : {"/api/registry", "/api/commands", "/api/predict", "/api/login"})
        for (const std::string& body :
             Texts{std::string(), std::string("{"), std::string("nonsense"), std::string("[]"), std::string("5"),
                   std::string("null"), std::string("{\"name\":\"\xff\xfe\"}"), std::string("{\"name\":1e999}"),
                   std::string("{}{}"), std::string("{\"name\":"),
                   "{\"x\":" + std::string(30'000, '[') + std::string(30'000, ']') + "}", std::string(60'000, '['),
                   R"({"name":5,"value":1})", R"({"trainer":["points"],"command":"stop","input":[]})",
                   R"({"command":{"a":1}})", R"({"name":"optimizer.learning_rate"})"})
            CHECK(status_of(stage.again().post(target, body)) == 400);
    CHECK(stage.lives());
}

TEST_CASE("attack: addresses whose values make no sense") {
    Stage stage;
    stage.trainer.run(cpu(), 2);
    for (int i = 0; i < 100 && status_of(stage.again().get("/api/history?name=loss")) != 200; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    for (const char* query :
         {"points=0", "points=10001", "points=-1", "points=x", "from=x", "to=nan", "from=%", "from=%4", "from=%zz",
          "points=99999999999999999999", "a&b&c&d&e&f&g&h&i&j&k&l&m&n&o&p&q"})
        CHECK(status_of(stage.again().get(sentence("/api/history?name=loss&", query))) == 400);
    for (const char* query : {"from=1e308&to=-1e308", "from=-1e308&to=1e308&points=10000", "from=1&to=1", "from=inf",
                              "", "&&&", "points=1"})
        CHECK(status_of(stage.again().get(sentence("/api/history?name=loss&", query))) == 200);
    CHECK(status_of(stage.again().get("/api/log?level=loud")) == 400);
    CHECK(status_of(stage.again().get("/api/parameter?name=network.layers.deep.weights&bins=100000")) == 400);
    CHECK(status_of(stage.again().get("/api/parameter?name=loss")) == 400);
    CHECK(status_of(stage.again().get("/api/parameter")) == 400);
    CHECK(status_of(stage.again().get("/api/state?" + std::string(3000, '='))) == 200);
}

TEST_CASE("attack: messages of the stream that are none of the protocol close it with 1008") {
    Stage stage;
    std::string many;
    for (int i = 0; i < 300; ++i) many += sentence(i == 0 ? "" : ",", "\"s", i, "\"");
    for (const std::string& bad :
         {std::string("hello"), std::string("{}"), std::string("[]"), std::string(R"({"command":"stop"})"),
          std::string(R"({"subscribe":5})"), std::string(R"({"subscribe":{"trainer":5,"series":[]}})"),
          std::string(R"({"subscribe":{"trainer":"a","series":[5]}})"), std::string(R"({"subscribe":{"trainer":"a"}})"),
          std::string(R"({"subscribe":{"trainer":"a","series":[],"more":1}})"),
          std::string(R"({"subscribe":{"trainer":"a","series":[]},"unsubscribe":{}})"),
          R"({"subscribe":{"trainer":"a","series":[)" + many + "]}}", std::string(15'000, '[')}) {
        RawClient& client = stage.again();
        REQUIRE(status_of(client.upgrade()) == 101);
        client.send_message(bad);
        CHECK(client.message_with("never") == "closed 1008");
    }
    REQUIRE(status_of(stage.again().upgrade()) == 101);
    stage.client->send_message("\x01\x02", 0x82);  // binary
    CHECK(stage.client->message_with("never") == "closed 1008");
    REQUIRE(status_of(stage.again().upgrade()) == 101);
    stage.client->send_message(std::string(20'000, ' '));
    CHECK(stage.client->message_with("never") == "closed 1009");  // too big
    REQUIRE(status_of(stage.again().upgrade()) == 101);
    stage.client->send_message("\xff\xfe");  // no UTF-8
    CHECK(stage.client->message_with("never").starts_with("closed 100"));
    REQUIRE(status_of(stage.again().upgrade()) == 101);
    stage.client->send_message("{}", 0xF1);  // bits that nobody has given a meaning
    CHECK(stage.client->message_with("never").starts_with("closed 100"));
    // A message in pieces that never ends, a piece of none, and one without a mask.
    REQUIRE(status_of(stage.again().upgrade()) == 101);
    stage.client->send_message(std::string(1000, ' '), 0x01);
    for (int i = 0; i < 20; ++i) stage.client->send_message(std::string(1000, ' '), 0x00);
    CHECK(stage.client->message_with("never") == "closed 1009");
    REQUIRE(status_of(stage.again().upgrade()) == 101);
    stage.client->send_message("{}", 0x80);
    CHECK(stage.client->message_with("never") == "closed 1002");
    REQUIRE(status_of(stage.again().upgrade()) == 101);
    stage.client->send("\x81\x02{}");
    CHECK(stage.client->message_with("never") == "closed 1002");
    // A length of which nobody has so much.
    REQUIRE(status_of(stage.again().upgrade()) == 101);
    stage.client->send(std::string("\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff\0\0\0\0", 14));
    CHECK(stage.client->message_with("never") == "closed 1009");
    CHECK(stage.lives());
}

TEST_CASE("attack: pings without end") {
    Stage stage;
    REQUIRE(status_of(stage.again().upgrade()) == 101);
    for (int i = 0; i < 20; ++i) stage.client->send_message("are you there", 0x89);
    CHECK(stage.client->message_with("\"state\"").find("state") != std::string::npos);
    bool sent = true;
    for (int i = 0; i < 5000 && sent; ++i) sent = stage.client->send_message("are you there", 0x89);
    CHECK(stage.client->closed(5));
    CHECK(stage.lives());
}

TEST_CASE("attack: more requests than anybody needs") {
    Stage stage;
    RawClient& client = stage.again();
    int refused = 0, answered = 0;
    for (int i = 0; i < 500; ++i) {
        const int status = status_of(client.get("/page/uPlot-LICENSE.txt"));
        (status == 429 ? refused : answered) += 1;
        CHECK((status == 200 || status == 429));
    }
    CHECK(refused > 0);
    CHECK(answered >= 200);
    REQUIRE(status_of(stage.again().upgrade()) == 101);
    bool sent = true;
    for (int i = 0; i < 2000 && sent; ++i)
        sent = stage.client->send_message(R"({"unsubscribe":{"trainer":"a","series":[]}})");
    CHECK(stage.client->message_with("never") != "");
    CHECK(stage.client->closed(5));
}

TEST_CASE("attack: requests that never end") {
    Stage stage({.idle_seconds = 1});
    std::list<RawClient> all;
    for (const std::string& part : {std::string(), std::string("GET"), std::string("GET / HTTP/1.1\r\nHost: "),
                                    "POST /api/commands HTTP/1.1\r\nHost: " + stage.own() +
                                        "\r\nContent-Length: 50\r\nContent-Type: application/json\r\n\r\n{"})
        all.emplace_back(stage.web.port()).send(part);
    // A byte now and then does not help.
    for (int i = 0; i < 15; ++i) {
        for (RawClient& one : all) one.send("x");
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    for (RawClient& one : all) CHECK(one.closed(3));
    CHECK(stage.lives());
}

TEST_CASE("attack: a client of the stream that never reads costs no step, and little memory") {
    Stage stage({.idle_seconds = 60});
    RawClient& deaf = *stage.client;
    RawClient slow(stage.web.port(), 4096);
    REQUIRE(status_of(slow.upgrade()) == 101);
    slow.send_message(R"({"subscribe":{"trainer":"points","series":["loss"]}})");
    for (int i = 0; i < 3; ++i) deaf.get("/api/state");
    const std::string line(4000, 'x');
    for (int turn = 0; turn < 40; ++turn) {  // some MB
        for (int i = 0; i < 50; ++i) stage.trainer.print(line);
        const auto began = std::chrono::steady_clock::now();
        stage.trainer.run(cpu(), 10);
        CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(2));
        std::this_thread::sleep_for(std::chrono::milliseconds(55));
    }
    CHECK(stage.lives());
    CHECK(slow.message_with("missed").find("missed") != std::string::npos);  // as soon as it reads
}

TEST_CASE("attack: one client sends half of ever so many requests") {
    Stage stage({.idle_seconds = 60});
    std::list<RawClient> half;
    for (int i = 0; i < 205; ++i) half.emplace_back(stage.web.port()).send("GET / HTTP/1.1\r\nHost: ");
    for (int i = 0; i < 20; ++i) CHECK(stage.lives());
    RawClient listens(stage.web.port());
    CHECK(status_of(listens.upgrade()) == 101);
    for (int i = 0; i < 205; ++i) half.emplace_back(stage.web.port()).send("G");
    CHECK(stage.lives());
    CHECK(listens.message_with("\"state\"") != "gone");  // a client that listens stays connected
    CHECK(half.front().closed(5));                       // the oldest gave way
}

TEST_CASE("attack: two hundred clients that listen, and one more") {
    Stage stage;
    stage.client.reset();
    std::list<RawClient> all;
    for (int i = 0; i < 200; ++i) CHECK(status_of(all.emplace_back(stage.web.port()).upgrade()) == 101);
    RawClient more(stage.web.port());
    CHECK(more.closed(5));
    stage.trainer.start(cpu());
    for (RawClient& one : all) one.send_message(R"({"subscribe":{"trainer":"points","series":["loss"]}})");
    int told = 0;
    for (RawClient& one : all) told += one.message_with("\"loss\":[").find("\"points\"") != std::string::npos;
    CHECK(told == 200);
    stage.trainer.stop().wait();
    all.clear();
    bool free = false;
    for (int tries = 0; tries < 100 && !free; ++tries) {
        RawClient next(stage.web.port());
        free = status_of(next.get("/")) == 200;
        if (!free) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    CHECK(free);
}

TEST_CASE("attack: texts of the program that are markup stay texts") {
    PointTrainer trainer("<script>alert(1)</script>");
    monitor::Web web(trainer, {.port = 0});
    RawClient client(web.port());
    const std::string state = client.get("/api/state");
    CHECK(state.find("Content-Type: application/json; charset=utf-8\r\n") != state.npos);
    CHECK(state.find("X-Content-Type-Options: nosniff\r\n") != state.npos);
    CHECK(body_of(client.get("/")).find("alert") == std::string::npos);
    const std::string sentence_back = client.get("/api/history?trainer=%3Cb%3E&name=%22%0d%0aSet-Cookie:%20a=b");
    CHECK(status_of(sentence_back) == 404);
    CHECK(sentence_back.find("\r\nSet-Cookie") == sentence_back.npos);
    CHECK(client.get("/metrics").find("{trainer=\"<script>alert(1)</script>\"}") != std::string::npos);
}
