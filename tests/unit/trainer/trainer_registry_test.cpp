// SPDX-License-Identifier: BSL-1.0
#include <sigma/hook/compute.hpp>
#include <sigma/hook/report.hpp>
#include <sigma/hook/score.hpp>

#include <catch2/catch.hpp>

#include <support/point_trainer.hpp>

using namespace sigma;
using namespace sigma::test;

TEST_CASE("A trainer's registry has everything by name") {
    PointTrainer trainer;
    const Registry r = trainer.registry();
    trainer.add(every(1, epoch).then(score(points())));
    trainer.run(cpu(1), 2);

    CHECK(r.get<std::string>("name") == "points");
    CHECK(r.get<std::uint64_t>("seed") == 5);
    CHECK(r.get<std::uint64_t>("epoch") == 2);
    CHECK(r.get<std::uint64_t>("epochs_planned") == 2);
    CHECK(r.get<std::uint64_t>("iteration") == 4);
    CHECK(r.get<std::uint64_t>("batch") == 0);
    CHECK(r.get<double>("runtime") == trainer.runtime());
    CHECK(r.get<double>("loss") == trainer.loss());
    CHECK(r.get<double>("error") == trainer.training_loss());
    CHECK(r.get<double>("samples_per_second") == trainer.samples_per_second());
    CHECK(r.get<double>("samples_per_second") > 0);
    CHECK(r.get<std::string>("state") == "idle");
    CHECK(r.get<std::string>("iterator.data") == "points");
    CHECK(r.get<std::uint64_t>("iterator.records") == 8);
    CHECK(r.get<std::uint64_t>("iterator.minibatch_size") == 4);
    CHECK(r.get<std::uint64_t>("iterator.batches_per_epoch") == 2);
    CHECK(r.get<bool>("iterator.shuffling"));
    CHECK(r.get<std::uint64_t>("iterator.seed") == 9);
    CHECK(r.get<std::string>("optimizer.name") == "adam");
    CHECK(r.get<double>("optimizer.learning_rate") == 0.125);
    CHECK(r.get<double>("optimizer.beta1") == trainer.optimizer.beta1);
    CHECK(r.get<std::int64_t>("network.parameters") == 3 * 5 + 5 + 5 * 2 + 2);
    for (int p = 0; p < 4; ++p) {
        const std::string name(trainer.model().records.parameters[p].name.view());
        const std::size_t dot = name.find('.');
        CHECK(r.get<Weights>(sentence("network.layers.", name)) == trainer.model().parameter(p));
        const std::string gradient = sentence("network.layers.", name.substr(0, dot), ".gradients", name.substr(dot));
        const Weights g = r.get<Weights>(gradient);
        CHECK(std::ranges::equal(g.shape(), trainer.model().parameter(p).shape()));
        CHECK(std::ranges::equal(std::span(g.data(), g.size()), trainer.gradients().values(p)));
    }
    const Weights outputs = r.get<Weights>("network.layers.deep.outputs");
    CHECK(std::ranges::equal(outputs.shape(), std::vector<std::size_t>{4, 5}));
    CHECK(std::ranges::equal(std::span(outputs.data(), outputs.size()), trainer.outputs()[1]));
    CHECK(r.get_one<double>("costs.*") == trainer.cost(0));
    CHECK(r.get<double>("shared.accuracy") == trainer.evaluate(points()).accuracy);
    CHECK(r.get<double>("accuracy") == r.get<double>("shared.accuracy"));
    CHECK(r.get<double>("validation_error") == trainer.evaluate(points()).error);
    CHECK(r.tags("") == Names{"trainer"});
    for (const char* fixed : {"name", "seed", "iterator.data", "iterator.minibatch_size", "optimizer.name"})
        CHECK(r.value(fixed).read_only());
    CHECK_FALSE(r.value("optimizer.learning_rate").read_only());
}

TEST_CASE("Who watches the data of a trainer hears of others") {
    PointTrainer trainer;
    Registry r = trainer.registry();
    std::vector<std::uint64_t> heard;
    const auto watching = r.watch("iterator.minibatch_size", [&](const auto&) {
        heard.push_back(r.get<std::uint64_t>("iterator.minibatch_size"));
    });
    trainer.set_data(minibatches(points(), 2, 9));
    CHECK(heard == std::vector<std::uint64_t>{2});
    CHECK(r.get<std::uint64_t>("iterator.batches_per_epoch") == 4);
}

