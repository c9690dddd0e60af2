// SPDX-License-Identifier: BSL-1.0
// Searches for width, depth and learning rate for the iris data, with two trials at a time, and prints a table of the
// trials. The network with the best validation result classifies at least 85 % of the test records correctly.
#include <sigma/data/ready.hpp>
#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/data/transform/transforms.hpp>
#include <sigma/sigma.hpp>
#include <sigma/trainer/search.hpp>

#include <cstdio>
#include <mutex>
#include <optional>

using namespace sigma;

namespace {

int run() {
    const Dataset all = data::iris();
    auto [training, testing] = stratified_split(shuffled(all, 1), 0.7, 0.3);
    const data::Preprocessing standardized = fitted(data::standardize(data::inputs), training);
    training = training >> standardized;
    testing = testing >> standardized;

    std::optional<Model<DynamicNetwork>> best;
    // [search]
    double least = 1e30;
    std::mutex mutex;
    const SearchResult found = search({.trials = 12, .seed = 1, .threads = 2}, [&](Trial& trial) {
        const int width = trial.whole("width", 4, 64, SearchScale::logarithmic), depth = trial.whole("depth", 1, 3);
        const double rate = trial.real("learning_rate", 1e-4, 0.1, SearchScale::logarithmic);
        const DynamicNetwork net = network(Input(4) + depth * Dense(width, tanh) + Dense(3) + SoftmaxCE());
        const auto trained = fit(net, training, Adam{.learning_rate = rate}, {.epochs = 30, .quiet = true});
        const double loss = trained.best().watched_loss();
        const std::lock_guard lock(mutex);
        if (loss < least) best.emplace(trained.model()), least = loss;
        return loss;
    });
    std::printf("\n%s\n", found.table().c_str());
    // [search]

    const double accuracy = best->evaluate(testing).accuracy;
    std::printf("a width of %d classifies %.1f %% of the test flowers correctly; at least %.1f %% are expected\n",
                found.best().whole("width"), 100 * accuracy, 85.0);
    return accuracy >= 0.85 ? 0 : 1;
}

}  // namespace

int main() {
    return run_main([] { return run(); });
}
