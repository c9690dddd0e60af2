// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/show_tasks.hpp>

#include <catch2/catch.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

using namespace sigma;
using namespace std::chrono_literals;

TEST_CASE("Amounts are short") {
    CHECK(detail::amount_text(0, "bytes") == "0 bytes");
    CHECK(detail::amount_text(999, "bytes") == "999 bytes");
    CHECK(detail::amount_text(1500, "bytes") == "1.5 kB");
    CHECK(detail::amount_text(999'960, "bytes") == "1.0 MB");
    CHECK(detail::amount_text(9'912'422, "bytes") == "9.9 MB");
    CHECK(detail::amount_text(~std::uint64_t{0}, "bytes") == "18.4 EB");
    CHECK(detail::amount_text(60'000, "records") == "60000 records");
}

TEST_CASE("A line says what is done, how far it is and how fast") {
    Task task(TaskKind::download, "mnist.gz", 10'000'000);
    task.advance(4'500'000);
    const auto begun = task.view().begun();
    CHECK(detail::task_line(task.view(), 79, begun) == "download mnist.gz  45 %, 4.5 MB of 10.0 MB");
    CHECK(detail::task_line(task.view(), 79, begun + 2s) == "download mnist.gz  45 %, 4.5 MB of 10.0 MB, 2.2 MB/s");
    CHECK(detail::task_line(task.view(), 40, begun) == "...oad mnist.gz  45 %, 4.5 MB of 10.0 MB");
    const Task unknown(TaskKind::preprocess, "table\x1b[2J\n\xc3\xa4", {}, "records");
    CHECK(detail::task_line(unknown.view(), 79, begun + 2s, false) == "preprocess table?[2J??  0 records");
    CHECK(detail::task_line(unknown.view(), 79, begun + 2s, true) == "preprocess table?[2J?ä  0 records");
    const Task wide(TaskKind::read, "数据.csv", {}, "records");
    CHECK(detail::task_line(wide.view(), 20, begun, true) == "...据.csv  0 records");
    for (std::size_t width = 0; width < 60; ++width)
        CHECK(detail::task_line(task.view(), width, begun + 2s).size() <= width);
}

TEST_CASE("The line is written over and removed at the end") {
    char* text = nullptr;
    std::size_t size = 0;
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(::open_memstream(&text, &size), &std::fclose);
    {
        detail::TaskLine line(file.get(), true);
        Task long_one(TaskKind::unpack, "a_long_name.gz"), brief(TaskKind::read, "b");
        line(long_one.view(), TaskEvent::begun);
        CHECK(size == 0);
        line(long_one.view(), TaskEvent::advanced);
        line(brief.view(), TaskEvent::advanced);
        line(long_one.view(), TaskEvent::ended);
        line(brief.view(), TaskEvent::ended);
    }
    file.reset();
    CHECK(std::string(text, size) == "\runpack a_long_name.gz  0 bytes\033[K\rread b  0 bytes\033[K\r\033[K");
    std::free(text);
}
