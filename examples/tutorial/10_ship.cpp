// SPDX-License-Identifier: BSL-1.0
// Tutorial, chapter 10: trained networks leave the program, as files, as one C++ header and as ONNX. The GPT is that of
// chapter 9, if gpt.sigma and tokenizer.json are in the working directory.
//   tutorial_10_ship [PICTURE.svg]
#include <sigma/data/mnist.hpp>
#include <sigma/data/text/tokenizer.hpp>
#include <sigma/decoding/generate.hpp>
#include <sigma/exchange.hpp>
#include <sigma/onnx.hpp>
#include <sigma/sigma.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include "picture.hpp"

using namespace sigma;

// [network]
struct Digits : Network<named("image", Input(28, 28)) + Dense(32, relu) + Dense(10) + named("digit", SoftmaxCE())> {};
// [network]

namespace {

// [use]
/// A program that has only the file: it does not know the network's type.
std::size_t read(const std::string& file, const Dataset& images) {
    const auto model = load_model(file);
    const Predictor predictor(model);  // never changes; many threads may use it
    std::size_t right = 0;
    for (std::size_t i = 0; i < images.size(); ++i) {
        float p[10];
        predictor.predict(images.input(i).data(), p, 1);  // one record, without allocating
        right += static_cast<int>(std::max_element(p, p + 10) - p) == static_cast<int>(images.label(i)) ? 1 : 0;
    }
    return right;
}
// [use]

// [gpt]
void write_text() {
    const auto gpt = load_model("gpt.sigma");
    const auto tokenizer = data::SubwordTokenizer::load("tokenizer.json");
    const auto text = generate(gpt, tokenizer, "JULIET:\n", {.length = 40, .temperature = 0.8, .seed = 2});
    std::printf("JULIET:\n%s\n", text.c_str());
}
// [gpt]

}  // namespace

int main(int count, char** arguments) {
    return run_main([&] {
        // [train]
        const auto [training, testing, whole] = data::mnist();
        Trainer trainer("digits", Digits{}, Adam{.learning_rate = 0.002}, minibatches(training, 32));
        trainer.run({.epochs = 3, .quiet = true});
        // [train]

        // [ship]
        save_model(trainer.model(), "digits.sigma", training);  // network, parameters, classes, preprocessing
        const auto small = quantize(trainer.model(), training);
        save_model(small.model(), "digits_int8.sigma");  // weights take a quarter
        export_cpp(trainer.model(), "digits.hpp");       // one C++17 header without dependencies
        export_onnx(trainer.model(), "digits.onnx");     // for ONNX Runtime and others
        for (const char* name : {"digits.sigma", "digits_int8.sigma", "digits.hpp", "digits.onnx"})
            std::printf("%-18s %7d bytes\n", name, static_cast<int>(std::filesystem::file_size(name)));
        // [ship]

        // [check]
        const std::size_t right = read("digits.sigma", testing);
        std::printf("%zu of %zu digits are read correctly from the file\n", right, testing.size());
        if (std::filesystem::exists("gpt.sigma") && std::filesystem::exists("tokenizer.json")) write_text();
        // [check]

        if (count > 1) {
            tutorial::Bars bars("One network in four files", "kB");
            for (const char* name : {"digits.sigma", "digits_int8.sigma", "digits.hpp", "digits.onnx"})
                bars.bar(name, static_cast<double>(std::filesystem::file_size(name)) / 1000);
            bars.write(arguments[1]);
        }
        return 10 * right > 9 * testing.size() ? 0 : 1;
    });
}
