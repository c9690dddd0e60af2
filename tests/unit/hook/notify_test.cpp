// SPDX-License-Identifier: BSL-1.0
// Reports that notify a person: by a command, by a sound, and to a web address.
#include <sigma/hook/notify.hpp>
#include <sigma/hook/webhook.hpp>
#include <sigma/hook/words.hpp>

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <support/hook_trainer.hpp>
#include <support/http_server.hpp>
#include <support/pseudo_terminal.hpp>
#include <support/scratch.hpp>

using namespace sigma;
using Catch::Contains;
using test::HookTrainer;

TEST_CASE("A command finds the line of a report in its environment") {
    const Scratch folder;
    const std::string file = folder / "log";
    for (const bool in_background : {false, true}) {
        HookTrainer trainer;
        const auto hook = every(1, iteration)
                              .then(report("at $(epoch) `x` \"y\"", iteration)
                                        .to(command("printf '%s\\n' \"$SIGMA_REPORT\" >> '" + file + "'")));
        if (in_background) trainer.add(hook.in_background(5));
        else trainer.add(hook);
        trainer.train(2);
        trainer.finish();
    }
    const std::string two = "at $(epoch) `x` \"y\"  iteration 1\nat $(epoch) `x` \"y\"  iteration 2\n";
    CHECK(file_text(file) == two + two);
}

TEST_CASE("A command without values tells a text, and knows the environment of the program") {
    const Scratch folder;
    ::setenv("SIGMA_TEST_FILE", (folder / "log").c_str(), 1);
    ::setenv("SIGMA_REPORT", "of the program", 1);
    HookTrainer trainer;
    trainer.add(
        every(1, iteration).then(report("finished").to(command("echo \"$SIGMA_REPORT\" > \"$SIGMA_TEST_FILE\""))));
    trainer.train(1);
    ::unsetenv("SIGMA_TEST_FILE");
    ::unsetenv("SIGMA_REPORT");
    CHECK(file_text(folder / "log") == "finished\n");
}

TEST_CASE("A command that fails ends the run, or is printed") {
    const auto failing = every(1, epoch).then(report(epoch).to(command("exit 3")));
    CHECK(failing.text() == "when(every(1, epoch)).then(report(epoch).to(command(\"exit 3\")))");
    HookTrainer ends, prints;
    ends.add(failing);
    CHECK_THROWS_WITH(ends.train(2), Contains("command(\"exit 3\"): expected exit status 0, found 3"));
    prints.add(every(1, epoch).then(report(epoch).to(command("kill -9 $$"))).on_error(OnError::report));
    prints.train(2);
    REQUIRE(prints.lines().size() == 1);
    CHECK_THAT(prints.lines()[0], Contains("expected exit status 0, found 137"));
    CHECK_THROWS_AS(command(""), ArgumentError);
}

TEST_CASE("A sound is a bell on a terminal, or a file that a program plays") {
    PseudoTerminal screen;
    {
        const Redirected there(2, screen.descriptor());
        sound().send("line");
    }
    CHECK(screen.bells() == 1);

    // A player of this test's own, first in the path.
    const Scratch folder;
    const std::string player = folder.write("pw-play", "#!/bin/sh\necho \"$1\" > \"$0.played\"\n");
    std::filesystem::permissions(player, std::filesystem::perms::owner_all);
    const std::string path = std::getenv("PATH");
    ::setenv("PATH", (folder.path.string() + ":" + path).c_str(), 1);
    sound("a b.wav").send("line");
    CHECK(file_text(player + ".played") == "a b.wav\n");
    folder.write("pw-play", "#!/bin/sh\nexit 1\n");
    CHECK_THROWS_WITH(sound("a b.wav").send("line"), "sound(\"a b.wav\"): expected exit status 0, found 1");
    ::setenv("PATH", path.c_str(), 1);
    CHECK_THROWS_AS(sound(""), ArgumentError);
}

TEST_CASE("A webhook posts the line as JSON or as text") {
    test::HttpServer server([](const auto& request, const auto& client) {
        client.reply(request.path == "/none" ? "404 Not Found" : "204 No Content", "", "");
    });
    HookTrainer trainer;
    trainer.add(every(1, epoch).then(report("a \"quoted\" line", epoch).to(webhook(server.address("/secret"))),
                                     report("é", epoch).to(webhook(server.address("/secret"), {.field = "content"})),
                                     report(epoch).to(webhook(server.address("/secret"), {.field = ""}))));
    trainer.train(2);
    const auto requests = server.requests();
    REQUIRE(requests.size() == 3);
    CHECK(requests[0].method == "POST");
    CHECK(requests[0].path == "/secret");
    CHECK(requests[0].headers.at("content-type") == "application/json");
    CHECK(requests[0].body == R"({"text": "a \"quoted\" line  epoch 1"})");
    CHECK(requests[1].body == R"({"content": "é  epoch 1"})");
    CHECK(requests[2].headers.at("content-type") == "text/plain; charset=utf-8");
    CHECK(requests[2].body == "epoch 1");
}

TEST_CASE("A webhook that fails is an error without the secret address") {
    std::string closed;
    {
        test::HttpServer server([](const auto&, const auto& client) { client.reply("404 Not Found", "", ""); });
        const Notification there = webhook(server.address("/secret"));
        CHECK(there.text == "webhook(\"http://127.0.0.1\")");
        CHECK_THROWS_WITH(there.send("line"),
                          "webhook(\"http://127.0.0.1\"): expected a status from 200 to 299, found 404");
        closed = server.address("/secret");
        test::HttpServer slow([](const auto&, const auto& client) { client.wait(std::chrono::seconds(20)); });
        CHECK_THROWS_WITH(webhook(slow.address(), {.timeout = 0.2}).send("line"),
                          Contains("expected a reply, found '"));
    }
    CHECK_THROWS_WITH(webhook(closed).send("line"),
                      Contains("webhook(\"http://127.0.0.1\"): expected a reply, found '") && !Contains("secret"));
    CHECK_THROWS_WITH(webhook("file:///etc/passwd"),
                      "webhook: expected an address of https or http, found another text");
    CHECK_THROWS_AS(webhook("nonsense address"), ArgumentError);
    CHECK_THROWS_AS(webhook(closed, {.timeout = 0}), ArgumentError);
}
