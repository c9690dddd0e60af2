// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/show_tasks.hpp>
#include <sigma/core/terminal.hpp>

#include <support/pseudo_terminal.hpp>

#include <catch2/catch.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace sigma;
using Lines = std::vector<std::string>;
using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

namespace {

/// Sets the locale and the kind of the terminal.
struct Environment {
    Environment() {
        ::setenv("LC_ALL", "C.UTF-8", 1);
        ::setenv("TERM", "xterm", 1);
    }
    ~Environment() {
        ::unsetenv("LC_ALL");
        ::unsetenv("TERM");
    }
};

}  // namespace

TEST_CASE("Columns of characters") {
    CHECK(terminal::width("") == 0);
    CHECK(terminal::width("abc") == 3);
    CHECK(terminal::width("Größe █▌") == 8);
    CHECK(terminal::width("e\u0301") == 1);  // a combining accent
    CHECK(terminal::width("数据") == 4);
    CHECK(terminal::width("한글, カナ") == 10);
    CHECK(terminal::width("\U0001F600") == 2);
    CHECK(terminal::width("\xff\xc3") == 2);  // each byte is shown as ?
}

TEST_CASE("A line is cut to columns, not to bytes, and moves no cursor") {
    CHECK(terminal::shortened("Größe", 3, true) == "Grö");
    CHECK(terminal::shortened("数据", 3, true) == "数");
    CHECK(terminal::shortened("e\u0301e", 1, true) == "e\u0301");
    CHECK(terminal::shortened("a\x1b[2J\n\xff", 99, true) == "a?[2J??");
    CHECK(terminal::shortened("a\u202eb\u009bc", 99, true) == "a?b?c");
    CHECK(terminal::shortened("Größe", 99, false) == "Gr??e");
    CHECK(terminal::shortened("abc", 0, true).empty());
}

TEST_CASE("Lines that stay go above the status line, whoever writes them to whichever stream") {
    const Environment environment;
    PseudoTerminal pty(20);
    const File out(pty.open(), &std::fclose), err(pty.open(), &std::fclose);
    {
        terminal::StatusLine status(err.get());
        REQUIRE(status.interactive());
        terminal::print(out.get(), "first");
        CHECK(pty.screen() == Lines{"first"});
        status.show("working 1 █");
        CHECK(pty.screen() == Lines{"first", "working 1 █"});
        terminal::print(out.get(), "second\nthird\n");
        CHECK(pty.screen() == Lines{"first", "second", "third", "working 1 █"});
        status.show("work 2");
        CHECK(pty.screen() == Lines{"first", "second", "third", "work 2"});
        terminal::print(err.get(), "fourth");
        CHECK(pty.screen() == Lines{"first", "second", "third", "fourth", "work 2"});
        status.show("longer than the terminal is");  // one column is left, so that the cursor stays in the line
        CHECK(pty.screen().back() == "longer than the ter");
        pty.resize(10);
        status.show("longer than the terminal is");
        CHECK(pty.written().ends_with("\rlonger th\033[K"));
        pty.resize(20);
        status.keep("all done");
        CHECK(pty.screen() == Lines{"first", "second", "third", "fourth", "all done"});
        status.show("again");
    }
    CHECK(pty.screen() == Lines{"first", "second", "third", "fourth", "all done"});
}

TEST_CASE("Of several that say something the last that began is seen") {
    const Environment environment;
    PseudoTerminal pty;
    const File out(pty.open(), &std::fclose), err(pty.open(), &std::fclose);
    terminal::StatusLine training(out.get());
    training.show("epoch 1");
    {
        terminal::StatusLine download(err.get());
        download.show("download 10 %");
        training.show("epoch 2");
        CHECK(pty.screen() == Lines{"download 10 %"});
        terminal::print(out.get(), "line");
        CHECK(pty.screen() == Lines{"line", "download 10 %"});
        const terminal::StatusLine copy = download;  // shows nothing, and removes nothing
    }
    CHECK(pty.screen() == Lines{"line", "epoch 2"});
    training.keep("epoch 2, over");
    CHECK(pty.screen() == Lines{"line", "epoch 2, over"});
}

