// SPDX-License-Identifier: BSL-1.0
// onnx_program FOLDER: for each of many networks writes NAME.onnx, and NAME.json with inputs and what the model
// predicts of them, for the script beside to compare with ONNX Runtime. One line each: its name, or why there is no
// file.
#include <sigma/onnx.hpp>
#include <sigma/sigma.hpp>

#include "cases.hpp"

#include <cstdio>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

using namespace sigma;

namespace {

std::string folder;
std::mt19937 numbers(20240607);

double uniform(double low, double high) { return low + (high - low) * static_cast<double>(numbers()) / 4294967296.0; }

/// What a model says at each of its outputs.
template <class N, class T>
std::vector<Array<T>> all_predicted(const Model<N, T>& model, const std::vector<Array<T>>& x) {
    if constexpr (Model<N, T>::counts_when_run) {
        if (x.size() == 1) return model.predict_all(x[0]);
        if (x.size() == 2) return model.predict_all(x[0], x[1]);
        return model.predict_all(x[0], x[1], x[2]);
    } else {
        auto found = model.predict(x[0]);
        if constexpr (std::is_same_v<decltype(found), Array<T>>) return {found};
        else return {found.begin(), found.end()};
    }
}

/// Statistics and parameters become numbers such that no formula is lost among zeros and ones.
template <class N, class T>
void stir(Model<N, T>& model) {
    for (int i = 0; i < model.records.parameters.size(); ++i) {
        const std::string_view name = model.records.parameters[i].name.view();
        const bool positive = name.ends_with("variance") || name.ends_with("scales");
        const bool small = name.ends_with("biases") || name.ends_with("shifts") || name.ends_with("mean");
        if (!positive && !small && !name.ends_with("slopes")) continue;
        for (T& x : model.parameter(i)) x = static_cast<T>(positive ? uniform(0.5, 1.5) : uniform(-0.5, 0.5));
    }
}

/// Numbers between -2 and 2, or ids.
template <class N, class T>
std::vector<Array<T>> some_inputs(const Model<N, T>& model, std::size_t records) {
    std::vector<Array<T>> x;
    for (int i = 0; i < model.records.inputs.size(); ++i) {
        const Shape& s = model.records.inputs[i];
        std::vector<std::size_t> extents{records};
        for (int k = 1; k < s.rank; ++k) extents.push_back(static_cast<std::size_t>(s[k]));
        x.push_back(Array<T>::from_shape(extents));
        const int ids = model.records.ids[i].rows;
        for (T& each : x.back())
            each = ids ? static_cast<T>(numbers() % static_cast<unsigned>(ids)) : static_cast<T>(uniform(-2, 2));
    }
    return x;
}

/// Of 1, 2 and 7 records; of a model with states three times as many, one after the other.
template <class N, class T>
void examine(const std::string& name, Model<N, T> model, const OnnxOptions& options = {}) {
    stir(model);
    export_onnx(model, folder + "/" + name + ".onnx", options);
    const bool goes_on = model.records.states.size() > 0;
    Cases<T> cases;
    for (const std::size_t records : {1u, 2u, 7u}) {
        const std::vector<Array<T>> x = some_inputs(model, goes_on ? 3 : records);
        cases.add(x, all_predicted(model, x));
    }
    cases.write(folder + "/" + name + ".json");
    std::printf("%s\n", name.c_str());
}
void examine(const std::string& name, const Layers& layers, const OnnxOptions& options = {}) {
    try {
        examine(name, Model<DynamicNetwork>(network(layers), 7), options);
    } catch (const std::exception& e) { std::printf("%s: %s\n", name.c_str(), e.what()); }
}

// Networks that are constants.
constexpr auto body = Conv2D(4, 3, relu, {.padding = same}) + MaxPool(2) + Dense(6, tanh);
struct Images : Network<Input(8, 8) + body + Costs(Dense(3) + SoftmaxCE(), named("size", Dense(1) + SquaredDiff()))> {};
struct Letters : Network<Input(5) + Embedding(9, 4) + GRU(6, {.stateful = true}) + Linear(9) + SoftmaxCE()> {};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return std::fprintf(stderr, "onnx_program: expected a folder\n"), 2;
    folder = argv[1];

