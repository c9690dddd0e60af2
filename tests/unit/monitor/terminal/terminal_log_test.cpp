// SPDX-License-Identifier: BSL-1.0
// The view's log has each line of logs, trainers and the program once.
#include <sigma/environment/log.hpp>
#include <sigma/monitor/terminal.hpp>

#include "board.hpp"
#include "support/point_trainer.hpp"
#include "terminal/model.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace sigma;
using namespace sigma::test;

namespace {

struct LogView {
    monitor::Board board{{}};
    monitor::Model model{board, false, [] {}};

    LogView() { board.quiet(); }
    /// Level, source and message of all that is in the view, once it has looked.
    std::vector<std::string> lines() {
        model.look({}, 80);
        board.turn();
        std::vector<std::string> all;
        for (const auto& line : model.look({}, 80).log)
            all.push_back(sentence(line.level, " ", line.source, ": ", line.message));
        return all;
    }
    std::vector<std::string> lines_later() {
        std::this_thread::sleep_for(std::chrono::milliseconds(150));
        return lines();
    }
};
using ViewLines = std::vector<std::string>;

LogRecord warning_record(const std::string& line) {
    return {LogLevel::warning, std::chrono::system_clock::now(), "lab", "low", line};
}

}  // namespace

TEST_CASE("A line of a log that the log also prints is once in the view, in whatever order it comes") {
    const std::string line = "12:00 warning lab: low\n";
    const LogRecord record = warning_record(line);
    {
        LogView view;
        view.model.add(line);
        CHECK(view.lines().empty());  // it may be a log's
        view.model.add(record);
        CHECK(view.lines_later() == ViewLines{"warning lab: low"});
    }
    {
        LogView view;
        view.model.add(record);
        view.model.add(line);
        CHECK(view.lines_later() == ViewLines{"warning lab: low"});
    }
    {
        // The log comes late: the printing thread was delayed in between.
        LogView view;
        view.model.add(line);
        CHECK(view.lines_later() == ViewLines{"info : 12:00 warning lab: low"});
        view.model.add(record);
        CHECK(view.lines_later().size() == 1);
        view.model.add(record);  // another of the same words
        CHECK(view.lines_later().size() == 2);
    }
    {
        // Of another thread it is another line.
        LogView view;
        const std::string other = "12:01 warning lab: low\n";
        view.model.add(other);
        std::thread([&] { view.model.add(warning_record(other)); }).join();
        CHECK(view.lines_later().size() == 2);
    }
}

TEST_CASE("What was printed last is in the log of the run, too") {
    monitor::Board board{{}};
    board.quiet();
    {
        monitor::Model model(board, false, [] {});
        model.add("the last line\n");
    }
    board.turn();
    CHECK(board.log(0, "", "")[0]["message"] == "the last line");
}

TEST_CASE("A trainer's line that a log tells, too, is told once to whoever has the trainer") {
    LogView view;
    PointTrainer trainer;
    sigma::detail::Log lab("lab");
    const auto sink = lab.to([&](const LogRecord& record) { view.model.add(record); }, LogLevel::debug);
    monitor::Board page{{}};
    page.quiet();
    const auto other = lab.to(page.follower(), LogLevel::debug);
    trainer.output = [&](std::string_view line) {
        lab.info(line);
        lab.info("more of it");
        view.model.add(line);  // it is printed
    };
    const auto messages = [](monitor::Board& board) {
        board.turn();
        std::vector<std::string> all;
        for (const auto& line : board.log(0, "", ""))
            all.push_back(sentence(line["source"].get<std::string>(), ": ", line["message"].get<std::string>()));
        return all;
    };
    // Only the log.
    trainer.print("one");
    CHECK(messages(page) == ViewLines{"lab: one", "lab: more of it"});
    view.lines_later();
    view.board.enter(monitor::watch(trainer));
    const std::size_t before = messages(view.board).size();
    trainer.print("two");
    CHECK(messages(page) == ViewLines{"lab: one", "lab: more of it", "lab: two", "lab: more of it"});
    view.lines_later();
    const auto found = messages(view.board);
    REQUIRE(found.size() == before + 2);
    CHECK(std::count(found.begin(), found.end(), "points: two") == 1);
    CHECK(std::count(found.begin(), found.end(), "lab: two") == 0);
    page.enter(monitor::watch(trainer));
    trainer.print("three");
    const auto all = messages(page);
    CHECK(std::count(all.begin(), all.end(), "points: three") == 1);
    CHECK(std::count(all.begin(), all.end(), "lab: three") == 0);
    CHECK(std::count(all.begin(), all.end(), "lab: more of it") == 3);
    lab.remove(sink);
    lab.remove(other);
}

TEST_CASE("A log goes on when a view that follows it ends, and one that has gone is followed no more") {
    sigma::detail::Log lab("lab");
    std::atomic<bool> over = false;
    std::thread first([&] {
        while (!over) lab.info("a line");
    });
    std::thread second([&] {
        while (!over) lab.warning("another");
    });
    for (int i = 0; i < 30; ++i) {
        monitor::Terminal view;
        {
            const sigma::detail::Log gone("gone");
            view.follow(gone);
            gone.info("its only line");
        }
        std::thread also([&] { view.follow(lab); });
        view.follow(lab);
        also.join();
        lab.info("seen");
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    over = true;
    first.join();
    second.join();
    // A message is on its way to the sinks of a log while the view ends.
    {
        std::atomic<bool> there = false, go = false;
        sigma::detail::Log slow("slow");
        const auto before = slow.to([&](const LogRecord&) {
            there = true;
            for (int i = 0; i < 20000 && !go; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        });
        auto view = std::make_unique<monitor::Terminal>();
        view->follow(slow);
        std::thread late_writer([&] { slow.info("too late"); });
        for (int i = 0; i < 20000 && !there; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        view.reset();
        go = true;
        late_writer.join();
    }
    // A monitor of either kind, in its other order: the view first, the log, and nobody else.
    auto late = std::make_unique<sigma::detail::Log>("late");
    auto view = std::make_unique<monitor::Terminal>();
    monitor::Monitor& any = *view;
    any.follow(*late);
    CHECK(late->enabled(LogLevel::debug));
    const sigma::detail::Log copy = *late;
    late.reset();
    view.reset();
    CHECK_FALSE(copy.enabled(LogLevel::critical));
}