TEST_CASE("Layers are found by their kinds and by tags of one's own") {
    PointTrainer trainer;
    const Registry& r = trainer.registry();
    CHECK(r.resolve("network.layers.d*<fc>.weights") == Names{"network.layers.deep.weights"});
    CHECK(r.resolve("network.layers.d*<head>.weights").empty());
    CHECK(r.resolve("network.layers.<dense>.biases") ==
          Names{"network.layers.deep.biases", "network.layers.2-dense.biases"});
    CHECK(r.resolve("network.layers.*<dense,head>.gradients.*").size() == 2);
    CHECK(r.resolve_registries("network.layers.<input>").size() == 1);
}

TEST_CASE("What no step has computed yet is missing") {
    PointTrainer trainer;
    const Registry& r = trainer.registry();
    CHECK_FALSE(r.find<Weights>("network.layers.deep.outputs").has_value());
    CHECK_THROWS_WITH(r.get<Weights>("network.layers.deep.gradients.weights"),
                      "registry 'network.layers.deep.gradients.weights': expected a value, found an unknown name");
    CHECK(r.text().find("deep <dense,fc>") != std::string::npos);
    const Registry copy = r.copy();
    CHECK_FALSE(copy.contains("network.layers.deep.outputs"));
    CHECK(copy.get<Weights>("network.layers.deep.weights") == trainer.model().parameter(0));
}

TEST_CASE("Names that are known while compiling and strings give the same") {
    PointTrainer trainer;
    const Registry& r = trainer.registry();
    int compared = 0;
    const auto found_as = [&](const char* name) {
        return [&, name](double x) { compared += x == r.get<double>(name); };
    };
    trainer.add(
        every(1, epoch).then(score(points()), use(accuracy, found_as("accuracy")), use(error, found_as("error")),
                             use(validation_error, found_as("shared.validation_error")), use(loss, found_as("loss")),
                             use(learning_rate, found_as("optimizer.learning_rate"))));
    trainer.run(cpu(1), 3);
    CHECK(compared == 15);
}

TEST_CASE("Values of hooks come and go with them, and those of others stay") {
    PointTrainer trainer;
    const Registry& r = trainer.registry();
    Names told;
    const int first = trainer.add(every(1, epoch).then(score(points())));
    const Watch watch = r.watch("shared.*", [&](std::string_view name) { told.emplace_back(name); });
    const int second = trainer.add(every(1, epoch).then(score<"test">(points())));
    CHECK(told.empty());  // "shared.test.accuracy" is one part more
    CHECK(r.contains("accuracy"));
    CHECK(r.contains("test.accuracy"));
    CHECK(std::isnan(r.get<double>("accuracy")));
    trainer.run(cpu(1), 1);
    CHECK(r.get<double>("test.accuracy") == r.get<double>("accuracy"));
    trainer.remove(second);
    CHECK_FALSE(r.contains("shared.test.accuracy"));
    CHECK(told.empty());
    trainer.remove(first);
    CHECK_FALSE(r.contains("accuracy"));
    CHECK(told == Names{"shared.accuracy", "shared.validation_error"});
}

TEST_CASE("A hook's value leaves the trainer's own names alone") {
    PointTrainer trainer;
    trainer.add(every(1, epoch).then(compute<"error">([](auto&) { return 7.0; }),
                                     compute<"a*b">([](auto&) { return 1.0; }),
                                     compute<"seed.x">([](auto&) { return 1.0; })));
    const Registry& r = trainer.registry();
    trainer.run(cpu(1), 1);
    CHECK(r.get<double>("error") == trainer.training_loss());
    CHECK(r.get<double>("shared.error") == 7);
    CHECK(r.get<double>("shared.seed.x") == 1);
    CHECK(r.get<std::uint64_t>("seed") == 5);
}

