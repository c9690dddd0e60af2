// SPDX-License-Identifier: BSL-1.0
// foreign DIRECTORY: what foreign.py compares with PyTorch and with formulas in NumPy. For each network it reads
// NAME.safetensors and NAME.npz, predicts for NAME.x.safetensors, and writes NAME.found.safetensors; then it draws
// other parameters, writes them as NAME.back.safetensors and NAME.back.npz, and what they predict.
#include <sigma/exchange/foreign_parameters.hpp>
#include <sigma/network/parameters_file.hpp>
#include <sigma/sigma.hpp>
#include <sigma/storage/safetensors.hpp>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

using namespace sigma;

namespace {

struct Case {
    std::string folder, name;
    ForeignNames names;

    std::string file(const char* ending) const { return folder + "/" + name + ending; }
};

Array<float> predicted(const Model<DynamicNetwork>& model, const Case& c) {
    const auto file = SafetensorsFile::open(c.file(".x.safetensors"));
    std::vector<float> x = file.read<float>("x");
    std::vector<std::size_t> extents;
    for (const auto extent : file.find("x")->shape) extents.push_back(static_cast<std::size_t>(extent));
    return model.predict(ArrayView<const float>(x.data(), extents));
}
void add(SafetensorsWriter& to, const char* name, const Array<float>& a) {
    to.add(name, {a.size()}, std::vector<float>(a.data(), a.data() + a.size()));
}

int checked(const Case& c, const Layers& layers) {
    if (!std::filesystem::exists(c.file(".safetensors"))) return 0;
    const auto net = network(layers + SquaredDiff());
    Model model(net, 1), from_npz(net, 2), drawn(net, 3);
    SafetensorsWriter found;
    const int read = load_parameters(model, c.file(".safetensors"), c.names);
    add(found, "safetensors", predicted(model, c));
    if (load_parameters(from_npz, c.file(".npz"), c.names) != read) throw Error("npz gave another number");
    add(found, "npz", predicted(from_npz, c));

    drawn.initialize("*", gaussian(0.4f));
    drawn.initialize("*.running_variance", uniform(0.5f, 1.5f));  // a variance is positive
    drawn.initialize("*.running_mean", gaussian(0.3f));
    add(found, "drawn", predicted(drawn, c));
    ForeignNames as_there = c.names;
    as_there.options.like = c.file(".safetensors");
    save_parameters(drawn, c.file(".back.safetensors"), as_there);
    save_parameters(drawn, c.file(".back.npz"), as_there);
    // With the names of the layers, and back.
    ForeignNames own = c.names;
    own.options = {.channels_first = own.options.channels_first};
    save_parameters(drawn, c.file(".own.safetensors"), own);
    Model again(net, 4);
    load_parameters(again, c.file(".own.safetensors"), own);
    if (!(again == drawn)) throw Error("what was saved is not what was loaded");
    found.save(c.file(".found.safetensors"));
    std::printf("%s: %d parameters\n", c.name.c_str(), read);
    return 1;
}

}  // namespace

