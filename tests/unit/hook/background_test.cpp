// SPDX-License-Identifier: BSL-1.0
#include <support/hook_trainer.hpp>

#include <catch2/catch.hpp>

#include <chrono>
#include <set>
#include <thread>

using namespace sigma;
using namespace sigma::test;
using namespace std::chrono_literals;

namespace {

using Lines = std::vector<std::string>;
constexpr auto a = value<"a">;
constexpr auto b = value<"b">;
using A = Value<"a">;
using B = Value<"b">;

/// What is seen of the trainer behind it: loss, weight, iteration, and the checkpoint.
struct Looks : Action<Looks> {
    using Reads = Types<LossValue>;
    static constexpr Needs needs = Needs::parameters;
    Lines* seen;
    Gate* gate;
    LossValue value{};

    Looks(Lines& seen_, Gate& gate_) : seen(&seen_), gate(&gate_) {}
    void visit_values(auto f) { f(value); }
    void run(auto& context) {
        gate->pass();
        seen->push_back(sentence(context.counts()[Moment::iteration], " ", context.get(value), " ",
                                 context.model().weight, " ", context.score(10.0), " ", context.runtime()));
    }
    static std::string text() { return "look"; }
};
/// Counts its runs, and remembers the count.
struct CountsRuns : Action<CountsRuns> {
    std::atomic<std::uint64_t>* runs;
    std::chrono::milliseconds time;
    std::uint64_t kept = 0;