TEST_CASE("Several that speak of one subject share its line") {
    const Environment environment;
    PseudoTerminal pty;
    const File out(pty.open(), &std::fclose);
    terminal::StatusLine batches(out.get()), epochs(out.get());
    batches.set_subject(&pty);
    epochs.set_subject(&pty);
    batches.show("epoch 1, half");
    epochs.keep("epoch 1, over");
    CHECK(pty.screen() == Lines{"epoch 1, over"});
    batches.show("epoch 2, half");
    terminal::keep_line(&out);  // another subject
    CHECK(pty.written().ends_with("epoch 2, half\033[K"));
    terminal::keep_line(&pty);
    CHECK(pty.written().ends_with("epoch 2, half\r\n"));
    CHECK(pty.screen() == Lines{"epoch 1, over", "epoch 2, half"});
}

TEST_CASE("What speaks of one subject on two terminals is seen where it spoke last") {
    const Environment environment;
    PseudoTerminal first(40), second(40);
    const File out(first.open(), &std::fclose), errors(second.open(), &std::fclose);
    const int subject = 0;
    terminal::StatusLine a(out.get()), b(errors.get());
    a.set_subject(&subject);
    b.set_subject(&subject);
    a.show("one");
    b.show("two");
    b.hide();
    CHECK(first.screen() == Lines{"one"});
    CHECK(second.written().ends_with("\r\033[K"));
}

TEST_CASE("Tasks, progress and messages of several threads leave whole lines") {
    const Environment environment;
    PseudoTerminal pty;
    {
        const File out(pty.open(), &std::fclose), err(pty.open(), &std::fclose);
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&, t] {
                terminal::StatusLine status(t % 2 ? out.get() : err.get());
                for (int i = 0; i < 50; ++i) {
                    status.show(sentence("thread ", t, " is at ", i, " █▌"));
                    if (i % 10 == 0) terminal::print(t < 2 ? out.get() : err.get(), sentence("line ", i / 10));
                }
            });
        for (auto& t : threads) t.join();
    }
    const Lines screen = pty.screen();
    CHECK(screen.size() == 20);
    for (const std::string& line : screen) CHECK(line.size() == 6);
    for (const std::string& line : screen) CHECK(line.starts_with("line "));
}

TEST_CASE("Tasks are shown on standard error where it is a terminal") {
    const Environment environment;
    PseudoTerminal pty;
    Lines during, after;
    {
        const Redirected redirected(2, pty.descriptor());
        const auto shown = show_tasks();
        REQUIRE(shown.has_value());
        {
            Task task(TaskKind::download, "Größe.gz", 10'000'000);
            std::this_thread::sleep_for(std::chrono::milliseconds(60));  // listeners are called twenty times a second
            task.reach(4'500'000);
            during = pty.screen();
        }
        after = pty.screen();
    }
    REQUIRE(during.size() == 1);
    CHECK(during[0].starts_with("download Größe.gz  45 %, 4.5 MB of 10.0 MB"));
    CHECK(after.empty());
}

TEST_CASE("In a file there are lines only") {
    const File file(std::tmpfile(), &std::fclose);
    {
        terminal::StatusLine status(file.get());
        CHECK_FALSE(status.interactive());
        status.show("nobody sees it");
        terminal::print(file.get(), "one");
        status.keep("two");
    }
    std::rewind(file.get());
    std::string text(100, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), file.get()));
    CHECK(text == "one\ntwo\n");
    CHECK_FALSE(terminal::print(
        std::unique_ptr<std::FILE, int (*)(std::FILE*)>(std::fopen("/dev/full", "w"), &std::fclose).get(), "x"));
}

TEST_CASE("A dumb terminal is written to as a file is") {
    const Environment environment;
    PseudoTerminal pty;
    const File out(pty.open(), &std::fclose);
    CHECK(terminal::is_interactive(out.get()));
    ::setenv("TERM", "dumb", 1);
    CHECK_FALSE(terminal::is_interactive(out.get()));
    CHECK(terminal::columns(out.get()) == 60);
}

