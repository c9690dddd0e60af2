// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/task.hpp>

#include <catch2/catch.hpp>

#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace sigma;

namespace {

std::vector<TaskView> named(const std::string& description) {
    std::vector<TaskView> found;
    for (const TaskView& view : tasks())
        if (view.description() == description) found.push_back(view);
    return found;
}

}  // namespace

TEST_CASE("A task is seen from its beginning to its end") {
    std::optional<TaskView> seen;
    {
        Task task(TaskKind::unpack, "mnist.gz", 200);
        REQUIRE(named("mnist.gz").size() == 1);
        seen = named("mnist.gz").front();
        CHECK(seen->kind() == TaskKind::unpack);
        CHECK(detail::task_word(seen->kind()) == "unpack");
        CHECK(seen->unit() == "bytes");
        CHECK(seen->progress() == 0.0);
        task.advance(50);
        task.advance(0);
        CHECK(seen->done() == 50);
        CHECK(seen->progress() == 0.25);
        task.reach(100);
        CHECK(seen->progress() == 0.5);
        task.set_total(50);
        CHECK(seen->progress() == 1.0);
        task.set_total({});
        CHECK_FALSE(seen->total());
        CHECK_FALSE(seen->progress());
        CHECK_FALSE(seen->ended());
    }
    CHECK(named("mnist.gz").empty());
    CHECK(seen->ended());
    CHECK_FALSE(seen->canceled());
}

TEST_CASE("Tasks are numbered in the order of their beginning, and count what they say") {
    const Task first(TaskKind::read, "ordered");
    const Task second(TaskKind::preprocess, "ordered", 10, "records");
    const auto found = named("ordered");
    REQUIRE(found.size() == 2);
    CHECK(found[0].number() < found[1].number());
    CHECK(found[1].unit() == "records");
    CHECK(found[1].total() == 10u);
    CHECK_FALSE(found[0].progress());
}

TEST_CASE("A canceled task throws where it next says how far it is") {
    Task task(TaskKind::download, "a.gz");
    task.advance(7);
    std::thread([] { named("a.gz").front().cancel(); }).join();
    CHECK(task.view().canceled());
    CHECK_THROWS_AS(task.examine(), CanceledError);
    CHECK_THROWS_AS(task.reach(7), CanceledError);
    CHECK_THROWS_WITH(task.advance(1), "download 'a.gz': canceled after 8 bytes");
}

TEST_CASE("Listeners hear of tasks as long as they live") {
    std::vector<std::string> heard;
    const auto note = [&](const TaskView& view, TaskEvent event) {
        heard.push_back(sentence(view.description(), ' ', static_cast<int>(event)));
    };
    {
        const TaskListener listener = on_task(note);
        Task task(TaskKind::read, "heard");
        task.view().cancel();
        task.view().cancel();
    }
    const Task later(TaskKind::read, "not heard");
    CHECK(heard == std::vector<std::string>{"heard 0", "heard 2", "heard 3"});
}

TEST_CASE("Progress is told, but not each time") {
    int told = 0;
    const TaskListener listener =
        on_task([&](const TaskView&, TaskEvent event) { told += event == TaskEvent::advanced; });
    Task task(TaskKind::read, "many", 1'000'000);
    const auto begun = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begun < std::chrono::milliseconds(120)) task.advance();
    CHECK(told >= 1);
    CHECK(told <= 3);
}

TEST_CASE("What a listener throws changes nothing, and it may remove itself") {
    int calls = 0;
    std::optional<TaskListener> once;
    once = on_task([&](const TaskView&, TaskEvent) {
        ++calls;
        const auto self = std::move(once);
        once.reset();
        throw std::runtime_error("not yours");
    });
    Task task(TaskKind::read, "thrown");
    task.advance();
    CHECK(calls == 1);
}

TEST_CASE("Tasks begin, advance, are listed and listened to on several threads") {
    std::vector<std::thread> threads;
    std::atomic<int> heard{0};
    {
        Task shared(TaskKind::read, "shared");
        const TaskListener listener = on_task([&](const TaskView&, TaskEvent) { ++heard; });
        for (int thread = 0; thread < 4; ++thread)
            threads.emplace_back([&] {
                for (int i = 0; i < 100; ++i) {
                    Task own(TaskKind::read, "own", 10);
                    for (int k = 0; k < 10; ++k) own.advance();
                    shared.advance(2);
                    for (const TaskView& view : tasks()) (void)view.progress();
                    const TaskListener brief = on_task([](const TaskView& view, TaskEvent) { (void)view.done(); });
                }
            });
        for (std::thread& thread : threads) thread.join();
        CHECK(shared.view().done() == 800);
    }
    CHECK(heard >= 800);
    CHECK(named("own").empty());
}
