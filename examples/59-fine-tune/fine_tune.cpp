// SPDX-License-Identifier: BSL-1.0
// Learns the digits 0 to 7 and writes the network as an ONNX file. Then reads the file without its last layer, freezes
// it, and trains a new last layer for all ten digits on ten records of each. It classifies more test digits correctly
// than a network that learns from the same 100 records only.
//   59_fine_tune [FILE]
#include <sigma/core/run_main.hpp>
#include <sigma/data/mnist.hpp>
#include <sigma/onnx.hpp>
#include <sigma/sigma.hpp>

#include <array>
#include <cstdio>
#include <string>
#include <vector>

using namespace sigma;

template <int classes>
struct Digits : Network<Input(28, 28) + Conv2D(8, 5, relu) + MaxPool(2) + Conv2D(16, 5, relu) + MaxPool(2) +
                        named("features", Dense(128, tanh)) + Dense(classes) + SoftmaxCE()> {};

namespace {

/// Returns records of the digits from `first` to `last`, at most `count` of each.
Dataset digits(const Dataset& data, std::size_t first, std::size_t last, std::size_t count) {
    std::array<std::size_t, 10> taken{};
    std::vector<std::size_t> positions;
    for (std::size_t i = 0; i < data.size(); ++i)
        if (const std::size_t digit = data.label(i); digit >= first && digit <= last && taken[digit]++ < count)
            positions.push_back(i);
    return data.select(positions);
}

}  // namespace

int main(int argc, char** argv) {
    return run_main([&] {
        const std::string file = argc > 1 ? argv[1] : "fine_tune.onnx";
        const auto [training, testing, whole] = data::mnist();
        Trainer pretrained("0 to 7", Digits<8>{}, Adam{.learning_rate = 0.002},
                           minibatches(digits(training, 0, 7, 800), 32));
        pretrained.run(cpu(), 4);
        // [export]
        for (const std::string& node : export_onnx(pretrained.model(), file).nodes) std::printf("%s\n", node.c_str());
        // [export]

        const Dataset few = digits(training, 0, 9, 10), new_digits = digits(testing, 8, 9, testing.size());
        // [tune]
        const OnnxGraph backbone(file, {.outputs = {"features/Tanh"}});  // without the last layer
        Trainer trainer("0 to 9", network(frozen(backbone) + Dense(10) + SoftmaxCE()), Adam{.learning_rate = 0.005},
                        minibatches(few, 10));
        trainer.run(cpu(), 40);
        // [tune]
        Trainer scratch("from scratch", Digits<10>{}, Adam{.learning_rate = 0.002}, minibatches(few, 10));
        scratch.run(cpu(), 40);

        const double of_tuned = trainer.evaluate(testing).accuracy, of_scratch = scratch.evaluate(testing).accuracy;
        std::printf("%zu records, %zu test digits of which %zu are 8 or 9\n", few.size(), testing.size(),
                    new_digits.size());
        std::printf("frozen backbone: %.1f %% are right, %.1f %% of 8 and 9\n", 100 * of_tuned,
                    100 * trainer.evaluate(new_digits).accuracy);
        std::printf("from scratch:    %.1f %% are right, %.1f %% of 8 and 9\n", 100 * of_scratch,
                    100 * scratch.evaluate(new_digits).accuracy);
        if (of_tuned >= of_scratch + 0.05) return 0;
        std::puts("the frozen backbone should be at least 5 points better");
        return 1;
    });
}