    // ---- dense layers and activations ----
    const std::pair<const char*, Tensor (*)(Tensor)> activations[] = {{"identity", identity},
                                                                      {"relu", relu},
                                                                      {"sigmoid", sigmoid},
                                                                      {"tanh", tanh},
                                                                      {"softplus", softplus},
                                                                      {"softmax", softmax},
                                                                      {"gelu", gelu},
                                                                      {"leaky_relu", leaky_relu},
                                                                      {"elu", elu},
                                                                      {"selu", selu},
                                                                      {"silu", silu},
                                                                      {"mish", mish},
                                                                      {"softsign", softsign},
                                                                      {"relu6", relu6},
                                                                      {"hard_tanh", hard_tanh},
                                                                      {"hard_sigmoid", hard_sigmoid},
                                                                      {"hard_swish", hard_swish},
                                                                      {"exp", exp},
                                                                      {"sin", sin},
                                                                      {"cos", cos},
                                                                      {"square", square},
                                                                      {"abs", abs}};
    for (const auto& [name, f] : activations)
        examine(sentence("dense_", name), Input(5) + Dense(6, f) + Dense(3) + MeanSquaredError());
    examine("dense_of_images", Input(4, 3) + Dense(6, relu) + Dense(2, {.bias = false}) + SquaredDiff());
    examine("linear_of_rows", Input(4, 3) + Linear(6, tanh) + Linear(2) + SquaredDiff());
    examine("elementwise", Input(4, 3) + Elementwise(tanh) + Elementwise() + SquaredDiff());
    examine("prelu", Input(4, 3) + PReLU() + PReLU({.each_feature = true}) + SquaredDiff());
    examine("dropouts", Input(6) + Dense(6, relu) + Dropout(0.5) + AlphaDropout(0.1) + GaussianDropout(0.2) +
                            GaussianNoise(0.1) + Dense(2) + SquaredDiff());
    examine("repeated", Input(6) + 3 * Dense(6, tanh) + Dense(2) + SquaredDiff());
    examine("weights_beside", Input(20) + Dense(50, relu) + Dense(30, relu) + Dense(3) + SoftmaxCE(),
            {.weights_beside = true});

    // ---- normalizations ----
    examine("batch_norm",
            Input(6) + Dense(5) + BatchNorm() + Dense(4, relu) + BatchNorm({.affine = false}) + SquaredDiff());
    examine("batch_norm_of_images", Input(6, 5, 3) + BatchNorm() + Conv2D(4, 3) + BatchNorm() + SquaredDiff());
    examine("batch_norm_of_sequences", Input(6, 5) + BatchNorm() + SquaredDiff());
    examine("layer_norm",
            Input(4, 6) + LayerNorm() + LayerNorm({.axes = 2}) + LayerNorm({.affine = false}) + SquaredDiff());
    examine("rms_norm", Input(4, 6) + RMSNorm() + RMSNorm({.affine = false}) + SquaredDiff());
    examine("group_norm", Input(4, 4, 6) + GroupNorm(3) + GroupNorm(2, {.affine = false}) + SquaredDiff());
    examine("instance_norm", Input(4, 4, 6) + InstanceNorm() + SquaredDiff());

