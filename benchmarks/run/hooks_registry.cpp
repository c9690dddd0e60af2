// SPDX-License-Identifier: BSL-1.0
// Nanoseconds of what other threads do to a trainer: reading values by name, resolving patterns, giving commands.
#include <sigma/benchmark.hpp>
#include <sigma/sigma.hpp>
#include <sigma/trainer/registry.hpp>

#include <cstdio>
#include <cstdlib>

using namespace sigma;

namespace {

struct Flowers : Network<Input(4) + 2 * Dense(12, tanh) + Dense(3) + SoftmaxCE()> {};

volatile double kept = 0;

}  // namespace

int main(int count, char** arguments) {
    const int rounds = count > 1 ? std::atoi(arguments[1]) : 200;
    Numbers x{{1000, 4}, std::vector<float>(4000)}, y{{1000}, std::vector<float>(1000)};
    Trainer trainer("flowers", Flowers{}, Adam{.learning_rate = 1e-3}, minibatches(Dataset(x, y, "numbers"), 10));
    trainer.run(cpu(1), 1);
    Registry& registry = trainer.registry();
    const Cell<double> cell = (registry.set("shared.cell", 1.0), registry.cell<double>("shared.cell"));
    Control control("loop");
    Comparison comparison("Registry and control", {.rounds = rounds});
    const auto add = [&](const char* name, auto f) { comparison.add(name, f); };
    add("nothing", [] {});
    add("control().pending()", [&] { kept = control.pending(); });
    add("trainer.loss()", [&] { kept = trainer.loss(); });
    add("cell.load()", [&] { kept = cell.load(); });
    add("get<double>(\"loss\")", [&] { kept = registry.get<double>("loss"); });
    add("get<double>(\"shared.cell\")", [&] { kept = registry.get<double>("shared.cell"); });
    add("set(\"shared.cell\", 2.0)", [&] { registry.set("shared.cell", 2.0); });
    add("get<double>(\"optimizer.learning_rate\"), idle",
        [&] { kept = registry.get<double>("optimizer.learning_rate"); });
    add("resolve(\"loss\")", [&] { kept = static_cast<double>(registry.resolve("loss").size()); });
    add("resolve(\"network.layers.*<dense>.weights\")",
        [&] { kept = static_cast<double>(registry.resolve("network.layers.*<dense>.weights").size()); });
    add("resolve(\"**\")", [&] { kept = static_cast<double>(registry.resolve("**").size()); });
    add("post([]{}), idle", [&] { trainer.post([] {}); });
    std::printf("%s", comparison.run().table().c_str());
}