TEST_CASE("Parameters are set whole and of their type, or not at all") {
    PointTrainer trainer, other;
    const Registry& r = trainer.registry();
    const Weights before = r.get<Weights>("network.layers.deep.weights");
    CHECK_THROWS_AS(r.get<double>("network.layers.deep.weights"), RegistryError);
    try {
        trainer.registry().set("network.layers.deep.weights", Weights::from_shape({5, 3}));
        FAIL("a wrong shape was taken");
    } catch (const ShapeError& e) {
        CHECK(std::string(e.what()) == "parameter 'deep.weights': expected shape (3, 5), found shape (5, 3)");
    }
    CHECK_THROWS_WITH(
        trainer.registry().set("network.layers.deep.weights", Array<double>::from_shape({3, 5})),
        "registry 'network.layers.deep.weights': expected a value of type array of float, found array of double");
    CHECK_THROWS_WITH(trainer.registry().set("optimizer.learning_rate", "high"),
                      "registry 'optimizer.learning_rate': expected a value of type double, found string");
    CHECK_THROWS_WITH(trainer.registry().set("epoch", std::uint64_t{3}), Catch::Contains("found a read-only value"));
    CHECK(r.get<Weights>("network.layers.deep.weights") == before);
    trainer.registry().set("network.layers.deep.weights", Weights::from_shape({3, 5}));
    CHECK(trainer.model().parameter(0) == Weights::from_shape({3, 5}));
    CHECK(trainer.registry().set_all("optimizer.learning_*", 0.5) == Names{"optimizer.learning_rate"});
    CHECK(trainer.optimizer.learning_rate == 0.5);
}

TEST_CASE("A number that the optimizer cannot take is not set") {
    PointTrainer trainer;
    Registry r = trainer.registry();
    CHECK_THROWS_WITH(r.set("optimizer.learning_rate", -1.0),
                      "learning_rate of optimizer 'adam': expected a finite number of 0 or more, found -1");
    CHECK_THROWS_AS(r.set_all("optimizer.beta*", 1.0), ArgumentError);
    CHECK(r.get<double>("optimizer.learning_rate") == 0.125);
    CHECK(trainer.optimizer.beta1 == Adam{}.beta1);
    r.set("optimizer.learning_rate", 0.0);
    CHECK(trainer.optimizer.learning_rate == 0);
}

TEST_CASE("A number that is not finite is found where it arises, also after parameters were set in an epoch") {
    PointTrainer trainer;
    trainer.registry();
    trainer.on_iteration([](auto& t) {
        if (t.iteration() == 1) t.registry().set("network.layers.deep.weights", Weights::from_shape({3, 5}));
        if (t.iteration() == 3) t.registry().set("network.layers.2-dense.biases", Weights{NAN, 0.0F});
    });
    try {
        trainer.run(cpu(1), 2);
        FAIL("NaN went unseen");
    } catch (const NumericError& e) {
        CHECK(std::string(e.what()).find("2-dense") != std::string::npos);
        CHECK(trainer.iteration() == 3);
    }
}

TEST_CASE("Reports by pattern reach the real trainer") {
    PointTrainer trainer;
    Names lines;
    trainer.output = [&](std::string_view line) { lines.emplace_back(line); };
    trainer.add(every(1, epoch).then(report_registry("network.layers.*.weights", "epoch")));
    trainer.run(cpu(1), 1);
    REQUIRE(lines.size() == 3);
    CHECK(lines[0] == "network.layers.deep.weights  " + trainer.registry().to_text("network.layers.deep.weights"));
    CHECK(lines[1].find("network.layers.2-dense.weights  (5, 2) [") == 0);
    CHECK(lines[2] == "epoch  1");
}

TEST_CASE("The documentation's program of a trainer's names runs") {
    PointTrainer trainer;
    trainer.add(every(1, epoch).then(score(points())));
    // [trainer]
    Registry r = trainer.registry();  // #include <sigma/trainer/registry.hpp>
    trainer.start(cpu(), 100);
    r.get<double>("optimizer.learning_rate");
    r.set("optimizer.learning_rate", 0.01);  // from the next iteration on
    r.get_all<Array<float>>("network.layers.*<fc>.weights");
    r.get<double>("accuracy");       // what score computed, NaN before
    const Registry then = r.copy();  // of all; a pass through the network for outputs and gradients
    trainer.wait();
    // [trainer]
    CHECK(trainer.optimizer.learning_rate == 0.01);
    CHECK(r.get<std::uint64_t>("epoch") == 100);
    CHECK(then.get<std::uint64_t>("epochs_planned") <= 100);
}