    // ---- images ----
    examine("lenet", Input(28, 28) + Conv2D(6, 5, relu) + MaxPool(2) + Conv2D(8, 5, relu) + MaxPool(2) +
                         Dense(20, relu) + Dense(10) + SoftmaxCE());
    examine("conv2d", Input(9, 8, 3) + Conv2D(4, {3, 2}, relu, {.stride = 2}) + SquaredDiff());
    examine("conv2d_same", Input(9, 8, 4) + Conv2D(6, 3, relu, {.padding = same, .groups = 2}) +
                               Conv2D(5, 3, {.padding = same, .dilation = 2, .bias = false}) + SquaredDiff());
    examine("depthwise_conv2d",
            Input(7, 7, 4) + DepthwiseConv2D(3, relu, {.padding = same}) + Conv2D(3, 1) + SquaredDiff());
    examine("conv1d", Input(12, 3) + Conv1D(4, 3, relu) + Conv1D(5, 3, {.stride = 2, .padding = same}) + MaxPool(2) +
                          Flatten() + Dense(2) + SquaredDiff());
    examine("conv1d_of_numbers", Input(12) + Conv1D(4, 3, relu) + GlobalMaxPool() + Dense(2) + SquaredDiff());
    examine("conv3d", Input(5, 6, 7, 2) + Conv3D(4, 3, relu, {.padding = same}) + Conv3D(3, {2, 3, 3}, {.stride = 2}) +
                          SquaredDiff());
    examine("conv3d_groups", Input(7, 5, 6, 4) +
                                 Conv3D(4, {3, 2, 2}, {.stride = {2, 1, 1}, .dilation = {2, 1, 2}, .groups = 2}) +
                                 Conv3D(2, {1, 2, 2}, tanh, {.padding = 1, .bias = false}) + SquaredDiff());
    examine("conv_transpose2d", Input(4, 5, 3) + ConvTranspose2D(4, 4, relu, {.stride = 2, .padding = same}) +
                                    ConvTranspose2D(2, 3) + SquaredDiff());
    examine("conv_transpose2d_groups",
            Input(4, 5, 4) + ConvTranspose2D(6, 3, {.stride = 2, .groups = 2}) + SquaredDiff());
    examine("conv_transpose2d_by_channel",
            Input(4, 5, 4) + ConvTranspose2D(4, 3, {.stride = 2, .groups = 4}) + SquaredDiff());
    examine("conv_transpose1d",
            Input(6, 3) + ConvTranspose1D(4, 4, relu, {.stride = 2, .padding = same}) + SquaredDiff());
    examine("max_pool", Input(7, 8, 3) + MaxPool(3, {.stride = 2, .padding = same}) + MaxPool({1, 2}) + SquaredDiff());
    examine("average_pool",
            Input(7, 8, 3) + AveragePool(3, {.stride = 2, .padding = same}) + AveragePool({1, 2}) + SquaredDiff());
    examine("average_pool_of_sequences", Input(8, 3) + AveragePool(2) + SquaredDiff());
    examine("global_pools", Input(6, 6, 3) + Conv2D(4, 3, relu) + Concatenate(GlobalAveragePool(), GlobalMaxPool()) +
                                Dense(2) + SquaredDiff());
    examine("global_pools_of_sequences",
            Input(6, 3) + Concatenate(GlobalAveragePool(), GlobalMaxPool()) + Dense(2) + SquaredDiff());
    examine("upsample",
            Input(3, 4, 2) + Upsample(2) + Conv2D(3, 3) + Upsample({1, 3}, Interpolation::bilinear) + SquaredDiff());
    examine("upsample_of_sequences", Input(4, 2) + Upsample(3, Interpolation::bilinear) + Upsample(2) + SquaredDiff());
    const auto block =
        Conv2D(4, 3, relu, {.padding = same}) + BatchNorm() + Conv2D(4, 3, {.padding = same}) + BatchNorm();
    examine("resnet", Input(8, 8, 3) + Conv2D(4, 3, relu, {.padding = same}) + 2 * Residual(block) +
                          GlobalAveragePool() + Dense(5) + SoftmaxCE());
    examine("squeeze_and_excite",
            Input(6, 6, 4) + Conv2D(4, 3, relu, {.padding = same}) +
                Multiply(skip, GlobalAveragePool() + Dense(2, relu) + Dense(4, sigmoid) + Reshape(1, 1, 4)) +
                Flatten() + Dense(2) + SquaredDiff());
    examine("image_norms", Input(9, 9, 4) + Conv2D(4, 3) + LayerNorm() + PReLU({.each_feature = true}) + GroupNorm(2) +
                               Conv2D(3, 3, tanh) + InstanceNorm() + SquaredDiff());

    // ---- movement and branches ----
    examine("reshape_permute",
            Input(4, 6) + Permute(2, 1) + Reshape(2, 3, 4) + Permute(3, 1, 2) + Flatten() + Dense(3) + SquaredDiff());
    examine("add", Input(4) + Add(Dense(3), Dense(3, relu)) + Average(Dense(3), skip) + SquaredDiff());
    examine("concatenate", Input(4, 2) + Concatenate(Linear(3), skip) +
                               Concatenate(axis(1), Linear(2), Linear(2, relu)) + SquaredDiff());
    examine("multiply", Input(4) + Multiply(Dense(3, sigmoid), Dense(3)) + SquaredDiff());
    examine("two_inputs", (Input(4, 4) & named("side", Input(3))) + Parallel(Dense(5, relu), skip) + Concatenate() +
                              Dense(2) + SoftmaxCE());
    examine("three_inputs", (Input(4) & Input(4) & Input(4)) + Add() + Dense(2) + SquaredDiff());
    examine("shared", (Input(5) & Input(5)) +
                          Parallel(shared("tower", Dense(4, tanh)), shared("tower", Dense(4, tanh))) + Concatenate() +
                          Dense(2) + SquaredDiff());
    examine("costs", Input(6) + Dense(5, relu) +
                         Costs(Dense(3) + SoftmaxCE(), loss_weight(0.3, named("price", Dense(1) + SquaredDiff())),
                               Dense(1) + BinaryCE()));
    examine("names", Input(6) + named("hidden", Dense(5, relu)) + named("tower", 2 * Dense(4)) + Dense(1) +
                         named("price", SquaredDiff()));

