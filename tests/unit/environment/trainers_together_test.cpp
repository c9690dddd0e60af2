// SPDX-License-Identifier: BSL-1.0
#include <sigma/environment/environment.hpp>
#include <sigma/hook/report.hpp>
#include <sigma/hook/save.hpp>
#include <sigma/hook/score.hpp>

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <support/point_trainer.hpp>
#include <support/scratch.hpp>
#include <thread>

using namespace sigma;
using namespace sigma::test;

namespace {

struct NoRegistry {
    explicit NoRegistry(std::string name) : control_(std::move(name)) {}
    const Remote& control() const { return control_; }
    void start(int) {
        control_.start([] {});
    }
    Control control_;
};

}  // namespace

TEST_CASE("Two trainers run in one environment, and all they have is found there") {
    Names lines;
    Sigma sigma("lab", 42);
    sigma.log.to([&](const LogRecord& r) { lines.push_back(sentence(r.source, ": ", r.message)); });
    PointTrainer digits("digits", sigma.seed()), letters("letters", sigma.seed() + 1);
    for (PointTrainer* trainer : {&digits, &letters}) {
        trainer->add(every(1, epoch).then(score(points())));
        trainer->output = [log = sigma.log.named(trainer->name())](std::string_view line) { log.info(line); };
        sigma.add(*trainer, cpu(1), 3);
    }
    NoRegistry plain("plain");
    sigma.add(plain, 1);
    letters.add(every(1, epoch).then([](auto& t) { t.print(sentence("epoch ", t.epoch())); }));
    Registry all = sigma.registry();
    std::atomic<bool> enough{false};
    std::thread monitor([&] {
        while (!enough) {
            all.get_all<Weights>("<trainer>.network.layers.<fc>.weights");
            all.get_all<double>("<trainer>.accuracy");
        }
    });
    sigma.run();
    enough = true;
    monitor.join();

    CHECK(all.get<std::string>("name") == "lab");
    CHECK(all.get<std::uint64_t>("seed") == 42);
    CHECK(all.get<std::uint64_t>("digits.seed") == 42);
    CHECK(all.get<std::uint64_t>("letters.seed") == 43);
    CHECK(all.resolve("<trainer>.accuracy") == Names{"digits.accuracy", "letters.accuracy"});
    CHECK(all.resolve("d*.error") == Names{"digits.error"});
    CHECK(all.resolve_registries("<trainer>") == Names{"digits", "letters"});
    CHECK(all.get<std::uint64_t>("letters.iteration") == 6);
    CHECK(all.get<double>("digits.error") == digits.training_loss());
    CHECK(all.get<double>("letters.error") == letters.training_loss());
    CHECK(digits.training_loss() != letters.training_loss());
    CHECK(all.set_all("<trainer>.optimizer.learning_rate", 0.5).size() == 2);
    CHECK(digits.optimizer.learning_rate == 0.5);
    CHECK(letters.registry().root().get<std::string>("name") == "lab");
    const auto contains = [&](const char* line) { return std::ranges::count(lines, line); };
    CHECK(contains("lab: trainer 'digits' started") == 1);
    CHECK(contains("lab: trainer 'letters' started") == 1);
    CHECK(contains("letters: epoch 3") == 1);
}

TEST_CASE("The folders of an environment are in its registry") {
    Sigma sigma("lab", 1);
    Registry all = sigma.registry();
    CHECK(all.get<std::string>("workspace.storage") == "workspace/storage");
    sigma.workspace("elsewhere");
    CHECK(all.get<std::string>("workspace.path") == "elsewhere");
    CHECK(all.get<std::string>("workspace.cache") == "elsewhere/cache");
    CHECK(all.get<std::string>("workspace.datasets") == "elsewhere/datasets");
}

TEST_CASE("Relative names of checkpoints are below the storage of the workspace") {
    const Scratch scratch;
    const auto& folder = scratch.path;
    {
        Sigma sigma("lab");
        sigma.workspace(folder);
        sigma.workspace().create();
        PointTrainer trainer("points");
        trainer.add(every(1, epoch).then(save(sigma::file("p-", epoch, ".sigma")).keep_last(2)));
        trainer.run(cpu(), 4);
        trainer.save_parameters("weights");
        CHECK(names_in(folder / "storage") == Names{"p-3.sigma", "p-4.sigma", "weights"});
        trainer.load("p-3.sigma");
        CHECK(trainer.epoch() == 3);
        CHECK(trainer.load_parameters("weights") > 0);
    }
    PointTrainer later("points");
    CHECK_THROWS_AS(later.load_parameters("weights"), DataError);  // not there without the workspace
}

