// SPDX-License-Identifier: BSL-1.0
#include <sigma/registry/registry.hpp>

#include <catch2/catch.hpp>

using namespace sigma;

TEST_CASE("The documentation's program of registries runs") {
    std::string told;
    // [use]
    Registry r;
    r.set("optimizer.learning_rate", 0.01);
    r.set("network.layers.1-dense.weights", std::vector<float>(100));
    r.tag("network.layers.1-dense", {"dense", "fc"});

    int done = 0;
    r.link<int>("iteration", [&] { return done; });  // computed when read

    const Watch watch = r.watch("shared.*", [&](std::string_view name) { told += name; });
    const Cell<double> cell = r.cell<double>("shared.accuracy");
    cell.store(0.97);  // one atomic store, and the watch is told

    r.get<double>("optimizer.learning_rate");        // 0.01
    r.resolve("network.layers.d*<fc>.weights");      // none: the layer's name begins with 1
    r.resolve("network.layers.*<fc>.weights");       // {"network.layers.1-dense.weights"}
    r.set_all("optimizer.learning_*", 0.001);        // {"optimizer.learning_rate"}
    const ReadOnlyRegistry for_monitors = r.copy();  // what it was now
    // [use]
    CHECK(told == "shared.accuracyshared.accuracy");
    CHECK(r.resolve("network.layers.d*<fc>.weights").empty());
    CHECK(r.resolve("network.layers.*<fc>.weights").front() == "network.layers.1-dense.weights");
    done = 3;
    CHECK(r.get<int>("iteration") == 3);
    CHECK(for_monitors.get<int>("iteration") == 0);
    CHECK(for_monitors.get<double>("optimizer.learning_rate") == 0.001);
}
