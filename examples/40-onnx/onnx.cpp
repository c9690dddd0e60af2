// SPDX-License-Identifier: BSL-1.0
// Learns to classify three kinds of iris and writes the model as iris.onnx, for other programs that read ONNX files:
// ONNX Runtime in Python, C# or a browser, or Netron to view it. Prints the content of the file and reads it again: the
// loaded model has the same predictions.
//   40_onnx [FILE]
#include <sigma/core/run_main.hpp>
#include <sigma/data/ready.hpp>
#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/data/transform/transforms.hpp>
#include <sigma/onnx.hpp>
#include <sigma/sigma.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

using namespace sigma;

struct Iris : Network<named("flower", Input(4)) + Dense(10, tanh) + Dense(3) + named("kind", SoftmaxCE())> {};

int main(int argc, char** argv) {
    return run_main([&] {
        const std::string file = argc > 1 ? argv[1] : "iris.onnx";
        auto [training, testing] = stratified_split(shuffled(data::iris(), 7), 2.0 / 3, 1.0 / 3);
        const data::Preprocessing standardized = fitted(data::standardize(data::inputs), training);
        Trainer trainer("iris", Iris{}, AdamW{.learning_rate = 0.01}, minibatches(training >> standardized, 10));
        trainer.run(cpu(), 50);

        // [export]
        const OnnxContents written = export_onnx(trainer.model(), file);
        for (const std::string& input : written.inputs) std::printf("input   %s\n", input.c_str());
        for (const std::string& node : written.nodes) std::printf("        %s\n", node.c_str());
        for (const std::string& output : written.outputs) std::printf("output  %s\n", output.c_str());
        // [export]

        const auto again = import_onnx(file);
        const Dataset flowers = testing >> standardized;
        const Array<float> said = trainer.predict(flowers.inputs()), says = again.predict(flowers.inputs());
        float greatest = 0;
        for (std::size_t i = 0; i < said.size(); ++i)
            greatest = std::max(greatest, std::abs(said.data()[i] - says.data()[i]));
        const bool same_again = greatest < 1e-5f;
        std::printf("the loaded model predicts %s for %zu flowers\n", same_again ? "the same" : "other values",
                    said.shape()[0]);
        return same_again ? 0 : 1;
    });
}
