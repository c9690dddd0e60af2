// SPDX-License-Identifier: BSL-1.0
#include "../trainer/fake_trainer.hpp"

#include <sigma/data/share_directory.hpp>
#include <sigma/data/text/vocabulary.hpp>
#include <sigma/environment/environment.hpp>
#include <sigma/storage/error.hpp>
#include <sigma/storage/workspace.hpp>

#include <catch2/catch.hpp>
#include <support/scratch.hpp>
#include <support/thrown.hpp>

#include <cstdlib>
#include <stdexcept>
#include <thread>

using namespace sigma;
using namespace std::chrono_literals;

namespace {

struct NoControl {
    void start(int);
};

}  // namespace

static_assert(detail::Runnable<FakeTrainer, std::uint64_t>);
static_assert(!detail::Runnable<FakeTrainer, std::string>);
static_assert(!detail::Runnable<NoControl, int>);
static_assert(std::is_same_v<Sigma, detail::Environment>);

TEST_CASE("an environment runs its trainers side by side until all have ended") {
    Sigma sigma("lab", 42);
    FakeTrainer a("a"), b("b");
    std::atomic<bool> met_a{false}, met_b{false};
    a.each = [&](FakeTrainer&) {  // neither can end before the other has begun
        met_a = true;
        while (!met_b) std::this_thread::yield();
    };
    b.each = [&](FakeTrainer&) {
        met_b = true;
        while (!met_a) std::this_thread::yield();
    };
    sigma.add(a, std::uint64_t{10});
    sigma.add(b, std::uint64_t{20});
    sigma.run();
    CHECK(a.iteration == 10);
    CHECK(b.iteration == 20);
    CHECK(sigma.names() == std::vector<std::string>{"a", "b"});
    CHECK(sigma.name() == "lab");
    CHECK(sigma.seed() == 42);
    CHECK(Sigma("other").seed() != 0);
}

TEST_CASE("trainers of an environment have names of their own") {
    Sigma sigma("lab");
    FakeTrainer a("a"), twin("a"), b("b");
    CHECK(error_text<ArgumentError>([&] { sigma.find("a"); }) == "environment 'lab': expected a trainer, found 'a'");
    sigma.add(a, forever);
    sigma.add(b, forever);
    CHECK(error_text<ArgumentError>([&] { sigma.add(twin, forever); }) ==
          "environment 'lab': expected trainers with different names, found two with the name 'a'");
    CHECK(error_text<ArgumentError>([&] { sigma.find("c"); }) ==
          "environment 'lab': expected one of the trainers 'a', 'b', found 'c'");
    CHECK(error_text<ArgumentError>([&] { sigma.remove("c"); }) ==
          "environment 'lab': expected one of the trainers 'a', 'b', found 'c'");
    CHECK(sigma.contains("a"));
    sigma.start();
    CHECK(error_text<StateError>([&] { sigma.remove("a"); }) ==
          "remove of trainer 'a': expected an idle trainer, found a running one");
    sigma.find("a").pause().wait();
    CHECK(error_text<StateError>([&] { sigma.remove("a"); }) ==
          "remove of trainer 'a': expected an idle trainer, found a paused one");
    sigma.find("a").stop().wait();
    sigma.remove("a");
    CHECK_FALSE(sigma.contains("a"));
    sigma.add(twin, forever);
    sigma.start();  // those that are idle
    CHECK(twin.control().state() == RunState::running);
    sigma.stop();
    sigma.wait();
    CHECK(sigma.find("b").state() == RunState::idle);
}

TEST_CASE("commands go to all that run") {
    Sigma sigma("lab");
    FakeTrainer a("a"), b("b"), idle("idle");
    sigma.add(a, forever);
    sigma.add(b, forever);
    sigma.start();
    sigma.add(idle, forever);
    const auto paused = sigma.pause();
    CHECK(paused.size() == 2);
    for (const auto& one : paused) one.wait();
    CHECK(a.control().state() == RunState::paused);
    CHECK(b.control().state() == RunState::paused);
    for (const auto& one : sigma.resume()) one.wait();
    CHECK(a.control().state() == RunState::running);
    sigma.stop();
    sigma.wait();
    CHECK(b.control().state() == RunState::idle);
}

