// SPDX-License-Identifier: BSL-1.0
// Predictions of trained networks from model files, in float and in 8 bits: accuracy on digits and fashion, sizes, time
// to load, microseconds a record at batches of 1 to 1,024 (one thread; medians). `inference [FOLDER]`
#include <sigma/data/mnist.hpp>
#include <sigma/exchange.hpp>
#include <sigma/sigma.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

using namespace sigma;

namespace {

double median_microseconds(const std::function<void()>& f) {
    using Clock = std::chrono::steady_clock;
    std::vector<double> all;
    const auto end = Clock::now() + std::chrono::milliseconds(300);
    do {
        const auto began = Clock::now();
        f();
        all.push_back(std::chrono::duration<double, std::micro>(Clock::now() - began).count());
    } while (Clock::now() < end || all.size() < 5);
    std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2), all.end());
    return all[all.size() / 2];
}

void measure(const char* name, const DynamicNetwork& network, const Dataset& training, const Dataset& testing,
             int epochs) {
    Trainer trainer(name, network, Adam{.learning_rate = 0.002f}, minibatches(training, 64));
    trainer.show_runs(false);
    trainer.run(cpu(1), epochs);
    const auto small = quantize(trainer.model(), training);
    const Predictor whole(trainer.model());
    const auto folder = std::filesystem::temp_directory_path();
    const std::string files[]{(folder / "float.sigma").string(), (folder / "int8.sigma").string()};
    save_model(trainer.model(), files[0]);
    save_model(small.model(), files[1]);
    const double accuracy[]{whole.model().evaluate(testing).accuracy, small.model().evaluate(testing).accuracy};
    for (int i = 0; i < 2; ++i)
        std::printf("%-22s %-6s %6.2f %% right  %8.1f kB  loaded in %6.2f ms\n", name, i == 0 ? "float" : "int8",
                    100 * accuracy[i], static_cast<double>(std::filesystem::file_size(files[i])) / 1000,
                    median_microseconds([&] { load_model(files[i]); }) / 1000);
    const auto record = static_cast<std::size_t>(trainer.model().records.inputs[0].count());
    std::vector<float> x, y(1024 * 10);
    for (std::size_t i = 0; i < 1024; ++i) {
        const auto one = testing.input(i % testing.size());
        x.insert(x.end(), one.begin(), one.end());
    }
    x.resize(1024 * record);
    for (const std::ptrdiff_t batch_size : {1, 8, 64, 256, 1024}) {
        const auto time = [&](const auto& predictor) {
            return median_microseconds([&] { predictor.predict(x.data(), y.data(), batch_size); }) /
                   static_cast<double>(batch_size);
        };
        const double a = time(whole), b = time(small);
        std::printf("  batch %5td  float %9.3f us  int8 %9.3f us a record  %5.2f times as fast\n", batch_size, a, b,
                    a / b);
    }
}

}  // namespace

int main(int count, char** arguments) {
    return run_main([&] {
        // Data sets of this folder, else those that come with the library.
        const auto folder_of = [&](const char* name) { return count > 1 ? sentence(arguments[1], "/", name) : ""; };
        const auto lenet = network(Input(28, 28) + Reshape(28, 28, 1) + Conv2D(6, 5, relu, {.padding = same}) +
                                   MaxPool(2) + Conv2D(16, 5, relu) + MaxPool(2) + Flatten() + Dense(120, relu) +
                                   Dense(84, relu) + Dense(10) + SoftmaxCE());
        const auto of = [](int width) {
            return network(Input(28, 28) + Flatten() + 2 * Dense(width, relu) + Dense(10) + SoftmaxCE());
        };
        auto [training, testing, digits] = data::mnist(folder_of("mnist"));
        measure("digits, MLP 128", of(128), training, testing, 8);
        measure("digits, MLP 1024", of(1024), training, testing, 4);
        measure("digits, LeNet", lenet, training, testing, 6);
        auto [clothes, more, fashion] = data::fashion_mnist(folder_of("fashion-mnist"));
        measure("fashion, MLP 128", of(128), clothes, more, 10);
        measure("fashion, LeNet", lenet, clothes, more, 8);
        return 0;
    });
}
