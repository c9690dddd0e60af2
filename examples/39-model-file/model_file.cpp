// SPDX-License-Identifier: BSL-1.0
// A model in a file, and a predictor that does not know its type:
//   39_model_file [FILE]     trains on Iris, writes FILE (default: iris.sigma), then uses only the file
#include <sigma/data/ready.hpp>
#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/data/transform/transforms.hpp>
#include <sigma/exchange.hpp>
#include <sigma/sigma.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

using namespace sigma;

namespace {

// [write]
struct Flowers : Network<Input(4) + 2 * Dense(12, tanh) + Dense(3) + SoftmaxCE()> {};

void write(const std::string& file) {
    auto [training, testing] = stratified_split(shuffled(data::iris(), 7), 2.0 / 3, 1.0 / 3);
    const data::Preprocessing standardized = fitted(data::standardize(data::inputs), training);
    training = training >> standardized;
    testing = testing >> standardized;
    const auto trained = fit(Flowers{}, training, Adam{.learning_rate = 0.01}, {.epochs = 40, .quiet = true});
    std::printf("trained: %.1f %% classified correctly\n", 100 * trained.evaluate(testing).accuracy);
    save_model(trained.model(), file, training);  // with the preprocessing of the inputs
}
// [write]

/// Prints the latency of single predictions as percentiles, as services state it.
void print_latencies(const Predictor<DynamicNetwork>& predictor) {
    using Clock = std::chrono::steady_clock;
    float x[4]{5.9f, 3.0f, 4.2f, 1.3f}, y[3];
    std::vector<double> microseconds(20000);
    for (double& each : microseconds) {
        const auto began = Clock::now();
        predictor.predict(x, y, 1);
        each = std::chrono::duration<double, std::micro>(Clock::now() - began).count();
    }
    std::sort(microseconds.begin(), microseconds.end());
    std::printf("one record at a time, in microseconds:");
    for (const double share : {0.5, 0.9, 0.99, 0.999})
        std::printf("  %g %% %.2f", 100 * share,
                    microseconds[static_cast<std::size_t>(share * static_cast<double>(microseconds.size()))]);
    std::printf("\n");
}

// [read]
void read(const std::string& file) {
    const auto model = load_model(file);  // the type of the network is not needed
    std::printf("%s", summary(model).c_str());

    const Array<float> raw{{5.1f, 3.5f, 1.4f, 0.2f}, {6.7f, 3.0f, 5.2f, 2.3f}};
    const auto said = model.classify(model.preprocessing()(raw));
    std::printf("classified as %s and %s\n", said.name(0).c_str(), said.name(1).c_str());
}
// [read]

/// Continues to train the network of the file.
void train_on(const std::string& file) {
    auto loaded = load_model(file);
    const Dataset flowers = data::iris() >> loaded.preprocessing();
    Trainer trainer("on", loaded.network(), Adam{.learning_rate = 0.005}, minibatches(flowers, 10));
    trainer.model() = loaded;
    const double before = trainer.evaluate(flowers).error;
    trainer.run(cpu(), 10);
    std::printf("trained further: loss %.4f, then %.4f\n", before, trainer.evaluate(flowers).error);
}

}  // namespace

int main(int count, char** arguments) {
    return run_main([&] {
        const std::string file =
            count > 1 ? arguments[1] : (std::filesystem::temp_directory_path() / "iris.sigma").string();
        write(file);
        read(file);
        print_latencies(Predictor(load_model(file)));
        train_on(file);
        return 0;
    });
}
