// SPDX-License-Identifier: BSL-1.0
// A table with names of classes: learns to classify irises, saves the standardization of the features with the
// parameters, and classifies a measured flower with a model that loads them.
#include <sigma/data/data.hpp>
#include <sigma/sigma.hpp>

#include <cstdio>
#include <filesystem>

using namespace sigma;
using namespace sigma::data;

struct Iris : Network<Input(4) + Dense(10, tanh) + Dense(3) + SoftmaxCE()> {};

namespace {

int run(const std::string& table, const std::string& saved) {
    const auto flowers =
        csv(file(table)) >>
        sections(inputs = columns<0, 3>(), targets = labels(4, {"Iris-setosa", "Iris-versicolor", "Iris-virginica"})) >>
        dataset("iris");
    // Learned from the training flowers only, and applied to all flowers.
    const auto [training, testing] = stratified_split(shuffled(flowers, 7), 0.8, 0.2);
    const Preprocessing standardized = fitted(standardize(inputs), training);

    Trainer trainer("iris", Iris{}, Adam{.learning_rate = 0.01}, minibatches(training >> standardized, 10));
    trainer.run(cpu(), 50);
    const double accuracy_then = trainer.evaluate(testing >> standardized).accuracy;
    std::printf("%.1f %% of %zu flowers are right\n", 100 * accuracy_then, testing.size());
    trainer.save(saved);

    Model<Iris> model;
    load_parameters(model, saved);
    const Preprocessing stored = Preprocessing::load(saved);
    const Array<float> measured{{6.1f, 2.8f, 4.7f, 1.2f}};
    const Array<float> probabilities = model.predict(stored(measured));
    for (std::size_t kind = 0; kind < 3; ++kind)
        std::printf("%-16s %5.1f %%\n", testing.classes()[kind].c_str(),
                    100 * static_cast<double>(probabilities(0, kind)));
    return accuracy_then > 0.9 && probabilities(0, 1) > 0.5f ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    return run_main([&] {
        const auto saved = std::filesystem::temp_directory_path() / "sigma-example-22.safetensors";
        const int result = run(count > 1 ? arguments[1] : SIGMA_SHARE_DIR "/iris/iris.data", saved.string());
        std::filesystem::remove(saved);
        return result;
    });
}
