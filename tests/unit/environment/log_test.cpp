// SPDX-License-Identifier: BSL-1.0
#include <sigma/environment/log.hpp>

#include <catch2/catch.hpp>
#include <support/scratch.hpp>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <thread>

using namespace sigma;
namespace fs = std::filesystem;

namespace {

// Whether a text is the pattern with a digit for each #.
bool is(std::string_view text, std::string_view pattern) {
    return std::ranges::equal(text, pattern, [](char found, char wanted) {
        return wanted == '#' ? std::isdigit(static_cast<unsigned char>(found)) != 0 : found == wanted;
    });
}

std::string printed(std::FILE* file) {
    std::string text(static_cast<std::size_t>(std::ftell(file)), ' ');
    std::rewind(file);
    CHECK(std::fread(text.data(), 1, text.size(), file) == text.size());
    return text;
}

}  // namespace

TEST_CASE("each level reaches the sinks that want it") {
    detail::Log log("lab");
    std::vector<std::string> all, important;
    log.to(
        [&](const LogRecord& r) {
            all.push_back(sentence(detail::level_text(r.level), " ", r.source, " ", r.message));
        },
        LogLevel::trace);
    const auto sink = log.to([&](const LogRecord& r) { important.emplace_back(r.message); }, LogLevel::warning);
    log.trace("a ", 1);
    log.debug("b ", 2.5);
    log.info("c");
    log.named("digits").warning("d");
    log.error("e");
    log.critical("f");
    log.write(LogLevel::off, "never");
    CHECK(all == std::vector<std::string>{"trace lab a 1", "debug lab b 2.5", "info lab c", "warning digits d",
                                          "error lab e", "critical lab f"});
    CHECK(important == std::vector<std::string>{"d", "e", "f"});

    sink->level(LogLevel::info);
    log.info("g");
    CHECK(important.back() == "g");
    CHECK(log.enabled(LogLevel::trace));
    sink->level(LogLevel::off);
    log.critical("h");
    CHECK(important.back() == "g");
    sink->level(LogLevel::trace);
    log.remove(sink);
    log.critical("i");
    CHECK(important.back() == "g");
    CHECK(all.back() == "critical lab i");
}

TEST_CASE("a log without sinks makes no text") {
    const detail::Log log;
    CHECK_FALSE(log.enabled(LogLevel::critical));
    struct Part {
        operator std::string_view() const { throw std::runtime_error("made"); }
    };
    log.critical(Part{});
    log.info("nothing");
}

TEST_CASE("lines say time, level and source") {
    detail::Log log("lab");
    std::string line;
    log.to([&](const LogRecord& r) { line = r.line; }, LogLevel::trace);
    log.warning("the rate is ", 0.5);
    CHECK(is(line, "####-##-## ##:##:##.### warning  lab: the rate is 0.5\n"));
    log.named("").info("x");
    CHECK(is(line, "####-##-## ##:##:##.### info     x\n"));
}

TEST_CASE("terminals are coloured, files are not") {
    std::FILE* const file = std::tmpfile();
    detail::Log log("lab");
    SECTION("no terminal") {
        log.to_terminal(LogLevel::info, file);
        log.error("x");
        const std::string text = printed(file);
        CHECK(text.find("error    lab: x\n") != std::string::npos);
        CHECK(text.find('\033') == std::string::npos);
        CHECK_FALSE(TerminalSink::wants_colour(file));
    }
    SECTION("terminal") {
        log.add(std::make_shared<TerminalSink>(LogLevel::info, file, true));
        log.error("an error");
        const std::string text = printed(file);
        CHECK(text.find(" \033[31merror\033[0m    lab: an error\n") != std::string::npos);
    }
    std::fclose(file);
}

TEST_CASE("files rotate, and none is larger than its limit") {
    const Scratch folder;
    const fs::path path = folder.path / "deep" / "lab.log";
    {
        detail::Log log;
        log.to_file(path, LogLevel::info, {.bytes = 200, .files = 3});
        for (int i = 0; i < 20; ++i) log.info("message number ", i);
    }
    int files = 0;
    for (const auto& entry : fs::directory_iterator(path.parent_path())) {
        ++files;
        CHECK(entry.file_size() <= 200);
    }
    CHECK(files == 3);
    const std::string all = file_text(path.string() + ".2") + file_text(path.string() + ".1") + file_text(path);
    CHECK(all.find("number 19\n") != std::string::npos);
    CHECK(all.find("number 3\n") == std::string::npos);
    CHECK(all.find("number 14\n") < all.find("number 15\n"));

    SECTION("what was there is continued") {
        const auto before = file_text(path);
        detail::Log log;
        log.to_file(path, LogLevel::info, {.bytes = 100'000, .files = 3});
        log.info("more");
        CHECK(file_text(path).substr(0, before.size()) == before);
        CHECK(file_text(path).size() > before.size());
    }
    SECTION("one file only") {
        detail::Log log;
        log.to_file(path, LogLevel::info, {.bytes = 100, .files = 1});
        for (int i = 0; i < 9; ++i) log.info("a line of some length, number ", i);
        CHECK(file_text(path).size() < 100);
        CHECK(file_text(path).find("number 8\n") != std::string::npos);
    }
}

TEST_CASE("files that cannot be are refused at once, and forgiven later") {
    const Scratch folder;
    detail::Log log;
    CHECK_THROWS_AS(log.to_file(folder.path), DataError);  // a folder
    CHECK_THROWS_AS(log.to_file(folder.path / "x.log", LogLevel::info, {.bytes = 1, .files = 0}), ArgumentError);
    log.info("goes on");
    if (fs::exists("/dev/full")) {
        const auto sink = log.to_file("/dev/full", LogLevel::info, {.bytes = 1 << 20, .files = 2});
        log.info("no room");
        CHECK(sink->failures() == 1);
    }
}

TEST_CASE("a callback may throw and may log") {
    detail::Log log;
    std::vector<std::string> seen, other;
    const auto sink = log.to([&](const LogRecord& r) {
        seen.emplace_back(r.message);
        log.info("about ", r.message);
        throw std::runtime_error("x");
    });
    log.to([&](const LogRecord& r) { other.emplace_back(r.message); });
    log.info("it");
    CHECK(seen == std::vector<std::string>{"it"});
    CHECK(other == std::vector<std::string>{"about it", "it"});
    CHECK(sink->failures() == 1);
}

TEST_CASE("lines of many threads stay whole while sinks come and go") {
    const Scratch folder;
    const fs::path path = folder.path / "threads.log";
    constexpr int each = 500;
    {
        detail::Log log;
        log.to_file(path);
        std::atomic<bool> over{false};
        std::thread changer([&] {
            while (!over) log.remove(log.to([](const LogRecord&) {}, LogLevel::trace));
        });
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&, t] {
                const detail::Log mine = log.named(sentence("t", t));
                for (int i = 0; i < each; ++i) mine.info("message ", 1000 + i, " ends here");
            });
        for (std::thread& thread : threads) thread.join();
        over = true;
        changer.join();
    }
    std::ifstream file(path);
    std::set<std::string> lines;
    bool all_whole = true;
    for (std::string line; std::getline(file, line);) {
        all_whole = all_whole && is(line, "####-##-## ##:##:##.### info     t#: message #### ends here");
        lines.insert(line.substr(24));
    }
    CHECK(all_whole);
    CHECK(lines.size() == 4 * each);
}