int main(int, char** arguments) try {
    const std::string folder = arguments[1];
    const auto torch = [&](const char* name, ForeignOptions o = {}) { return Case{folder, name, torch_names(o)}; };
    const auto keras = [&](const char* name, ForeignOptions o = {}) { return Case{folder, name, keras_names(o)}; };
    const auto by_erf = [](Tensor x) { return 0.5 * x * (1.0 + erf(0.7071067811865476 * x)); };
    int networks = 0;
    const auto examine = [&](const Case& c, const Layers& layers) { networks += checked(c, layers); };

    examine(torch("mlp"), Input(5) + Dense(7, relu) + Dense(6, tanh) + Dense(3));
    examine(torch("eleven"), Input(4) + 11 * Dense(4, tanh));
    examine(torch("lenet", {.prefix = "backbone."}), Input(28, 28, 1) + Conv2D(6, 5, relu, {.padding = 2}) +
                                                         MaxPool(2) + Conv2D(16, 5, relu) + MaxPool(2) +
                                                         Dense(120, relu) + Dense(84, relu) + Dense(10));
    examine(torch("image"), Input(4, 5, 3) + Dense(6, relu) + Dense(2));
    examine(torch("flat_norm"), Input(6, 6, 2) + Conv2D(3, 3, relu) + Flatten() + BatchNorm() + Dense(4));
    examine(torch("generator"),
            Input(6) + Dense(60) + BatchNorm() + relu + Reshape(5, 4, 3) + ConvTranspose2D(2, 2) + Dense(3));
    examine(torch("sequence"), Input(12, 3) + Conv1D(5, 3, relu, {.stride = 2}) + Dense(4));
    examine(torch("rnn"), Input(6, 3) + Recurrent(5, tanh, {.last = true}) + Dense(2));
    examine(torch("lstm"), Input(7, 3) + LSTM(5) + LSTM(5, {.last = true}) + Dense(2));
    examine(torch("gru"), Input(7, 3) + GRU(5) + GRU(4, {.last = true}) + Dense(2));
    examine(torch("gru_flat"), Input(6, 3) + GRU(4) + Dense(2));
    examine(torch("both_ways"),
            Input(6, 3) + Bidirectional(LSTM(4)) + Bidirectional(LSTM(4)) + Bidirectional(GRU(3)) + Linear(2));
    examine(torch("batch_norm"), Input(10, 9, 4) + Conv2D(8, 3, {.padding = 1, .bias = false}) + BatchNorm() + relu +
                                     DepthwiseConv2D(3) + BatchNorm() + Conv2D(6, {3, 2}, {.stride = 2, .groups = 2}) +
                                     PReLU({.each_feature = true}) +
                                     ConvTranspose2D(4, {2, 3}, {.stride = 2, .groups = 2}) + PReLU() + Dense(3));
    examine(torch("norms"), Input(4, 5, 6) + LayerNorm({.axes = 3}) + GroupNorm(3) + InstanceNorm() +
                                ConvTranspose2D(6, 2) + Conv2D(6, 2) + GlobalAveragePool() + LayerNorm() + Dense(3));
    examine(torch("volume"), Input(4, 5, 6, 2) + Conv3D(3, {2, 3, 2}, relu) + Dense(3));
    examine(torch("transformer"),
            Input(5, 8) + TransformerBlock(2, 16, relu) + TransformerBlock(2, 16, by_erf) + LayerNorm() + Linear(3));
    examine(torch("post_norm"), Input(5, 8) + TransformerBlock(4, 12, relu, {.pre_norm = false}) + Dense(3));
    examine(torch("attention", {.modules = {{"1-attention", "itself"}, {"3-linear", "head"}}}),
            Input(6, 4) + Attention(2, {.causal = true}) + Attention(2, {.bias = false}) + Linear(4));
    const auto normed = [](int filters, int kernel, int stride) {
        return Conv2D(filters, kernel, {.stride = stride, .padding = kernel / 2, .bias = false}) + BatchNorm();
    };
    const auto body = [&](int filters, int stride) {
        return normed(filters, 3, stride) + relu + normed(filters, 3, 1);
    };
    examine(torch("resnet", {.order = {"bn", "downsample", "layer"}}),
            Input(17, 16, 3) + normed(4, 7, 2) + relu + MaxPool(3, {.stride = 2, .padding = 1}) +
                2 * (Residual(body(4, 1)) + relu) + Add(body(6, 2), normed(6, 1, 2)) + relu + Residual(body(6, 1)) +
                relu + GlobalAveragePool() + Dense(5));
    examine(torch("embedding"), Input(6) + Embedding(11, 4) + Linear(4, relu) + Dense(3));
    examine(torch("half"), Input(5) + Dense(4, relu) + Dense(3));

    examine(keras("keras_mlp"), Input(5) + Dense(7, relu) + Dense(3));
    examine(keras("keras_numbered"), Input(8, 8, 3) + Conv2D(4, 3, relu) + BatchNorm({.epsilon = 1e-3}) + Dense(3));
    examine(keras("keras_lstm"), Input(7, 3) + LSTM(5) + Bidirectional(GRU(4)) + Linear(2));
    examine(keras("keras_images"),
            Input(6, 6, 2) + DepthwiseConv2D(3) + ConvTranspose2D(5, 2, {.stride = 2}) + Dense(2));
    examine(keras("keras_attention"), Input(5, 6) + Attention(3) + LayerNorm({.epsilon = 1e-3}) + Dense(2));
    std::printf("%d networks\n", networks);
    return networks > 0 ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