TEST_CASE("What ends one trainer is logged and thrown, and the other ends as it should") {
    Names errors;
    Sigma sigma("lab");
    sigma.log.to([&](const LogRecord& r) { errors.emplace_back(r.message); }, LogLevel::error);
    PointTrainer good("good"), bad("bad");
    bad.add(at(2, epoch).then([] { throw std::range_error("too far"); }).named("limit"));
    sigma.add(bad, cpu(1), 1000);
    sigma.add(good, cpu(1), 30);
    CHECK_THROWS_AS(sigma.run(), HookError);
    CHECK(good.epoch() == 30);
    CHECK(sigma.registry().get<std::uint64_t>("bad.epoch") == 2);
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].find("trainer 'bad' failed: ") == 0);
    CHECK(errors[0].find("limit") != std::string::npos);
    CHECK(errors[0].find("too far") != std::string::npos);
    bad.reset();
    sigma.remove("bad");
    CHECK_FALSE(sigma.registry().contains("bad"));
    CHECK(bad.registry().get<std::uint64_t>("epoch") == 0);  // its own stays
}

TEST_CASE("Trainers and environments end in any order, running or not") {
    Registry all, of_trainer;
    PointTrainer outlives("outlives");
    {
        Sigma sigma("lab");
        all = sigma.registry();
        sigma.add(outlives, cpu(1));
        {
            PointTrainer first("first");
            of_trainer = first.registry();
            sigma.add(first, cpu(1));
            sigma.start();
            while (all.get<std::uint64_t>("first.iteration") == 0) std::this_thread::yield();
            CHECK_THROWS_AS(sigma.remove("first"), StateError);
        }
        CHECK(of_trainer.names().empty());
        CHECK_FALSE(sigma.registry().contains("first"));
        PointTrainer again("first");
        sigma.add(again, cpu(1), 1);
        CHECK(all.get<std::uint64_t>("first.epoch") == 0);
        auto kept = std::make_shared<PointTrainer>("kept");
        sigma.add(kept, cpu(1));
        kept.reset();
        CHECK(all.get<std::uint64_t>("kept.epoch") == 0);
        of_trainer = sigma.registry().child("kept");
    }
    CHECK(all.names().empty());
    CHECK(of_trainer.names().empty());
    CHECK(outlives.state() == RunState::idle);
    CHECK(outlives.registry().get<std::uint64_t>("iteration") == outlives.iteration());
    CHECK_FALSE(outlives.registry().parent().has_value());
}

TEST_CASE("A trainer with a registry has a name that can stand there") {
    Sigma sigma("lab");
    PointTrainer dotted("digits.old"), seed("seed"), digits("digits"), twin("digits");
    CHECK_THROWS_WITH(sigma.add(dotted, cpu(1)),
                      "environment 'lab': expected a trainer's name without '.', '*', '<', '>' and ',', "
                      "found 'digits.old'");
    CHECK_THROWS_WITH(sigma.add(seed, cpu(1)),
                      "environment 'lab': expected a trainer's name other than name, seed and workspace, "
                      "found 'seed'");
    NoRegistry plain("digits.old");
    sigma.add(plain, 1);
    sigma.add(digits, cpu(1));
    CHECK_THROWS_AS(sigma.add(twin, cpu(1)), ArgumentError);
    CHECK(sigma.names() == Names{"digits.old", "digits"});
}

TEST_CASE("The documentation's program of environments runs") {
    const Scratch scratch;
    const auto& folder = scratch.path;
    const Dataset images = points();
    PointTrainer letters("letters");
    letters.add(every(1, epoch).then(score(points())));
    // [environment]
    Sigma sigma("lab", 42);  // name and seed; without one it comes from the clock, and seed() tells it
    sigma.workspace(folder);
    sigma.workspace().create();
    sigma.log.to_terminal(LogLevel::warning);
    sigma.log.to_file(folder / "lab.log");

    Trainer digits("digits", Points{}, Adam{}, minibatches(images, 4, sigma.seed()), element<float>, sigma.seed());
    digits.output = [log = sigma.log.named("digits")](std::string_view line) { log.info(line); };
    digits.add(every(1, epoch).then(score(images), report(epoch, error, accuracy)),
               when(accuracy.new_maximum()).then(save("digits.safetensors")));

    sigma.add(digits, cpu(), 20);  // calls digits.start(cpu(), 20) when it is its turn
    sigma.add(letters, cpu(), 10);
    sigma.run();  // both at once, until both have ended

    sigma.registry().get_all<double>("<trainer>.accuracy");  // of both: "digits.accuracy", "letters.accuracy"
    sigma.registry().set_all("<trainer>.optimizer.learning_rate", 0.01);
    sigma.find("digits").reset();
    // [environment]
    CHECK(letters.optimizer.learning_rate == 0.01);
    CHECK(digits.epoch() == 0);
    CHECK(std::filesystem::exists(folder / "storage" / "digits.safetensors"));
    const std::string text = file_text(folder / "lab.log");
    CHECK(text.find("digits: epoch 20  error ") != std::string::npos);
}
