// SPDX-License-Identifier: BSL-1.0
#include <sigma/registry/registry.hpp>

#include <catch2/catch.hpp>

#include <optional>

using namespace sigma;

namespace {

struct Log {
    std::string text;
    auto callback() {
        return [this](std::string_view name) { text += sentence(name, " "); };
    }
    std::string take() { return std::exchange(text, ""); }
};

}  // namespace

TEST_CASE("A watch is told of what is set, added and removed, until it ends") {
    Registry r;
    Log log;
    std::optional<Watch> watch = r.watch("shared.*", log.callback());
    r.set("shared.accuracy", 0.5).set("epoch", 1).set("shared.deep.x", 1);
    CHECK(log.take() == "shared.accuracy ");
    r.set("shared.accuracy", 0.75);
    r.set_all("shared.a*", 0.9);
    r.child("shared").set("accuracy", 1);
    CHECK(log.take() == "shared.accuracy shared.accuracy shared.accuracy ");
    CHECK_THROWS(r.set("shared.accuracy", "x"));
    CHECK(log.take().empty());
    r.replace("shared.accuracy", 1);
    r.remove("shared.accuracy");
    CHECK(log.take() == "shared.accuracy shared.accuracy ");
    r.set("shared.a", 1).set("shared.b", 2);
    log.take();
    r.remove("shared");
    CHECK(log.take() == "shared.a shared.b ");
    r.set("shared.a", 1);
    CHECK(log.take() == "shared.a ");
    watch.reset();
    r.set("shared.a", 2);
    CHECK(log.take().empty());
}

TEST_CASE("Watches hear cells, also those that were silent before") {
    Registry r;
    const auto cell = r.cell<double>("shared.accuracy");
    cell.store(0.5);
    cell.store(0.5);
    Log log;
    {
        const Watch watch = r.watch("*.accuracy", log.callback());
        cell.store(0.75);
        CHECK(log.take() == "shared.accuracy ");
        r.remove("shared.accuracy");
        log.take();
        cell.store(0.9);
        CHECK(log.take().empty());
    }
    r.set("shared.accuracy", 0.1);
    CHECK(log.take().empty());
}

TEST_CASE("Watches see tags that are given later, and links that are announced") {
    Registry r;
    r.set("layers.1-dense.weights", 1);
    Log log;
    const Watch watch = r.watch("layers.<fc>.*", log.callback());
    r.set("layers.1-dense.weights", 2);
    CHECK(log.take().empty());
    r.tag("layers.1-dense", {"fc"});
    r.set("layers.1-dense.weights", 3);
    CHECK(log.take() == "layers.1-dense.weights ");
    double live = 0;
    r.link<double>("layers.1-dense.norm", [&] { return live; }, [&](double x) { live = x; });
    CHECK(log.take() == "layers.1-dense.norm ");
    r.set("layers.1-dense.norm", 2);
    r.announce("layers.1-dense.norm");
    CHECK(log.take() == "layers.1-dense.norm layers.1-dense.norm ");
}

TEST_CASE("Watches reach into registries that stand in others") {
    Registry environment, trainer, other;
    trainer.set("epoch", 1);
    other.set("epoch", 5).set("loss", 0.5);
    const auto epoch_cell = trainer.cell<int>("epoch");
    epoch_cell.store(1);
    Log all, own;
    const Watch watch = environment.watch("trainers.**", all.callback());
    const Watch inside = trainer.watch("epoch", own.callback());
    environment.add("trainers.a", trainer);
    CHECK(all.take() == "trainers.a.epoch ");
    epoch_cell.store(2);
    CHECK(all.take() == "trainers.a.epoch ");
    CHECK(own.take() == "epoch ");
    environment.set("trainers.a", other);
    CHECK(all.take() == "trainers.a.epoch trainers.a.loss ");
    epoch_cell.store(3);
    CHECK(all.take().empty());
    CHECK(own.take() == "epoch ");
    environment.remove("trainers.a");
    CHECK(all.take() == "trainers.a.epoch trainers.a.loss ");
}

TEST_CASE("Callbacks may change the registry, end their watch, and throw") {
    Registry r;
    int calls = 0;
    const Watch rescale = r.watch("x", [&](std::string_view name) {
        ++calls;
        r.set(name, r.get<int>(name) + 1);  // of this it is not told
        r.set("y", calls);
        r.resolve("**");
    });
    r.set("x", 1);
    CHECK(calls == 1);
    CHECK(r.get<int>("x") == 2);
    CHECK(r.get<int>("y") == 1);

    std::optional<Watch> once;
    int ended = 0;
    once = r.watch("z", [&](std::string_view) {
        ++ended;
        once.reset();
    });
    r.set("z", 1).set("z", 2);
    CHECK(ended == 1);

    const Watch faulty = r.watch("w", [](std::string_view) { throw Error("no"); });
    Log log;
    const Watch after = r.watch("w", log.callback());
    CHECK_THROWS_WITH(r.set("w", 1), "no");
    CHECK(r.get<int>("w") == 1);
    CHECK(log.take() == "w ");
    CHECK_THROWS_AS(r.watch("a..b", [](std::string_view) {}), ArgumentError);
}

TEST_CASE("A watch may outlive its registry, move, and stop early") {
    Log log;
    Watch watch;
    CHECK_FALSE(watch);
    {
        Registry r;
        watch = r.watch("x", log.callback());
        Watch moved = std::move(watch);
        r.set("x", 1);
        CHECK(log.take() == "x ");
        watch = std::move(moved);
        CHECK(watch);
        CHECK_FALSE(moved);
        r.set("x", 2);
        CHECK(log.take() == "x ");
    }
    watch.stop();
    CHECK_FALSE(watch);
}
