// SPDX-License-Identifier: BSL-1.0
// The view on a terminal: what it shows, what its keys do, and that the terminal is as before.
#include <sigma/core/terminal.hpp>
#include <sigma/hook/words.hpp>
#include <sigma/monitor/terminal.hpp>
#include <sigma/sigma.hpp>

#include "support/point_trainer.hpp"
#include "support/pseudo_terminal.hpp"
#include "support/scratch.hpp"
#include "support/vt52_screen.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <thread>

#include <signal.h>
#include <termios.h>

using namespace sigma;
using namespace sigma::test;

namespace {

/// Somebody sits at a terminal of this kind.
struct Seat {
    explicit Seat(const char* kind = "vt52", unsigned short columns = 90) : terminal(columns), width(columns) {
        ::setenv("TERM", kind, 1);
        ::setenv("LC_ALL", "C.UTF-8", 1);
        input.emplace(0, terminal.descriptor());
        output.emplace(1, terminal.descriptor());
        ::tcgetattr(terminal.descriptor(), &before);
    }
    ~Seat() {
        output.reset();
        input.reset();
        if (kind_before) ::setenv("TERM", kind_before->c_str(), 1);
        else ::unsetenv("TERM");
        ::unsetenv("LC_ALL");
    }
    std::string screen() {
        std::string text;
        for (const std::string& line : vt52_screen_of(terminal.written(), width, 24)) (text += line) += '\n';
        return text;
    }
    /// Waits for it, for at most 20 seconds.
    bool sees(std::string_view part) {
        for (const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);;) {
            const std::string now = screen();
            if (now.find(part) != now.npos) return true;
            if (std::chrono::steady_clock::now() > end) {
                UNSCOPED_INFO("expected " << part << " in\n" << now);
                return false;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
    }
    /// Modes that the view changes.
    bool as_before() const {
        ::termios now{};
        ::tcgetattr(terminal.descriptor(), &now);
        return now.c_lflag == before.c_lflag && now.c_iflag == before.c_iflag && now.c_oflag == before.c_oflag;
    }

    PseudoTerminal terminal;
    std::size_t width;
    ::termios before{};
    std::optional<std::string> kind_before =
        std::getenv("TERM") == nullptr ? std::nullopt : std::optional<std::string>(std::getenv("TERM"));
    std::optional<Redirected> input, output;
};
template <class Ask>
bool comes_true(Ask ask) {
    for (int i = 0; i < 2000; ++i) {
        if (ask()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}
std::size_t count_of(const std::string& text, std::string_view part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
    return count;
}

}  // namespace

TEST_CASE("Keys of the view pause, step, save and stop a run, and the view says that it was done") {
    Scratch scratch;
    Seat seat("vt52", 160);  // on which the whole path of a checkpoint has its place
    PointTrainer trainer;
    std::string saved;
    {
        monitor::Terminal view(trainer, {.runs = scratch / "runs"});
        REQUIRE(view.full_screen());
        view.add(monitor::chart(loss), monitor::parameters(monitor::slider("optimizer.learning_rate", 1e-6, 1.0)),
                 monitor::log);
        CHECK_FALSE(seat.as_before());
        CHECK(seat.sees("points  idle"));
        seat.terminal.type(" ");
        CHECK(seat.sees("pause: refused: pause of trainer 'points': expected a running trainer, found an idle"));
        view.on_start("points", [&] { trainer.start(cpu()); });
        CHECK(seat.sees("space start"));
        seat.terminal.type(" ");
        CHECK(seat.sees("start: done"));
        CHECK(seat.sees("points  running  cpu"));
        CHECK(seat.sees("records/s"));
        CHECK(seat.sees("optimizer.learning_rate  0.125"));
        CHECK(seat.sees("└──"));
        seat.terminal.type(" ");
        CHECK(seat.sees("pause: done"));
        CHECK(seat.sees("points  paused"));
        const auto paused = trainer.iteration();
        seat.terminal.type("s");
        CHECK(seat.sees(sentence("iteration ", paused + 1, " ")));
        CHECK(seat.sees("step: done"));
        CHECK(trainer.iteration() == paused + 1);
        seat.terminal.type("w");
        saved = sentence("points-", paused + 1, ".safetensors");
        CHECK(seat.sees(sentence(saved, ": done")));
        CHECK(std::filesystem::exists(sentence(view.run_folder(), "/", saved)));
        seat.terminal.type(" ");
        CHECK(seat.sees("resume: done"));
        CHECK(seat.sees("points  running"));
        seat.terminal.type("x");
        CHECK(seat.sees("stop: done"));
        CHECK(trainer.state() == RunState::idle);
        trainer.start(cpu());
        CHECK(seat.sees("points  running"));
        seat.terminal.type("q");
        view.wait();
        CHECK_FALSE(view.full_screen());
        CHECK(trainer.state() == RunState::running);
        CHECK(seat.as_before());
    }
    trainer.stop().wait();
}

TEST_CASE("What is printed while the screen is up is in the log, and stays when it is left") {
    Seat seat;
    PointTrainer trainer;
    sigma::detail::Log messages("lab");
    messages.to_terminal(LogLevel::info, stdout);
    terminal::print(stdout, "before");
    {
        monitor::Terminal view(trainer);
        view.follow(messages);
        view.add(monitor::log);
        terminal::print(stdout, "a line\nand another");
        trainer.print("of the trainer");
        messages.warning("of the log");
        terminal::StatusLine status(stdout, true);
        status.show("how far it is");
        CHECK(seat.sees("and another"));
        CHECK(seat.sees("points  of the trainer"));
        CHECK(seat.sees("warning lab  of the log"));
        const std::string screen = seat.screen();
        for (const char* once : {"a line", "and another", "of the trainer", "of the log"})
            CHECK(count_of(screen, once) == 1);
        CHECK(count_of(screen, "how far it is") == 0);
        CHECK(count_of(seat.terminal.written(), "of the trainer\r\n") == 0);
        view.leave();
        const std::string after = seat.terminal.written();
        const auto lines = after.find("a line\r\nand another\r\nof the trainer\r\n");
        CHECK(lines != after.npos);
        CHECK(after.find("of the log", lines) != after.npos);
        CHECK(after.ends_with("\nhow far it is"));
        status.hide();
        terminal::print(stdout, "later");
        CHECK(seat.terminal.written().ends_with("later\r\n"));
    }
}

TEST_CASE("The screen is left as it was, whatever ends the view") {
    Seat seat("xterm-256color");
    const std::string before = seat.terminal.written();
    try {
        PointTrainer trainer;
        const monitor::Terminal view(trainer);
        CHECK(seat.terminal.written().find("\033[?1049h") != before.npos);
        CHECK(seat.terminal.written().find("\033[?1049l") == before.npos);
        CHECK_THROWS_WITH(monitor::Terminal(trainer), "a full screen: the process already has one");
        throw Error("an exception");
    } catch (const Error& thrown) { CHECK(std::string(thrown.what()) == "an exception"); }
    CHECK(seat.terminal.written().find("\033[?1049l") != before.npos);
    CHECK(seat.as_before());
    monitor::Terminal again;
    CHECK(again.full_screen());
}

TEST_CASE("A view that was left comes again, by a call and when the process goes on") {
    Seat seat;
    PointTrainer trainer;
    monitor::Terminal view(trainer);
    view.add(monitor::log);
    CHECK(seat.sees("q leave"));
    for (const bool by_call : {true, false, true}) {
        seat.terminal.type("q");
        view.wait();
        CHECK_FALSE(view.full_screen());
        CHECK(seat.as_before());
        trainer.print(by_call ? "between" : "stopped");
        CHECK(seat.terminal.written().ends_with(by_call ? "between\r\n" : "stopped\r\n"));
        if (by_call) view.open();
        else ::raise(SIGCONT);
        CHECK(comes_true([&] { return view.full_screen(); }));
        CHECK_FALSE(seat.as_before());
        terminal::print(stdout, by_call ? "held one" : "held two");
        CHECK(seat.sees(by_call ? "held one" : "held two"));
    }
    // A call of wait() now waits for this screen.
    std::atomic<bool> waited = false;
    std::thread waiter([&] {
        view.wait();
        waited = true;
    });
    view.open();  // which it is
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK_FALSE(waited);
    view.leave();
    waiter.join();
    CHECK(seat.as_before());
    CHECK(count_of(seat.terminal.written(), "held one\r\n") == 2);
    CHECK(count_of(seat.terminal.written(), "held two\r\n") == 1);
    for (int i = 0; i < 5; ++i) {  // one after the other, without a pause
        view.open();
        view.leave();
        CHECK_FALSE(view.full_screen());
    }
    view.open();  // and the view ends while it is up, or is about to be
}

TEST_CASE("The view follows the size of the terminal") {
    Seat seat;
    PointTrainer trainer;
    const monitor::Terminal view(trainer);
    CHECK(seat.sees("w save  q leave"));
    seat.terminal.resize(30, 5);
    seat.width = 30;
    // The last row is the fifth now.
    CHECK(comes_true([&] {
        const auto lines = vt52_screen_of(seat.terminal.written(), 30, 5);
        return lines.size() == 5 && lines[4].find("pause  s step") != std::string::npos;
    }));
}

TEST_CASE("Ctrl-C stops a run that wants to be interrupted") {
    Seat seat;
    PointTrainer trainer;
    const monitor::Terminal view(trainer);
    std::thread typist([&] {
        if (seat.sees("points  running")) seat.terminal.type("\x03");
        else trainer.stop();
    });
    CHECK_NOTHROW(trainer.run({.epochs = RunOptions::forever, .device = cpu(), .stop_on_interrupt = true}));
    typist.join();
    CHECK(view.full_screen());
    CHECK(seat.sees("points  stopped"));
}

TEST_CASE("Tab goes through the trainers of an environment") {
    Seat seat;
    sigma::detail::Environment lab("lab", 42);
    PointTrainer one("one"), two("two");
    lab.add(one, cpu(), 2);
    lab.add(two, cpu(), 2);
    monitor::Terminal view(lab, {.read_only = true});
    CHECK(seat.sees("[one]  two  idle"));
    seat.terminal.type("\t");
    CHECK(seat.sees(" one  [two] idle"));
    seat.terminal.type(" ");
    CHECK(seat.sees("pause of two: refused: pause of trainer 'two': the view is read-only"));
    CHECK(count_of(seat.screen(), "s step") == 0);
    lab.log.info("of the environment");
    CHECK(seat.sees("of the environment"));
}

TEST_CASE("A terminal refuses panels that it cannot show") {
    monitor::Terminal view;
    CHECK_THROWS_AS(view.add(monitor::draw_digit(28, 28)), ArgumentError);
    CHECK_THROWS_WITH(view.add(monitor::tic_tac_toe),
                      "panel 'tic-tac-toe' of a terminal: expected chart, parameters, graph, tasks or log, found one "
                      "of the kind tic_tac_toe");
    CHECK_THROWS_AS(view.add(monitor::weights("w", 28, 28)), ArgumentError);
    CHECK_THROWS_AS(view.add(monitor::histogram("w")), ArgumentError);
    CHECK_THROWS_AS(view.add(monitor::confusion(points())), ArgumentError);
    view.add(monitor::graph, monitor::tasks);
}

TEST_CASE("Where standard output is no terminal, or dumb, lines are printed as ever") {
    PointTrainer trainer;
    {
        Seat seat("dumb");
        monitor::Terminal view(trainer);
        CHECK_FALSE(view.full_screen());
        view.wait();
        view.leave();
        trainer.print("a line");
        CHECK(seat.terminal.written() == "a line\r\n");
    }
    {
        Seat seat("a kind that is unknown");
        const monitor::Terminal view(trainer);
        CHECK_FALSE(view.full_screen());
        trainer.print("a line");
        CHECK(seat.terminal.written() == "a line\r\n");
        CHECK(seat.as_before());
    }
    Seat seat;
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), &std::fclose);
    const Redirected elsewhere(1, ::fileno(file.get()));
    monitor::Terminal view(trainer);
    CHECK_FALSE(view.full_screen());
    CHECK_FALSE(trainer.output);
    CHECK(seat.terminal.written().empty());
}