    explicit CountsRuns(std::atomic<std::uint64_t>& runs_, std::chrono::milliseconds time_ = {})
        : runs(&runs_), time(time_) {}
    void run(auto&) {
        std::this_thread::sleep_for(time);
        runs->store(++kept);
    }
    void archive(Archive& archive_) { archive_(kept); }
    void restart(auto&) { kept = 0; }
    static std::string text() { return "count"; }
};
/// Works until its time has passed, and says whether it had passed when it began.
struct Overworks : Action<Overworks> {
    Lines* lines;
    explicit Overworks(Lines& lines_) : lines(&lines_) {}
    void run(auto& context) {
        lines->push_back(context.expired() ? "expired" : "in time");
        while (!context.expired()) std::this_thread::sleep_for(1ms);
    }
    static std::string text() { return "work"; }
};

struct Halves : Action<Halves> {
    static constexpr Needs needs = Needs::checkpoint;
    static void run(auto& context) {
        context.change([](auto& t) { t.optimizer.learning_rate /= 2; });
        context.save("file");
        context.stop();
    }
    static std::string text() { return "halve"; }
};

double seconds_of(auto f) {
    const auto began = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

}  // namespace

TEST_CASE("Hooks in the background see the moment in which they fired") {
    HookTrainer trainer;
    Lines seen;
    Gate gate;
    trainer.add(at(3, iteration).then(Looks(seen, gate)).in_background());
    trainer.train(3);
    gate.wait_for_somebody();
    trainer.train(5);  // meanwhile
    gate.open();
    trainer.finish();
    CHECK(seen == Lines{"3 3 3 30 0.003"});
}

TEST_CASE("Hooks in the background that depend on each other run in order on one thread") {
    HookTrainer trainer;
    Lines ran;
    std::vector<std::thread::id> threads;
    const auto here = [&] { threads.push_back(std::this_thread::get_id()); };
    trainer.add(when(b.reaches(23)).then(Notes<A, B, LossValue>(&ran, "when"), here).in_background(9),
                every(1, iteration).then(Makes<"b", A>(10, &ran), here).in_background(9),
                every(1, iteration).then(Makes<"a", LossValue>(10, &ran), here).in_background(9));
    trainer.train(4);
    trainer.finish();
    CHECK(ran == Lines{"a", "b", "a", "b", "a", "b", "when a=13 b=23 loss=3", "a", "b"});
    CHECK(std::set<std::thread::id>(threads.begin(), threads.end()).size() == 1);
    CHECK(threads[0] != std::this_thread::get_id());
}

TEST_CASE("What was computed in front belongs to the moment, too") {
    HookTrainer trainer;
    Lines ran;
    Gate gate;
    // The criterion is decided behind, since it reads b; a is computed again while it waits.
    trainer.add(every(1, iteration).then(Makes<"a", LossValue>()),
                every(1, iteration).then([&] { gate.pass(); }, Makes<"b">(1)).in_background(9),
                when(a.increases() && b.reaches(1)).then(Notes<A>(&ran)).in_background(9));
    trainer.train(1);
    gate.wait_for_somebody();
    trainer.train(3);
    gate.open();
    trainer.finish();
    CHECK(ran == Lines{"notes a=2", "notes a=3", "notes a=4"});
}

TEST_CASE("A busy hook is skipped, unless snapshots may wait") {
    HookTrainer trainer;
    Gate gate;
    Lines ran;
    auto& patient =
        trainer.add(every(1, iteration).then([&] { gate.pass(); }, Notes<LossValue>(&ran)).in_background(3));
    trainer.train(1);
    gate.wait_for_somebody();
    trainer.train(9);
    CHECK(patient.skipped() == 6);
    gate.open();
    trainer.finish();
    CHECK(ran == Lines{"notes loss=1", "notes loss=2", "notes loss=3", "notes loss=4"});
    trainer.train(1);
    trainer.finish();
    CHECK(ran.back() == "notes loss=11");
}

TEST_CASE("A slow hook neither slows iterations nor piles up") {
    HookTrainer trainer;
    std::atomic<std::uint64_t> runs{0};
    auto& group = trainer.add(every(1, iteration).then(CountsRuns(runs, 20ms)).in_background());
    const double seconds = seconds_of([&] { trainer.train(2000); });
    CHECK(seconds < 20);  // one after the other they would take 40 s
    trainer.finish();
    CHECK(runs >= 1);
    CHECK(runs + group.skipped() == 2000);
}

TEST_CASE("An exception in the background ends the run with the name of the hook, or is printed") {
    HookTrainer trainer;
    SECTION("ends it") {
        trainer.add(
            at(2, iteration).then([] { throw std::runtime_error("no paper"); }).in_background().named("printer"));
        try {
            trainer.train(4);
            trainer.finish();
            FAIL("nothing was thrown");
        } catch (const HookError& e) {
            CHECK(std::string(e.what()) == "hook 'printer', iteration 2: no paper");
            CHECK(e.hook == "printer");
            CHECK_THROWS_WITH(std::rethrow_if_nested(e), "no paper");
        }
        CHECK_NOTHROW(trainer.finish());  // once
    }
    SECTION("is printed, and the hook goes on") {
        int runs = 0;
        trainer.add(every(1, iteration)
                        .then([&] {
                            if (++runs == 2) throw std::runtime_error("no paper");
                        })
                        .in_background(9)
                        .named("printer")
                        .on_error(OnError::report));
        trainer.train(4);
        trainer.finish();
        CHECK(trainer.lines() == Lines{"hook 'printer', iteration 2: no paper"});
        CHECK(runs == 4);
    }
}

TEST_CASE("A hook that runs longer than its limit is an error, and is told") {
    HookTrainer trainer;
    Lines lines;
    const auto work = at(start).then(Overworks(lines)).in_background().limit(5ms).named("worker");
    SECTION("ends the run") {
        trainer.add(work);
        trainer.happen(Moment::start);
        const auto wait = [&] {
            for (int i = 0; i < 1000; ++i) trainer.train(1), std::this_thread::sleep_for(1ms);
        };
        CHECK_THROWS_WITH(wait(), Catch::StartsWith("hook 'worker', iteration ") &&
                                      Catch::EndsWith(" s in the background; its limit is 0.005 s"));
    }
    SECTION("is found when the run ends, too") {
        trainer.add(work);
        trainer.happen(Moment::start);
        CHECK_THROWS_AS(trainer.finish(), HookError);
    }
    SECTION("is printed once for each job, and the next job has its own time") {
        trainer.add(work.on_error(OnError::report));
        for (int run = 0; run < 2; ++run) {
            trainer.happen(Moment::start);
            while (trainer.lines().size() < static_cast<std::size_t>(run + 1)) trainer.train(1);
            trainer.train(100);
            trainer.groups[0]->restart();  // waits
        }
        CHECK(trainer.lines().size() == 2);
    }
    trainer.groups.clear();
    CHECK(lines.back() == "in time");
}

TEST_CASE("Hooks can be taken away while they work") {
    std::atomic<std::uint64_t> runs{0};
    // On a busy machine the thread may come to nothing before it is taken away: go on until it has.
    for (int i = 0; i < 20 || (runs == 0 && i < 10'000); ++i) {
        HookTrainer trainer;
        trainer.add(every(1, iteration).then(CountsRuns(runs, 1ms)).in_background(5),
                    every(1, iteration).then(Makes<"a", LossValue>()).in_background(),
                    when(a.increases()).then([] {}).in_background());
        trainer.train(3);
        trainer.groups.clear();
    }
    CHECK(runs >= 1);
}

TEST_CASE("The state of actions in the background is that after their last job, for which nobody waits") {
    HookTrainer trainer;
    std::atomic<std::uint64_t> runs{0};
    Gate gate;
    int jobs = 0;
    auto& group = trainer.add(every(1, iteration)
                                  .then(CountsRuns(runs),
                                        [&] {
                                            if (++jobs == 3) gate.pass();
                                        })
                                  .in_background(9));
    const auto archived = [&] {
        Archive archive;
        group.archive(archive);
        return archive.words().back();
    };
    CHECK(archived() == 0);
    trainer.train(2);
    trainer.finish();
    CHECK(archived() == 2);
    trainer.train(1);
    gate.wait_for_somebody();
    CHECK(archived() == 2);
    gate.open();
    trainer.finish();
    CHECK(archived() == 3);

    Archive out;
    group.archive(out);
    trainer.groups.clear();
    auto& next = trainer.add(every(1, iteration).then(CountsRuns(runs), [] {}).in_background(9));
    Archive in(out.words(), out.blobs());
    next.archive(in);
    trainer.train(1);
    trainer.finish();
    CHECK(runs == 4);
}

TEST_CASE("An archive is written while hooks compute") {
    HookTrainer trainer;
    std::atomic<std::uint64_t> runs{0};
    auto& group = trainer.add(every(1, iteration).then(CountsRuns(runs), Makes<"a", LossValue>()).in_background(3),
                              when(a.increases()).then(CountsRuns(runs)).in_background());
    for (int i = 0; i < 300; ++i) {
        trainer.train(1);
        Archive archive;
        group.archive(archive);
        CHECK(archive.words().size() >= 6);
    }
    trainer.finish();
}

TEST_CASE("What hooks in the background change comes at the next iteration") {
    HookTrainer trainer;
    Lines seen;
    Gate gate;
    gate.open();
    // One action wants the parameters and the other a checkpoint.
    trainer.add(at(2, iteration).then(Looks(seen, gate), Halves{}).in_background());
    trainer.train(2);
    trainer.finish();
    CHECK(trainer.optimizer.learning_rate == 0.1);
    CHECK(trainer.stopped);
    CHECK(seen == Lines{"2 2 2 20 0.002"});
    CHECK(HookTrainer::written == "file of iteration 2");
    trainer.train(1);
    CHECK(trainer.optimizer.learning_rate == 0.05);
}