    // ---- sequences ----
    examine("embedding", Input(7) + Embedding(11, 4) + Flatten() + Dense(3) + SoftmaxCE());
    examine("positions", Input(7) + Embedding(11, 6) + SinusoidalPositions() + LearnedPositions() + RotaryPositions() +
                             Flatten() + Dense(3) + SoftmaxCE());
    examine("attention", Input(5, 6) + Attention(2) + SquaredDiff());
    examine("attention_causal", Input(5, 8) + Attention(2, {.causal = true, .rotary = true}) + SquaredDiff());
    examine("transformer", Input(6) + Embedding(11, 8) + SinusoidalPositions() + 2 * TransformerBlock(2, 16) +
                               LayerNorm() + Linear(11) + SoftmaxCE());
    examine("transformer_post_norm",
            Input(5, 8) +
                TransformerBlock(4, 16, relu, {.causal = true, .dropout = 0.1, .pre_norm = false, .bias = false}) +
                SquaredDiff());
    examine("recurrent", Input(5, 3) + Recurrent(4) + SquaredDiff());
    examine("recurrent_last", Input(5, 3) + Recurrent(4, relu, {.last = true, .backwards = true, .bias = false}) +
                                  Dense(2) + SquaredDiff());
    examine("lstm", Input(5, 3) + LSTM(4) + LSTM(3, {.last = true}) + Dense(2) + SquaredDiff());
    examine("gru", Input(5, 3) + GRU(4) + GRU(3, {.last = true, .bias = false}) + Dense(2) + SquaredDiff());
    examine("bidirectional", Input(5, 3) + Bidirectional(LSTM(4)) + Bidirectional(GRU(3)) +
                                 Bidirectional(Recurrent(2, {.last = true})) + Dense(2) + SquaredDiff());
    examine("stateful", Input(4, 3) + LSTM(4, {.stateful = true}) + GRU(3, {.stateful = true}) +
                            Recurrent(2, {.last = true, .stateful = true}) + SquaredDiff());
    examine("shared_recurrent", (Input(4, 3) & Input(4, 3)) +
                                    Parallel(shared("tower", LSTM(3)), shared("tower", LSTM(3))) + Add() +
                                    SquaredDiff());
    examine("stateful_backwards", Input(4, 3) + LSTM(4, {.backwards = true, .bias = false, .stateful = true}) +
                                      GRU(3, {.last = true, .backwards = true, .stateful = true}) + SquaredDiff());
    const auto masked = (Input(5, 4) & Input(5)) + Parallel(skip, [](auto mask) { return mask > -1.0; });
    examine("masked_gru", masked + [](auto x, auto mask) { return layer(GRU(4), x, mask); } + SquaredDiff());
    examine(
        "masked_lstm",
        masked + [](auto x, auto mask) { return layer(LSTM(4, {.last = true}), x, mask); } + SquaredDiff());
    examine(
        "masked_attention", masked + [](auto x, auto mask) { return layer(Attention(2), x, mask); } + SquaredDiff());
    examine("character_lstm", Input(6) + Embedding(9, 5) + LSTM(6) + Linear(9) + SoftmaxCE());
    examine("remembered", Input(1, 8) + Attention(2, {.causal = true, .rotary = true, .remember = 2}) + SquaredDiff());
    examine("remembered_block", Input(1) + Embedding(9, 8) + TransformerBlock(2, 16, {.causal = true, .remember = 4}) +
                                    Linear(9) + SoftmaxCE());
    examine("ctc", Input(6, 4) + Bidirectional(GRU(5)) + Linear(4) + CTC(2));

    // ---- losses, each of which predicts in its way ----
    const auto head = Input(6) + Dense(5, relu) + Dense(4);
    examine("absolute_error", head + AbsoluteError());
    examine("binary_ce", head + BinaryCE());
    examine("cosine_loss", head + CosineLoss());
    examine("half_squared", head + HalfSquared());
    examine("hinge", head + Hinge());
    examine("huber", head + Huber());
    examine("kl_divergence", head + KLDivergence());
    examine("multiclass_hinge", head + MulticlassHinge());
    examine("nll", head + NLL());
    examine("softmax_distribution_ce", head + SoftmaxDistributionCE());
    examine("weighted_softmax_ce", head + SoftmaxCE().weighted(1, 2, 3, 4));

