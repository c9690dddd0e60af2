// SPDX-License-Identifier: BSL-1.0
// What is saved and loaded by choice, and who is told of it.
#include <sigma/sigma.hpp>
#include <sigma/storage/safetensors.hpp>

#include "support/point_trainer.hpp"
#include "support/scratch.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using namespace sigma;
using test::Names;
using test::PointTrainer;

namespace {

const auto weights_only = [](std::string_view name) { return name.ends_with(".weights"); };

Names tensors_of(const std::string& file) {
    Names all;
    for (const TensorInfo& t : SafetensorsFile::open(file).tensors()) all.emplace_back(t.name);
    std::ranges::sort(all);
    return all;
}
/// The parameters that are equal in two models, by name.
Names equal_in(PointTrainer& a, PointTrainer& b) {
    Names all;
    for (int p = 0; p < 4; ++p)
        if (a.model().parameter(p) == b.model().parameter(p))
            all.emplace_back(a.model().records.parameters[p].name.view());
    return all;
}
/// A trainer whose parameters all differ from those of another seed, biases too.
struct Other : PointTrainer {
    Other() : PointTrainer("other", 77) { run(cpu(1), 1); }
};

/// An action that remembers what it was told.
struct Told : Action<Told> {
    std::vector<std::string>* log;
    explicit Told(std::vector<std::string>& to) : log(&to) {}
    static void run(auto&) {}
    void restart(auto&) { log->push_back("restart"); }
    void saved(auto& context, const std::string& file) {
        log->push_back(sentence("saved ", file, " at ", context.trainer().iteration()));
    }
    void loaded(auto& context, const std::string& file) {
        log->push_back(sentence("loaded ", file, " at ", context.trainer().iteration()));
    }
    static std::string text() { return "told"; }
};

}  // namespace

TEST_CASE("A function chooses the parameters that are loaded, as a pattern does") {
    const ScratchFile file;
    PointTrainer from;
    from.run(cpu(1), 1);
    from.save_parameters(file.name);
    const Names weights{"deep.weights", "2-dense.weights"};
    Other by_function, by_pattern, of_model, transferred;
    CHECK(by_function.load_parameters(file.name, weights_only) == 2);
    CHECK(equal_in(by_function, from) == weights);
    CHECK(by_pattern.load_parameters(file.name, "*.weights") == 2);
    CHECK(equal_in(by_pattern, by_function).size() == 4);
    CHECK(load_parameters(of_model.model(), file.name, weights_only) == 2);
    CHECK(equal_in(of_model, from) == weights);
    CHECK(transfer(from, transferred, weights_only) == 2);
    CHECK(equal_in(transferred, from) == weights);

    const auto none = [](std::string_view) { return false; };
    CHECK_THROWS_WITH(of_model.load_parameters(file.name, none),
                      sentence("parameters from '", file.name,
                               "': expected a function that chooses a parameter, found none; parameters: "
                               "'deep.weights', 'deep.biases', '2-dense.weights', '2-dense.biases'"));
    CHECK_THROWS_AS(transfer(from, transferred, none), MismatchError);
    CHECK_THROWS_WITH(of_model.load_parameters(file.name, "9-*"),
                      Catch::Contains("expected a pattern that matches a parameter, found '9-*'; parameters: "));
}

TEST_CASE("A pattern or a function chooses the parameters that are saved") {
    const ScratchFile file;
    PointTrainer from;
    from.run(cpu(1), 1);
    from.save_parameters(file.name, "deep.*");
    CHECK(tensors_of(file.name) == Names{"deep.biases", "deep.weights"});
    Other to;
    CHECK(to.load_parameters(file.name, "deep.*") == 2);
    CHECK(equal_in(to, from) == Names{"deep.weights", "deep.biases"});
    CHECK_THROWS_AS(to.load_parameters(file.name), MismatchError);  // all: the others are missing
    save_parameters(from.model(), file.name, weights_only, Dtype::bf16);
    CHECK(tensors_of(file.name) == Names{"2-dense.weights", "deep.weights"});
    CHECK(SafetensorsFile::open(file.name).find("deep.weights")->dtype == Dtype::bf16);

    const std::string before = file_text(file.name);
    CHECK_THROWS_WITH(from.save_parameters(file.name, "9-*"),
                      Catch::Contains("parameters to save: expected a pattern that matches a parameter, found '9-*'"));
    CHECK(file_text(file.name) == before);
}