TEST_CASE("what ends a run is logged once, the others end in peace, and the first is thrown") {
    std::vector<std::string> errors;
    {
        Sigma sigma("lab");
        sigma.log.to([&](const LogRecord& r) { errors.emplace_back(r.message); }, LogLevel::error);
        FakeTrainer a("a"), b("b"), c("c");
        b.each = [](FakeTrainer& t) {
            if (t.iteration == 50) throw std::range_error("late");
        };
        c.each = [](FakeTrainer&) { throw 5; };
        sigma.add(a, std::uint64_t{1000});
        sigma.add(b, std::uint64_t{1000});
        sigma.add(c, std::uint64_t{1000});
        CHECK_THROWS_AS(sigma.run(), std::range_error);
        CHECK(a.iteration == 1000);
        CHECK_THROWS_AS(sigma.wait(), std::range_error);
    }
    CHECK(errors == std::vector<std::string>{"trainer 'b' failed: late",
                                             "trainer 'c' failed: an exception that is not a std::exception"});
}

TEST_CASE("a trainer that cannot start stops those before it") {
    Sigma sigma("lab");
    FakeTrainer a("a"), b("b");
    struct Broken {
        Control control_{"broken"};
        const Remote& control() { return control_; }
        void start(std::uint64_t) { throw std::length_error("no device"); }
    } broken;
    sigma.add(a, forever);
    sigma.add(broken, forever);
    sigma.add(b, forever);
    CHECK_THROWS_AS(sigma.start(), std::length_error);
    CHECK(a.control().state() == RunState::idle);
    CHECK(b.iteration == 0);
}

TEST_CASE("a trainer may end before its environment") {
    Sigma sigma("lab");
    {
        FakeTrainer a("a");
        sigma.add(a, forever);
        sigma.start();
        CHECK(sigma.contains("a"));
    }
    CHECK_FALSE(sigma.contains("a"));
    sigma.start();
    sigma.wait();
    FakeTrainer again("a");
    sigma.add(again, std::uint64_t{3});
    sigma.run();
    CHECK(again.iteration == 3);
}

TEST_CASE("destruction stops the last added first") {
    std::mutex mutex;
    std::string order;
    FakeTrainer a("a"), b("b");
    auto c = std::make_shared<FakeTrainer>("c");
    a.each = b.each = c->each = [&](FakeTrainer& t) {
        while (!t.control().stopping()) std::this_thread::yield();
        std::lock_guard lock(mutex);
        order += t.control().name();
    };
    {
        Sigma sigma("lab");
        sigma.add(a, forever);
        sigma.add(b, forever);
        sigma.add(c, forever);
        sigma.start();
        while (a.iteration == 0 || b.iteration == 0 || c->iteration == 0) std::this_thread::yield();
        c.reset();  // the environment's alone
        CHECK(sigma.find("c").state() == RunState::running);
    }
    CHECK(order == "cba");
    CHECK(a.control().state() == RunState::idle);
}

TEST_CASE("a hook can stop the environment but not wait for it") {
    Sigma sigma("lab");
    FakeTrainer a("a"), b("b");
    std::string text;
    sigma.add(a, forever);
    sigma.add(b, forever);
    b.each = [&](FakeTrainer& t) {
        if (t.iteration != 100) return;
        text = error_text<StateError>([&] { sigma.wait(); });
        sigma.stop();
    };
    sigma.run();
    CHECK(text ==
          "wait for trainer 'b': expected a thread other than the training thread, found the "
          "training thread, which would wait for itself");
    CHECK(b.iteration == 100);
}