    // ---- networks that are constants, and models of doubles ----
    examine("constant_images", Model<Images>(5));
    examine("constant_letters", Model<Letters>(5));
    const auto wide = Input(4, 6) + LayerNorm() + LSTM(5, {.last = true}) + Dense(4, relu) + Dense(3) + SoftmaxCE();
    examine("doubles", Model<DynamicNetwork, double>(network(wide), 5));

    // ---- functions over tensors ----
    const auto f = [](const char* name, auto function, int a = 4, int b = 6) {
        examine(sentence("f_", name), Input(a, b) + function + SquaredDiff());
    };
    f("arithmetic",
      [](auto x) { return (x + 1.5) * x - x / (abs(x) + 1.0) + pow(abs(x), 1.7) + max(x, -x) - min(x, x * x); });
    f("functions", [](auto x) {
        return log(abs(x) + 0.1) + log1p(abs(x)) + expm1(x) + sqrt(abs(x)) + rsqrt(abs(x) + 1.0) + erf(x);
    });
    f("tiny", [](auto x) { return log1p(x * 1e-6) + expm1(x * 1e-6); });
    f("trigonometry", [](auto x) { return tan(x * 0.5) + asin(x * 0.4) + acos(x * 0.4) + atan(x); });
    f("steps",
      [](auto x) { return floor(x) + round(x * 3.0) + sign(x) + mod(x, 0.7) + mod(x, -0.7) + mod(-x, x + 3.0); });
    f("comparisons",
      [](auto x) { return where(x < 0.3, x * 2.0, 1.0) + (x <= 0.0) + equal(round(x), 1.0) + where(x, 1.0, x); });
    f("reductions", [](auto x) {
        return x + sum(x, axis(2), keep) + max(x, axis(1), keep) - min(x, axes(1, 2), keep) +
               mean(x, axes(1, 2), keep) + variance(x, axis(-1), keep);
    });
    f("logsumexp", [](auto x) { return logsumexp(x, axis(1)) + reshape(norm(x, axis(1)), {batch, 6}); });
    f("log_softmax", [](auto x) { return log_softmax(x, axis(1)) + softmax(x, axis(1)); });
    f("argmax", [](auto x) { return one_hot(argmax(x, axis(2)), 6) + reshape(argmin(x, axis(1)), {batch, 1, 6}); });
    f("batch_mean", [](auto x) { return x - mean(x, axis(0), keep) + reshape(sum(x), {1, 1, 1}); });
    f("pads",
      [](auto x) { return pad(pad(pad(x, axis(1), 1, 2), axis(2), 2, 2, PadMode::reflect), axis(1), 1, 1, 3.0); });
    f("slices", [](auto x) { return concatenate(axis(2), slice(x, axis(2), 1, 4), slice(x, axis(2), 0, 2)); });
    f("dots", [](auto x) { return x * mean(dot(transpose(reshape(x, {batch, 24})), reshape(x, {batch, 24}))); });
    f("products", [](auto x) { return dot(x, permute(x, {0, 2, 1})); });
    f("einsum", [](auto x) { return einsum("bij,bkj->bik", x, x); });
    f("sums", [](auto x) { return cumsum(x, axis(2)) + cumsum(x, axis(1), {.exclusive = true, .reverse = true}); });
    f("products_along", [](auto x) { return cumprod(x, axis(2)); });
    f("recurrence", [](auto x) {
        return linear_recurrence(sigmoid(x), x, axis(1)) +
               linear_recurrence(0.5 + 0.0 * slice(x, axis(1), 0, 1), x, axis(2));
    });
    f("sorted", [](auto x) { return sort(x, axis(2)) + sort(x, axis(1), SortOrder::descending) + argsort(x); });
    f("top_k", [](auto x) { return top_k(x, 3).values + top_k(x, 3).indices; });
    f(
        "determinants",
        [](auto x) { return reshape(determinant(x) + slogdet(x).sign + slogdet(x).logarithm, {batch, 1}); }, 3, 3);
    f("solve", [](auto x) { return solve(x, x); }, 3, 3);
    f("batch_share", [](auto x) { return x * mean(sum(x, axes(1, 2))); });
    f("constant", [](auto x) { return filled(x, 2.5, {batch, 3}); });
    f("scan", [](auto x) {
        return scan(x, filled(x, 0, {batch, 6}), [](Tensor now, Tensor h) { return h * 0.5 + softmax(now); });
    });
    f("windows", [](auto x) { return max_pool(reshape(x, {batch, 4, 6, 1}), {{3, 3}, {2, 2}, {1, 1}}, 1, 1); });
}
