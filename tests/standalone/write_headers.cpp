// SPDX-License-Identifier: BSL-1.0
// Writes a header for each of a table of networks, and beside it, as JSON, what a model predicts for some records.
//   standalone_headers DIRECTORY
#include "cpp/functions.hpp"

#include <sigma/data/mnist.hpp>
#include <sigma/exchange/cpp_source.hpp>
#include <sigma/exchange/quantize.hpp>
#include <sigma/sigma.hpp>
#include <sigma/storage/file.hpp>

#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

using namespace sigma;

namespace {

constexpr int records = 3;
std::string directory;

/// Deterministic numbers from -1 to 1.
struct Numbers {
    unsigned state = 1;
    double operator()() {
        state = state * 1664525u + 1013904223u;
        return static_cast<double>(state >> 8) / 8388608.0 - 1;
    }
};

void write_file(const std::string& name, const std::string& text) {
    AtomicFile file(directory + "/" + name);
    file.write(std::as_bytes(std::span<const char>(text)));
    file.commit();
}

void append(std::string& to, const char* key, const auto& rows) {
    to += sentence("\"", key, "\": [");
    for (const auto& row : rows) {
        to += to.ends_with('[') ? "[" : ", [";
        for (const auto x : row) to += sentence(to.ends_with('[') ? "" : ", ", x);
        to += "]";
    }
    to += "]";
}

struct Case {
    double ids = 0;  ///< inputs are whole numbers below it
    bool int8 = false;
    bool quantized = false;    ///< by the records themselves
    int constant_record = -1;  ///< which is classified when the header is compiled
};

Dataset dataset_of(const std::vector<std::vector<float>>& rows, const Shape& record) {
    std::vector<std::size_t> extents{rows.size()};
    for (int i = 1; i < record.rank; ++i) extents.push_back(static_cast<std::size_t>(record[i]));
    std::vector<float> all;
    for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
    return Dataset({extents, all}, {{rows.size()}, std::vector<float>(rows.size(), 0)}, "rows");
}

/// The numbers as a model of float or double has them.
template <class T>
using Rows = std::vector<std::vector<T>>;

template <class T>
void write(const std::string& name, const Model<DynamicNetwork, T>& model, std::vector<Rows<T>> inputs,
           const Case& how) {
    export_cpp(model, directory + "/" + name + ".hpp", {.name = "net_" + name, .int8 = how.int8});
    const detail::NetworkTable& table = model.definition().made().table();
    std::string text = sentence("{\"name\": \"", name, "\", \"int8\": ", how.int8 ? "true" : "false", ", \"type\": \"",
                                sizeof(T) == 4 ? "float" : "double", "\", \"constant_record\": ", how.constant_record,
                                ", \"states\": ", table.states.size(), ", \"records\": [");
    std::vector<Shape> predicted;
    for (const detail::CostRecord& c : table.costs) predicted.push_back(c.prediction);
    for (std::size_t r = 0; r < inputs.size(); ++r) {
        Rows<T> outputs;
        for (const Shape& s : predicted) outputs.emplace_back(static_cast<std::size_t>(s.count()));
        std::vector<const T*> from;
        std::vector<T*> to;
        for (const auto& x : inputs[r]) from.push_back(x.data());
        for (auto& y : outputs) to.push_back(y.data());
        model.predict(from, to, 1);
        text += r > 0 ? ",\n {" : "\n {";
        append(text, "inputs", inputs[r]);
        text += ", ";
        append(text, "outputs", outputs);
        text += "}";
    }
    text += "]}\n";
    write_file(name + ".json", text);
}

/// Numbers that are none, or beyond all.
void add_non_finite() {
    Model model(network(Input(2) + Dense(4) + Residual(Elementwise(tanh)) + SquaredDiff()), 1);
    const float biases[] = {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                            std::numeric_limits<float>::quiet_NaN(), 0x1p-140f};
    for (std::size_t i = 0; i < 4; ++i) model.parameter("1-dense.biases")(i) = biases[i];
    write("odd_numbers", model, {{{0.5f, -1}}}, {});
}

template <class T = float>
void add(const std::string& name, const Layers& layers, const Case& how = {}) {
    Model<DynamicNetwork, T> model(network(layers), 7);
    model.initialize("*", gaussian(0.4));
    const detail::NetworkTable& table = model.definition().made().table();
    for (const detail::ParameterRecord& p : table.parameters)
        if (!p.trained) model.initialize(p.name.view(), uniform(0.5, 1.5));
    Numbers draw;
    std::vector<Rows<T>> inputs;
    for (int r = 0; r < records; ++r) {
        inputs.push_back({});
        for (const Shape& s : table.inputs) {
            inputs.back().emplace_back(static_cast<std::size_t>(s.count()));
            for (T& x : inputs.back().back())
                x = static_cast<T>(how.ids > 0 ? static_cast<int>((draw() + 1) / 2 * how.ids) : 2 * draw());
        }
    }
    if constexpr (std::is_same_v<T, float>) {
        if (how.quantized) {
            Rows<float> rows;
            for (const auto& each : inputs) rows.push_back(each[0]);
            const auto small = quantize(model, dataset_of(rows, table.inputs[0]));
            inputs.push_back({rows[0]});  // beyond the range, and no number
            for (float& x : inputs.back()[0]) x *= 1.5f;
            inputs.push_back({rows[0]});
            inputs.back()[0][1] = std::numeric_limits<float>::quiet_NaN();
            return write(name, small.model(), std::move(inputs), how);
        }
    }
    write(name, model, std::move(inputs), how);
}

/// Whatever can stand between a record and its prediction.
void layers() {
    add("activations", Input(3, 4) +
                           Fork(Elementwise(relu), Elementwise(tanh), Elementwise(sigmoid), Elementwise(softplus),
                                Elementwise(gelu), Elementwise(elu), Elementwise(selu), Elementwise(mish)) +
                           Concatenate() +
                           Fork(Elementwise(leaky_relu), Elementwise(silu), Elementwise(softsign), Elementwise(relu6),
                                Elementwise(hard_tanh), Elementwise(hard_sigmoid), Elementwise(hard_swish), PReLU()) +
                           Concatenate() + SquaredDiff());
    add("dense", Input(4) + Dense(5, relu) + BatchNorm() + Dense(3) + SoftmaxCE());
    add("one", Input(1) + Dense(1) + SquaredDiff());
    add("yes", Input(5) + Dense(1) + BinaryCE());
    add("several_yes", Input(5) + Dense(3) + BinaryCE());
    add("tagger", Input(6, 4) + Linear(3) + SoftmaxCE());
    add<double>("doubles", Input(4) + Dense(5, tanh) + Dense(4, gelu) + LayerNorm() + Dense(3) + SoftmaxCE());
    add("norms",
        Input(4, 4, 6) + BatchNorm() + LayerNorm() + RMSNorm() + GroupNorm(3) + InstanceNorm() + SquaredDiff());
    add("shapes", Input(2, 3, 4) + Permute(3, 1, 2) + Reshape(6, 4) + Permute(2, 1) + Flatten() + SquaredDiff());
    add("images", Input(9, 8) + Conv2D(4, 3, relu, {.padding = same}) + MaxPool(2) +
                      Conv2D(6, 3, {.stride = 2, .padding = 1, .groups = 2}) + Flatten() + Dense(3) + SoftmaxCE());
    add("strides", Input(11, 9, 3) + Conv2D(4, {3, 2}, tanh, {.stride = {2, 1}, .dilation = {1, 2}}) +
                       MaxPool({3, 2}, {.stride = {2, 1}, .padding = 1}) + AveragePool(2) + SquaredDiff());
    add("depthwise", Input(6, 6, 4) + DepthwiseConv2D(3, relu, {.padding = same}) + Conv2D(5, 1) + GlobalAveragePool() +
                         Dense(2) + SoftmaxCE());
    add("transposed", Input(4, 4, 4) + ConvTranspose2D(6, 3, relu, {.stride = 2, .groups = 2}) +
                          ConvTranspose2D(2, 2, {.padding = 1}) + SquaredDiff());
    add("upsampled",
        Input(3, 3, 2) + Upsample(2, Interpolation::bilinear) + Upsample(2) + GlobalMaxPool() + SquaredDiff());
    add("volumes", Input(4, 6, 5, 2) + Conv3D(3, 3, relu, {.stride = {1, 2, 2}, .padding = same}) + SquaredDiff());
    add("times_int8", Input(12, 3) + Conv1D(4, 3, relu) + ConvTranspose1D(3, 2) + LSTM(4) + SquaredDiff(),
        {.int8 = true});
    add("times",
        Input(12, 3) + Conv1D(4, 3, relu, {.padding = same}) + MaxPool(2) + ConvTranspose1D(3, 2) + SquaredDiff());
    add("embedding", Input(6) + Embedding(9, 4) + Flatten() + Dense(3) + SoftmaxCE(), {.ids = 9});
    add("no_such_row", Input(2) + Embedding(3, 4) + SquaredDiff(), {.ids = 6});
    add("recurrent",
        Input(6, 4) + Recurrent(5) + GRU(4, {.backwards = true}) + LSTM(3, {.last = true}) + Dense(2) + SoftmaxCE());
    add("bidirectional", Input(5, 3) + Bidirectional(LSTM(4)) + Bidirectional(GRU(3, {.last = true})) + SquaredDiff());
    add("stateful", Input(3, 4) + LSTM(5, {.stateful = true}) + GRU(4, {.last = true, .stateful = true}) + Dense(2) +
                        SquaredDiff());
    add("transformer",
        Input(6) + Embedding(9, 8) + SinusoidalPositions() + TransformerBlock(2, 16, {.causal = true}) +
            TransformerBlock(2, 16, {.causal = true, .rotary = true}) + LayerNorm() + Linear(9) + SoftmaxCE(),
        {.ids = 9});
    add("attention", Input(5, 8) + LearnedPositions() + RotaryPositions() + Attention(2) +
                         TransformerBlock(4, 12, relu, {.pre_norm = false}) + SquaredDiff());
    add("branches", Input(6) + Residual(Dense(6, relu)) + Concatenate(Dense(3, tanh), skip) + Add(Dense(4), Dense(4)) +
                        Multiply(skip, Dense(4, sigmoid)) + Average(skip, Dense(4)) + Dense(2) + SquaredDiff());
    add("inputs", (Input(3, 4) & Input(5)) + Parallel(Dense(6, relu), skip) + Concatenate() + Dense(2) + SoftmaxCE());
    add("costs", Input(6) + Dense(4, relu) + Costs(Dense(2) + SoftmaxCE(), named("p", Dense(1) + SquaredDiff())));
    add("language",
        Input(1) + Embedding(9, 8) + LearnedPositions({.remember = 6}) +
            2 * TransformerBlock(2, 16, {.causal = true, .rotary = true, .remember = 6}) + LayerNorm() + Linear(9) +
            SoftmaxCE(),
        {.ids = 9});
    add("quantized_dense", Input(37) + Dense(45, relu) + Dense(19, tanh, {.bias = false}) + Dense(5) + SquaredDiff(),
        {.quantized = true});
    add("quantized_images",
        Input(9, 8, 24) + Conv2D(35, 3, relu, {.padding = same}) + MaxPool(2) +
            Conv2D(33, {3, 2}, {.stride = {1, 2}, .padding = same, .dilation = {2, 1}}) + Flatten() + Dense(4) +
            SquaredDiff(),
        {.quantized = true});
    add("quantized_times",
        Input(6, 24) + Permute(2, 1) + Linear(7) + Permute(2, 1) + LSTM(9) + Linear(3) + SquaredDiff(),
        {.quantized = true});
    add_non_finite();
    add("passed", Input(3) + SquaredDiff());
    add("without_loss", Input(3) + Dense(4, tanh) + Dense(3));
}

constexpr auto functions = [](auto x) {
    const auto p = abs(x) + 0.1;
    return sin(x) + cos(3.0 * x) + tan(0.3 * x) + asin(0.4 * x) + acos(0.3 * x) + atan(x) + erf(x) + floor(3.0 * x) +
           round(3.0 * x) + log(p) + log1p(p) + expm1(x) + sqrt(p) + rsqrt(p) + pow(p, 1.7) + pow(x, 4.0) +
           mod(x, 0.7) + max(x, p) + min(x, 0.2) + where(less(x, 0.0), x, p) + exp(x);
};
constexpr auto blocks = [](auto x) {  // (batch, 3, 4)
    const auto a = slice(x, axis(2), 0, 3);
    const auto b = slice(x, axis(2), 3, 4);
    const auto order = argsort(x, axis(2), SortOrder::descending);
    return concatenate(axis(2), solve(a, b), inverse(a), cumsum(x, axis(1)), order,
                       reshape(determinant(a), {batch, 1, 1}) * b);
};
constexpr auto masks = [](auto x) {  // (batch, 5, 4)
    const auto first = reshape(argmax(x, axis(2)), {batch, 5, 1});
    return concatenate(axis(2), one_hot(argmax(x, axis(2)), 4) * x, first, dot(x, permute(x, {0, 2, 1})));
};

/// Layers behind each other by chance: what is computed with what, and where it lies, is always another.
void by_chance(unsigned seed, bool int8) {
    Numbers draw{seed * 2654435761u + 1};
    const auto below = [&](int n) { return static_cast<int>((draw() + 1) / 2 * n) % n; };
    const bool images = below(2) == 0;
    Layers all = images ? Layers(Input(5 + below(4), 6, 2)) : Layers(Input(4 + below(3), 4));
    for (int i = 0, count = 2 + below(6); i < count; ++i) {
        const Layers next[] = {
            images ? Layers(Conv2D(1 + below(5), 2, relu, {.padding = same})) : Layers(LSTM(2 + below(4))),
            images ? Layers(MaxPool(2, {.stride = 1, .padding = 1})) : Layers(GRU(2 + below(4), {.backwards = true})),
            images ? Layers(ConvTranspose2D(1 + below(3), 2)) : Layers(Bidirectional(Recurrent(3))),
            images ? Layers(AveragePool(2, {.stride = 1})) : Layers(Conv1D(1 + below(4), 2, tanh)),
            Layers(LayerNorm()),
            Layers(BatchNorm()),
            Layers(Residual(Layers(Elementwise(gelu)) + Elementwise(tanh))),
            Layers(Concatenate(skip, Elementwise(sigmoid))),
            Layers(Linear(1 + below(6), silu)),
            Layers(Add(Elementwise(relu), Residual(Elementwise(softplus)), skip)),
            images ? Layers(Permute(2, 1, 3)) : Layers(RotaryPositions() + Attention(1, {.causal = true}))};
        const Layers longer = all + next[below(11)];
        try {
            network(longer + SquaredDiff());
            all = longer;
        } catch (const MistakeError&) {  // an odd width, say
        }
    }
    if (below(2) == 0) add(sentence("chance_", seed), all + SquaredDiff(), {.int8 = int8});
    else add(sentence("chance_", seed), all + Dense(3) + SoftmaxCE(), {.int8 = int8});
}

/// Trained for a moment, as numbers and as bytes.
void digits(const std::string& name, const Layers& layers, const Dataset& training) {
    Trainer trainer("digits", network(layers), Adam{.learning_rate = 0.003}, minibatches(training, 32), element<float>,
                    5);
    trainer.run({.epochs = 2, .device = cpu(1), .quiet = true});
    std::vector<Rows<float>> inputs;
    for (std::size_t r = 0; r < 20; ++r) {
        const auto pixels = training.input(r);
        inputs.push_back({std::vector<float>(pixels.begin(), pixels.end())});
    }
    write(name, trainer.model(), inputs, {.constant_record = 0});
    write(name + "_int8", trainer.model(), inputs, {.int8 = true, .constant_record = 1});
    write(name + "_quantized", quantize(trainer.model(), training).model(), inputs, {.constant_record = 2});
}

int run(int count, char** arguments) {
    if (count != 2) return 2;
    directory = arguments[1];
    write_file(
        "functions_alone.hpp",
        "#include <stdint.h>\nnamespace functions {\n" +
            detail::called_functions("exp expm1 log log1p sqrt tanh sigmoid sin cos pow arctangent error_function "
                                     "round_down round_to_even modulus") +
            "}\n");
    layers();
    add("functions", Input(50) + functions + SquaredDiff());
    add<double>("functions_of_doubles", Input(50) + functions + SquaredDiff());
    add("blocks", Input(3, 4) + blocks + SquaredDiff());
    add("masks", Input(5, 4) + masks + SquaredDiff());
    for (unsigned seed = 1; seed <= 24; ++seed) by_chance(seed, seed % 8 == 0);
    const auto [training, testing, whole] = data::mnist();
    digits("digits", Input(28, 28) + Dense(32, relu) + Dense(10) + SoftmaxCE(), training);
    digits("lenet",
           Input(28, 28) + Conv2D(6, 5, relu, {.padding = same}) + MaxPool(2) + Conv2D(16, 5, relu) + MaxPool(2) +
               Dense(84, relu) + Dense(10) + SoftmaxCE(),
           training);
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    return run_main([&] { return run(count, arguments); });
}
