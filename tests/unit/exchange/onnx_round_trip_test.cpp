// SPDX-License-Identifier: BSL-1.0
// What Sigma writes as an ONNX file it reads again: the same predictions.
#include <sigma/exchange/quantize.hpp>
#include <sigma/onnx.hpp>
#include <sigma/sigma.hpp>

#include <catch2/catch.hpp>
#include <support/scratch.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

using namespace sigma;

namespace {

std::vector<std::vector<float>> predictions(const Model<DynamicNetwork>& model, std::ptrdiff_t records,
                                            float greatest) {
    std::vector<std::vector<float>> given, results;
    Model<DynamicNetwork>::InputPointers from;
    Model<DynamicNetwork>::ResultPointers to;
    for (const Shape& s : model.records.inputs) {
        std::vector<float> x(static_cast<std::size_t>(s.count() * records));
        for (std::size_t i = 0; i < x.size(); ++i) {
            const float share = static_cast<float>(i * 37 % 101) / 101;
            x[i] = greatest > 0 ? std::floor(share * greatest) : 2 * share - 1;
        }
        given.push_back(x);
    }
    for (const auto& each : given) from.push_back(each.data());
    for (const auto& cost : model.records.costs)
        results.emplace_back(static_cast<std::size_t>(cost.prediction.count() * records));
    for (auto& each : results) to.push_back(each.data());
    model.predict(from, to, records);
    return results;
}
/// Words of an Embedding are whole numbers below `greatest`.
template <class E>
void require_round_trip(const E& expression, float greatest = 0) {
    Model model(network(expression), 5);
    for (int p = 0; p < model.records.parameters.size(); ++p)  // statistics and biases are 0 or 1 at first
        for (float& each : model.parameter(p)) each = each * 0.75f + 0.125f;
    const Scratch folder;
    export_onnx(model, folder / "m.onnx");
    const auto again = import_onnx(folder / "m.onnx");
    const auto wanted = predictions(model, 3, greatest), found = predictions(again, 3, greatest);
    REQUIRE(found.size() == wanted.size());
    for (std::size_t k = 0; k < wanted.size(); ++k) {
        REQUIRE(found[k].size() == wanted[k].size());
        for (std::size_t i = 0; i < wanted[k].size(); ++i)
            CHECK(found[k][i] == Approx(wanted[k][i]).epsilon(1e-4).margin(1e-5));
    }
}

/// In 8 bits, which come back as numbers between products that are rounded in the same way.
template <class E>
void require_quantized_round_trip(const E& expression) {
    const Model<DynamicNetwork> model(network(expression), 5);
    std::vector<std::size_t> extents{40};
    for (int i = 1; i < model.records.inputs[0].rank; ++i)
        extents.push_back(static_cast<std::size_t>(model.records.inputs[0][i]));
    std::vector<float> x(static_cast<std::size_t>(model.records.inputs[0].count() * 40));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 2 * static_cast<float>(i * 37 % 101) / 101 - 1;
    const auto small = quantize(model, Dataset({extents, x}, {{40}, std::vector<float>(40, 0)}, "rows"));
    const Scratch folder;
    export_onnx(small.model(), folder / "m.onnx");
    const auto again = import_onnx(folder / "m.onnx");
    const auto in_float = predictions(model, 3, 0), wanted = predictions(small.model(), 3, 0),
               found = predictions(again, 3, 0);
    REQUIRE(found[0].size() == wanted[0].size());
    double most = 0, apart = 0, from_float = 0;
    for (std::size_t i = 0; i < wanted[0].size(); ++i) {
        most = std::max(most, std::abs(double(wanted[0][i])));
        apart += std::abs(double(found[0][i] - wanted[0][i]));
        from_float += std::abs(double(wanted[0][i] - in_float[0][i]));
    }
    CHECK(apart < 0.0005 * most * static_cast<double>(wanted[0].size()));
    CHECK(apart < 0.2 * from_float);
}

}  // namespace

TEST_CASE("Networks in 8 bits come back") {
    require_quantized_round_trip(Input(37) + Dense(45, relu) + Dense(19, tanh) + Dense(5) + SquaredDiff());
    require_quantized_round_trip(Input(5, 24) + Linear(33, relu, {.bias = false}) + Linear(7) + SquaredDiff());
    require_quantized_round_trip(Input(9, 8, 24) + Conv2D(35, 3, relu, {.padding = same}) + MaxPool(2) +
                                 Conv2D(33, 3, {.padding = same, .bias = false}) + Flatten() + Dense(4) +
                                 SquaredDiff());
}

TEST_CASE("Dense layers and activations come back") {
    require_round_trip(Input(6) + Dense(8, relu) + Dense(5, tanh) + Dense(4, gelu) + Dense(3) + SoftmaxCE());
    require_round_trip(Input(6) + Dense(8, softplus) + LayerNorm() + Dropout(0.3) + Dense(1) + BinaryCE());
    require_round_trip((Input(4) & Input(3)) + Concatenate() + Dense(2) + SquaredDiff());
    require_round_trip(Input(4) + Dense(5, sigmoid) + Costs(Dense(3) + SoftmaxCE(), Dense(1) + SquaredDiff()));
    require_round_trip(Input(6) + Residual(Dense(6, relu)) + Dense(2) + SquaredDiff());
}

TEST_CASE("Images come back") {
    require_round_trip(Input(9, 9, 2) + Conv2D(4, 3, relu) + BatchNorm() + MaxPool(2) + Flatten() + Dense(3) +
                       SoftmaxCE());
    require_round_trip(Input(8, 8, 2) + Conv2D(4, 3, relu, {.stride = 2, .padding = same}) + AveragePool(2) +
                       GlobalAveragePool() + Dense(2) + SquaredDiff());
    require_round_trip(Input(5, 5, 4) + DepthwiseConv2D(3) + ConvTranspose2D(2, 3, relu, {.stride = 2}) +
                       GlobalMaxPool() + SquaredDiff());
    require_round_trip(Input(12, 3) + Conv1D(4, 3, relu) + MaxPool(2) + Flatten() + Dense(2) + SquaredDiff());
}

TEST_CASE("Sequences come back") {
    require_round_trip(Input(7, 3) + LSTM(4, {.last = true}) + Dense(2) + SquaredDiff());
    require_round_trip(Input(7, 3) + GRU(4) + Recurrent(3) + SquaredDiff());
    require_round_trip(Input(5) + Embedding(11, 6) + TransformerBlock(2, 12) + Flatten() + Dense(3) + SoftmaxCE(), 11);
}
