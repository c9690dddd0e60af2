// SPDX-License-Identifier: BSL-1.0
// onnx_quantized FOLDER: for each of several networks in 8 bits writes NAME.onnx, and NAME.json with inputs and what
// the predictor says of them, for the script beside to compare with ONNX Runtime. FOLDER/exact has those that say the
// same, FOLDER/near those whose biases are rounded, or whose numbers between products are at times rounded to the other
// side; FOLDER/float has what the first ones say, and their models in float. One line each.
#include <sigma/exchange.hpp>
#include <sigma/onnx.hpp>
#include <sigma/sigma.hpp>

#include "cases.hpp"

#include <cstdio>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace sigma;

namespace {

std::string folder;
std::mt19937 numbers(20261127);

double uniform(double low, double high) { return low + (high - low) * static_cast<double>(numbers()) / 4294967296.0; }

Array<float> some_inputs(const Shape& s, std::size_t records) {
    std::vector<std::size_t> extents{records};
    for (int k = 1; k < s.rank; ++k) extents.push_back(static_cast<std::size_t>(s[k]));
    auto x = Array<float>::from_shape(extents);
    for (float& each : x) each = static_cast<float>(uniform(-2, 2));
    return x;
}

void examine(bool exact, const std::string& name, const Layers& layers, const QuantizeOptions& options = {}) {
    Model<DynamicNetwork> model(network(layers), 7);
    for (int i = 0; i < model.records.parameters.size(); ++i)
        if (model.records.parameters[i].name.view().ends_with("biases"))
            for (float& x : model.parameter(i)) x = static_cast<float>(uniform(-0.5, 0.5));
    for (float& x : std::span(model.parameter_data(0), 3)) x = 0;  // of which nothing may become infinite
    const Shape& s = model.records.inputs[0];
    const Array<float> seen = some_inputs(s, 200);
    std::vector<std::size_t> of_records(seen.shape().begin(), seen.shape().end());
    const Dataset data({of_records, {seen.begin(), seen.end()}}, {{200}, std::vector<float>(200, 0)}, "drawn");
    const auto small = quantize(model, data, options);
    Cases<float> cases;
    for (const std::size_t records : {1u, 2u, 7u}) {
        const Array<float> x = some_inputs(s, records);
        cases.add({x}, {small.predict(x)});
    }
    const std::string file = folder + (exact ? "/exact/" : "/near/") + name, whole = folder + "/float/" + name;
    export_onnx(small.model(), file + ".onnx");
    Cases<float>(cases).write(file + ".json");
    if (exact) export_onnx(model, whole + ".onnx"), cases.write(whole + ".json");
    std::printf("%s\n", name.c_str());
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return std::fprintf(stderr, "onnx_quantized: expected a folder\n"), 2;
    folder = argv[1];
    examine(false, "dense", Input(37) + Dense(45, relu) + Dense(19, tanh) + Dense(5) + SoftmaxCE());
    examine(true, "no_biases",
            Input(37) + Dense(45, relu, {.bias = false}) + Dense(5, {.bias = false}) + SquaredDiff());
    examine(false, "some_layers", Input(37) + Dense(45, relu) + Dense(19, tanh) + Dense(5) + SquaredDiff(),
            {.layers = "2-*"});
    examine(true, "positions", Input(5, 24) + Linear(33, relu) + Linear(7) + SquaredDiff());
    examine(false, "images",
            Input(9, 8, 24) + Conv2D(35, 3, relu, {.padding = same}) + MaxPool(2) +
                Conv2D(33, 3, {.padding = same, .bias = false}) + Conv2D(40, 2, relu, {.stride = 2}) + Flatten() +
                Dense(4) + SquaredDiff());
    examine(false, "lenet",
            Input(28, 28) + Conv2D(6, 5, relu) + MaxPool(2) + Conv2D(16, 5, relu) + MaxPool(2) + Dense(120, relu) +
                Dense(84, relu) + Dense(10) + SoftmaxCE());
    examine(false, "transformer", Input(5, 24) + TransformerBlock(2, 40) + Linear(7) + SquaredDiff());
    const auto twice = [](auto x) {
        return layer(shared("tower", Linear(24, tanh)), layer(shared("tower", Linear(24, tanh)), x));
    };
    examine(true, "shared", Input(5, 24) + twice + Linear(7) + SquaredDiff());
    examine(
        false, "scan",
        Input(5, 24) + [](auto x) { return layer(GRU(12), x, mean(x, axis(2)) > -0.5); } + Linear(7) + SquaredDiff());
}