TEST_CASE("While there is a full screen lines are told, and printed when it is gone") {
    const Environment environment;
    PseudoTerminal pty(20), other(20);
    const File out(pty.open(), &std::fclose), again(pty.open(), &std::fclose), elsewhere(other.open(), &std::fclose);
    terminal::StatusLine status(out.get(), true);
    status.show("before");
    Lines told;
    {
        const terminal::FullScreen full(
            out.get(), [](void* to, std::string_view lines) { static_cast<Lines*>(to)->emplace_back(lines); }, &told);
        const std::string before = pty.written();
        CHECK(pty.screen().empty());
        CHECK(terminal::print(out.get(), "one"));
        CHECK(terminal::print(again.get(), "two\n"));
        CHECK(terminal::print(elsewhere.get(), "to another"));
        status.show("while");
        terminal::StatusLine kept(again.get(), true);
        kept.show("other");
        kept.keep("three");
        status.show("at last");
        CHECK(pty.written() == before);
        CHECK(other.screen() == Lines{"to another"});
        CHECK(told == Lines{"one", "two\n", "three"});
        CHECK_THROWS_WITH(terminal::FullScreen(elsewhere.get(), nullptr, nullptr),
                          "a full screen: the process already has one");
    }
    CHECK(pty.screen() == Lines{"one", "two", "three", "at last"});
    terminal::print(out.get(), "four");
    CHECK(pty.screen() == Lines{"one", "two", "three", "four", "at last"});
    CHECK(told.size() == 3);
    status.hide();
    {
        const terminal::FullScreen full(out.get(), [](void*, std::string_view) {}, nullptr);
        status.show("shown when it is gone");
    }
    CHECK(pty.screen() == Lines{"one", "two", "three", "four", "shown when it is go"});
}

TEST_CASE("Of what is printed while there is a full screen the last mebibyte is kept") {
    const Environment environment;
    const File out(std::tmpfile(), &std::fclose);
    const std::string line(99, 'x');
    {
        const terminal::FullScreen full(out.get(), [](void*, std::string_view) {}, nullptr);
        for (int i = 0; i < 20'000; ++i) terminal::print(out.get(), line);  // 2'000'000 bytes
        terminal::print(out.get(), "the last");
    }
    std::rewind(out.get());
    std::string text(3'000'000, ' ');
    text.resize(std::fread(text.data(), 1, text.size(), out.get()));
    CHECK(text.size() <= (1 << 20) + 100);
    CHECK(text.size() > (1 << 20) - 200);
    // 10'485 lines of 100 bytes and the last one are held.
    CHECK(text.substr(0, text.find('\n')) == "earlier lines left out: 9515");
    CHECK(text.ends_with(line + "\nthe last\n"));
}

TEST_CASE("A handler of a crash writes what a full screen holds, once") {
    const Environment environment;
    const File out(std::tmpfile(), &std::fclose), crash(std::tmpfile(), &std::fclose);
    const auto text_of = [](const File& file) {
        std::fseek(file.get(), 0, SEEK_SET);
        std::string text(3'000'000, ' ');
        text.resize(std::fread(text.data(), 1, text.size(), file.get()));
        return text;
    };
    std::string expected;
    {
        const terminal::FullScreen full(out.get(), [](void*, std::string_view) {}, nullptr);
        terminal::print(out.get(), "one\ntwo");
        terminal::FullScreen::write_held(::fileno(crash.get()));
        CHECK(text_of(crash) == "one\ntwo\n");
        terminal::FullScreen::write_held(::fileno(crash.get()));
        CHECK(text_of(crash) == "one\ntwo\n");
    }
    {
        // Lines across the end of the ring, which continues at its beginning.
        const terminal::FullScreen full(out.get(), [](void*, std::string_view) {}, nullptr);
        for (int i = 0; i < 20'000; ++i)
            terminal::print(out.get(), sentence("line ", 100'000 + i, std::string(88, 'x')));
        for (int i = 20'000 - (1 << 20) / 100; i < 20'000; ++i)
            expected += sentence("line ", 100'000 + i, std::string(88, 'x'), "\n");
        terminal::FullScreen::write_held(::fileno(crash.get()));
        CHECK(text_of(crash) == "one\ntwo\nearlier lines left out\n" + expected);
    }
}

TEST_CASE("Of one text that is longer than what a full screen holds the last lines are kept") {
    const Environment environment;
    const File out(std::tmpfile(), &std::fclose);
    std::string text;
    for (int i = 0; i < 20'000; ++i) text += std::string(99, 'x') + '\n';
    for (const bool whole : {true, false}) {
        {
            const terminal::FullScreen full(out.get(), [](void*, std::string_view) {}, nullptr);
            terminal::print(out.get(), "before");
            terminal::print(out.get(), whole ? text : text + "the last");
            if (whole) terminal::print(out.get(), std::string(2'000'000, 'y'));
        }
        std::rewind(out.get());
        std::string found(3'000'000, ' ');
        found.resize(std::fread(found.data(), 1, found.size(), out.get()));
        if (whole) CHECK(found == "earlier lines left out: 20002\n");
        else CHECK(found.substr(0, found.find('\n')) == "earlier lines left out: 9516");
        if (!whole) CHECK(found.ends_with("xx\nthe last\n"));
        std::rewind(out.get());
    }
}
