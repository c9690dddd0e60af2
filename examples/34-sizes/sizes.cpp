// SPDX-License-Identifier: BSL-1.0
// One network for several tables: the sizes have names, which the compiler checks, and get values at run time: the
// width from the command line, features and classes from the data. `34_sizes 24 wdbc` chooses a width and a table
// (defaults: 16 and wine). With the defaults, at least 95 % of the test records are classified correctly.
#include <sigma/data/ready.hpp>
#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/data/transform/transforms.hpp>
#include <sigma/sigma.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>

using namespace sigma;

// [network]
struct Table : Network<Input(dim<"features">) + 2 * Dense(dim<"width">, relu) + Dense(dim<"classes">) + SoftmaxCE()> {};
// [network]

namespace {

Dataset records_of(const std::string& table) {
    if (table == "iris") return data::iris();
    if (table == "wine") return data::wine();
    if (table == "wdbc") return data::wdbc();
    throw ArgumentError("table", "iris, wine or wdbc", table);
}

int run(int width, const std::string& table) {
    auto [training, testing] = stratified_split(shuffled(records_of(table), 7), 2.0 / 3, 1.0 / 3);
    const data::Preprocessing standardized = fitted(data::standardize(data::inputs), training);
    training = training >> standardized;
    testing = testing >> standardized;

    // [trainer]
    Trainer trainer(table, Table{dim<"width"> = width}, Adam{.learning_rate = 0.01}, minibatches(training, 16));
    // [trainer]
    std::puts(summary(trainer.model()).c_str());
    trainer.run(cpu(), 30);

    const double accuracy = trainer.evaluate(testing).accuracy;
    std::printf("%.1f %% of %zu records are right\n", 100 * accuracy, testing.size());

    constexpr double wanted = 0.95;
    if (accuracy >= wanted || width != 16 || table != "wine") return 0;
    std::printf("the accuracy should be at least %.0f %%\n", 100 * wanted);
    return 1;
}

}  // namespace

int main(int count, char** arguments) {
    return run_main([&] { return run(count > 1 ? std::atoi(arguments[1]) : 16, count > 2 ? arguments[2] : "wine"); });
}