TEST_CASE("all folders are below the workspace") {
    Sigma sigma("lab");
    CHECK(sigma.workspace().storage() == "workspace/storage");
    const Scratch scratch;
    const auto path = scratch.path / "workspace";
    sigma.workspace(path);
    CHECK(sigma.workspace().path() == path);
    CHECK(sigma.workspace().datasets() == path / "datasets");
    sigma.workspace().create();
    CHECK(std::filesystem::is_directory(path / "cache"));
    CHECK(std::filesystem::is_directory(path / "storage"));
}

TEST_CASE("what a workspace in use is for goes there: checkpoints and vocabularies, caches, data sets") {
    const Scratch scratch;
    const auto& base = scratch.path;
    const char* const cache = std::getenv("SIGMA_CACHE");
    const std::string before = cache ? cache : "";
    ::unsetenv("SIGMA_CACHE");
    const std::string bytes = "bytes";
    const auto save = [&] { write_file_atomically("kept", std::as_bytes(std::span(bytes))); };
    const auto sought = [](const std::string& folder) {
        return std::ranges::count(data::search_directories("birds"), folder) == 1;
    };
    {
        Sigma one("one");
        for (const auto& path : {base / "a", base / "b"}) {  // changing it moves all
            one.workspace(path);
            CHECK_THROWS_AS(save(), StorageError);  // not made yet
            one.workspace().create();
            save();
            const data::Vocabulary letters("abba");
            letters.save("words");
            CHECK(data::Vocabulary::load("words").size() == letters.size());
            CHECK(std::filesystem::exists(path / "storage" / "kept"));
            CHECK(std::filesystem::exists(path / "storage" / "words"));
            CHECK(data::cache_directory() == path / "cache");
            CHECK(sought((path / "datasets" / "birds").string()));
            CHECK(data::searched_text("birds").find(one.workspace().datasets()) != std::string::npos);
        }
        CHECK_FALSE(sought((base / "a" / "datasets" / "birds").string()));
        ::setenv("SIGMA_CACHE", "/elsewhere", 1);
        CHECK(data::cache_directory() == "/elsewhere");
        ::unsetenv("SIGMA_CACHE");
        const std::string whole = (base / "kept").string();  // paths that are not relative are what they are
        write_file_atomically(whole, std::as_bytes(std::span(bytes)));
        CHECK(std::filesystem::exists(whole));
        Sigma other("other");
        other.workspace(base / "c");
        CHECK(data::cache_directory() == base / "c" / "cache");
    }
    CHECK(data::cache_directory().find(base.string()) == std::string::npos);  // gone with its environment
    if (cache) ::setenv("SIGMA_CACHE", before.c_str(), 1);
}

TEST_CASE("environments are found by name as long as somebody holds them") {
    const auto lab = Environments::create("lab", 7);
    CHECK(lab->seed() == 7);
    CHECK(error_text<ArgumentError>([] { (void)Environments::create("lab"); }) ==
          "create of an environment: expected a new name, found 'lab', which exists");
    CHECK(Environments::get_or_create("lab") == lab);
    CHECK(Environments::find("lab") == lab);
    CHECK(Environments::find("other") == nullptr);
    {
        const auto other = Environments::get_or_create("other");
        CHECK(Environments::exists("other"));
    }
    CHECK_FALSE(Environments::exists("other"));
    CHECK(Environments::create("other") != nullptr);
    CHECK(Environments::remove("lab"));
    CHECK_FALSE(Environments::remove("lab"));
    CHECK_FALSE(Environments::exists("lab"));
    const auto next = Environments::create("lab");
    CHECK(next != lab);
    Environments::clear();
    CHECK_FALSE(Environments::exists("lab"));
}

TEST_CASE("threads that ask for one environment get the same") {
    std::vector<std::thread> threads;
    std::vector<std::shared_ptr<detail::Environment>> got(4);
    for (std::size_t i = 0; i < got.size(); ++i)
        threads.emplace_back([&, i] { got[i] = Environments::get_or_create("shared"); });
    for (std::thread& thread : threads) thread.join();
    for (const auto& one : got) CHECK(one == got[0]);
}
