// SPDX-License-Identifier: BSL-1.0
// A network with one layer for each argument, of this width: `35_depth 64 32 16` (default: 16 8). Classifies tumours as
// malignant or benign. With the default, at least 95 % of the test records are classified correctly.
#include <sigma/data/ready.hpp>
#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/data/transform/transforms.hpp>
#include <sigma/sigma.hpp>

#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace sigma;

namespace {

// [network]
DynamicNetwork perceptron(std::size_t columns, const std::vector<int>& widths, std::size_t classes) {
    Layers layers;
    layers += Input(columns);
    for (const int width : widths) layers += Dense(width, relu);
    layers += Dense(classes) + SoftmaxCE();
    return network(layers);
}
// [network]

int run(const std::vector<int>& widths, bool promised) {
    const Dataset all = data::wdbc();
    auto [training, testing] = stratified_split(shuffled(all, 1), 2.0 / 3, 1.0 / 3);
    const data::Preprocessing standardized = fitted(data::standardize(data::inputs), training);
    training = training >> standardized;
    testing = testing >> standardized;

    const DynamicNetwork net = perceptron(all.input_shape()[0], widths, all.classes().size());
    std::puts(summary(net).c_str());
    Trainer trainer("tumours", net, AdamW{.learning_rate = 0.01, .weight_decay = 0.1}, minibatches(training, 16));
    trainer.run(cpu(), 15);

    const auto probabilities = trainer.predict(testing.input(0));
    std::printf("the first test tumour is %s; predicted probability of malignant: %.1f %%\n",
                testing.label(0) ? "malignant" : "benign", 100 * static_cast<double>(probabilities(0, 1)));
    const double accuracy = trainer.evaluate(testing).accuracy;
    std::printf("%.1f %% of %zu tumours are right\n", 100 * accuracy, testing.size());

    constexpr double wanted = 0.95;
    if (accuracy >= wanted || !promised) return 0;
    std::printf("the accuracy should be at least %.0f %%\n", 100 * wanted);
    return 1;
}

}  // namespace

int main(int count, char** arguments) {
    std::vector<int> widths;
    for (int i = 1; i < count; ++i) widths.push_back(std::atoi(arguments[i]));
    return run_main([&] { return count > 1 ? run(widths, false) : run({16, 8}, true); });
}