TEST_CASE("A hook restores the parameters that a function chooses") {
    const ScratchFile file;
    PointTrainer from;
    from.run(cpu(1), 1);
    from.save(file.name);
    Other to;
    to.add(at(stop).then(restore_parameters(file.name, weights_only)));
    to.run(cpu(1), 1);
    CHECK(equal_in(to, from) == Names{"deep.weights", "2-dense.weights"});
    CHECK(every(1, epoch).then(restore_parameters("a.sigma", weights_only)).text() ==
          "when(every(1, epoch)).then(restore_parameters(\"a.sigma\", a function))");
}

TEST_CASE("A checkpoint is loaded if it exists") {
    const ScratchFile file;
    PointTrainer first;
    CHECK_FALSE(first.load_if_exists(file.name));
    first.run(cpu(1), 2);
    first.save(file.name);
    PointTrainer second;
    CHECK(second.load_if_exists(file.name));
    CHECK(second.epoch() == 2);
    CHECK(equal_in(first, second).size() == 4);
    const std::string damaged = file.folder.write("damaged", "no checkpoint");
    CHECK_THROWS_AS(second.load_if_exists(damaged), DataError);
    CHECK_THROWS_AS(second.load_if_exists(file.folder.path.string()), Error);  // a folder
    CHECK(second.epoch() == 2);
}

TEST_CASE("Functions and hooks are told of saves, loads and resets, in this order") {
    const ScratchFile file;
    for (const bool in_workers : {false, true}) {
        PointTrainer trainer;
        std::vector<std::string> log;
        trainer.on_save([&](auto& t, const std::string& name) {
            CHECK(&t == &trainer);
            log.push_back("on_save " + name);
        });
        trainer.on_load([&](auto& t, const std::string& name) {
            log.push_back(sentence("on_load ", name, " at ", t.iteration()));
        });
        trainer.on_reset([&](auto& t) { log.push_back(sentence("on_reset at ", t.iteration())); });
        trainer.add(every(100, epoch).then(Told(log)));
        log.clear();
        trainer.add(at(1, epoch).then(save(file.name)));
        if (in_workers) trainer.run(workers(2), 2);
        else trainer.run(cpu(1), 2);
        CHECK(log == std::vector<std::string>{sentence("saved ", file.name, " at 2"), "on_save " + file.name});
        log.clear();
        trainer.load(file.name);
        CHECK(log == std::vector<std::string>{sentence("loaded ", file.name, " at 2"),
                                              sentence("on_load ", file.name, " at 2")});
        log.clear();
        trainer.reset();
        CHECK(log == std::vector<std::string>{"restart", "on_reset at 0"});
        log.clear();
        CHECK_THROWS_AS(trainer.save(file.folder / "none/file"), StorageError);
        CHECK_THROWS_AS(trainer.load(file.folder / "none/file"), DataError);
        CHECK(log.empty());
    }
}

TEST_CASE("The documentation's program of who is told runs") {
    const ScratchFile scratch("a.sigma");
    PointTrainer trainer;
    Names lines;
    trainer.output = [&](std::string_view line) { lines.emplace_back(line); };
    // [told]
    trainer.on_save([](auto& t, const std::string& file) { t.print("saved " + file); });
    trainer.on_load([](auto& t, const std::string& file) { t.print("loaded " + file); });
    trainer.on_reset([](auto& t) { t.print(sentence("reset at iteration ", t.iteration())); });
    // [told]
    trainer.save(scratch.name);
    trainer.load(scratch.name);
    trainer.reset();
    CHECK(lines == Names{"saved " + scratch.name, "loaded " + scratch.name, "reset at iteration 0"});
}

TEST_CASE("A save in the background is told on the training thread, and an error there is the hook's") {
    const ScratchFile file;
    PointTrainer trainer;
    std::thread::id told, trained;
    trainer.on_iteration([&](auto&) { trained = std::this_thread::get_id(); });
    trainer.on_save([&](auto&, const std::string&) { told = std::this_thread::get_id(); });
    trainer.add(at(1, epoch).then(save(file.name)).in_background());
    trainer.start(cpu(1), 50);
    trainer.wait();
    CHECK(told == trained);
    trainer.on_save([](auto&, const std::string&) { throw std::runtime_error("the disk is on fire"); });
    trainer.add(every(1, epoch).then(save(file.name)).named("backup"));
    CHECK_THROWS_WITH(trainer.run(cpu(1), 1), Catch::Contains("backup") && Catch::Contains("the disk is on fire"));
}
