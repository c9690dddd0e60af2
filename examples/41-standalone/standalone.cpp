// SPDX-License-Identifier: BSL-1.0
// Handwritten digits in one C++17 header that needs no library: for microcontrollers, games and plugins. Trains a small
// network, exports it with floats and with 8-bit weights, and prints the first lines of the headers.
#include <sigma/data/mnist.hpp>
#include <sigma/exchange/cpp_source.hpp>
#include <sigma/sigma.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

using namespace sigma;

struct Digits : Network<Input(28, 28) + Dense(32, relu) + Dense(10) + SoftmaxCE()> {};

namespace {

int run() {
    const auto [training, testing, whole] = data::mnist();
    Trainer trainer("digits", Digits{}, Adam{.learning_rate = 0.002}, minibatches(training, 32));
    trainer.run({.epochs = 3, .validation = testing});

    // [export]
    export_cpp(trainer.model(), "digits.hpp");
    export_cpp(trainer.model(), "digits_int8.hpp", {.name = "digits_int8", .int8 = true});
    // [export]

    for (const char* file : {"digits.hpp", "digits_int8.hpp"}) {
        std::printf("%s, %d bytes of source:\n", file, static_cast<int>(std::filesystem::file_size(file)));
        std::ifstream in(file);
        for (std::string line; std::getline(in, line) && line.starts_with("//");) std::printf("    %s\n", line.c_str());
    }
    const double reached = trainer.evaluate(testing).accuracy;
    std::printf("%.1f %% of the digits are right\n", 100 * reached);
    return reached > 0.9 ? 0 : 1;
}

}  // namespace

int main() { return run_main(run); }
