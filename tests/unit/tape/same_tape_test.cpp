// SPDX-License-Identifier: BSL-1.0
// The order of operands is the compiler's choice, so that a tape whose nodes are made in one expression's operands has
// other numbers with g++ than with clang. Here both are held to the same tapes: those of layers, losses and optimizers
// that compute something of their own, in a training step, in all its text.
#include <sigma/execution/step.hpp>
#include <sigma/layer/weighted_records.hpp>
#include <sigma/optimizer/accumulate.hpp>
#include <sigma/optimizer/average.hpp>
#include <sigma/sigma.hpp>
#include <sigma/tape/print.hpp>

#include <catch2/catch.hpp>

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

using namespace sigma;

namespace {

/// FNV-1a (Fowler, Noll and Vo), as sixteen digits.
std::string hash_text(std::string_view text) {
    std::uint64_t hash = 14695981039346656037u;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
    return digits;
}

template <auto expression>
struct Taped : Network<expression> {};

/// Where the tape is another, the message has all of it.
void check_text(const char* name, const detail::Program& program, const char* expected) {
    const std::string text = to_text(program), found = hash_text(text);
    if (found != expected) FAIL_CHECK(name << " is " << found << ":\n" << text);
    else SUCCEED(name);
}
/// Of a training step.
template <auto expression, class O = GradientDescent>
void check_tape(const char* name, const char* expected) {
    check_text(name, detail::TrainingProgram<Taped<expression>, O>{}(), expected);
}
/// Of a layer between an input and a distance.
template <auto layer, int... extents>
void check_layer(const char* name, const char* expected) {
    check_tape<Input(extents...) + layer + SquaredDiff{}>(name, expected);
}
template <auto loss>
void check_loss_tape(const char* name, const char* expected) {
    check_tape<Input(4) + Dense(3) + loss>(name, expected);
}
template <class O>
void check_optimizer(O, const char* name, const char* expected) {
    check_tape<Input(2) + Dense(1) + SquaredDiff{}, O>(name, expected);
}

}  // namespace

TEST_CASE("Tapes of activations and of what draws are those of both compilers") {
    check_layer<Dense(3, sigmoid), 4>("sigmoid", "6f6dd01c438fcff0");
    check_layer<Dense(3, tanh), 4>("tanh", "f69a449ec466d615");
    check_layer<Dense(3, softplus), 4>("softplus", "e4a6b2d9001c5ba5");
    check_layer<Dense(3, gelu), 4>("gelu", "e07bc4d7919c7b4e");
    check_layer<Dense(3, silu), 4>("silu", "5879dd5effc20c47");
    check_layer<Dense(3, mish), 4>("mish", "1f471c983f701fa0");
    check_layer<Dense(3, elu), 4>("elu", "3ed68fb4b821f30b");
    check_layer<Dense(3, selu), 4>("selu", "1c3f027441ebb9f2");
    check_layer<PReLU{}, 4>("PReLU", "c860a1fd08aae374");
    check_layer<Dropout(0.5), 4>("Dropout", "6c0688f694fd7aeb");
    check_layer<AlphaDropout(0.5), 4>("AlphaDropout", "425ae3e44d3ccf37");
    check_layer<GaussianDropout(0.5), 4>("GaussianDropout", "c89eb65a46cb80ee");
    check_layer<GaussianNoise(0.5), 4>("GaussianNoise", "7067d1a0af3bec2b");
}

TEST_CASE("Tapes of layers that normalize are those of both compilers") {
    check_layer<BatchNorm{}, 4>("BatchNorm", "d5feb3479e52fd98");
    check_layer<BatchNorm{}, 3, 2, 4>("BatchNorm of images", "ee6823c669bedf79");
    check_layer<GroupNorm(2), 3, 4>("GroupNorm", "6b7b3a430c09c471");
    check_layer<InstanceNorm{}, 3, 4>("InstanceNorm", "462578c1c4603926");
    check_layer<LayerNorm{}, 4>("LayerNorm", "bd729032b552592a");
    check_layer<RMSNorm{}, 4>("RMSNorm", "8ecae51c81bae8fa");
    using Predicted = Taped<Input(4) + BatchNorm{} + SquaredDiff{}>;
    check_text("BatchNorm, predicting", detail::NetworkProgram<Predicted, detail::to_predict>{}(), "7c9b84a90862e469");
}

TEST_CASE("Tapes of layers of images and sequences are those of both compilers") {
    check_layer<Conv2D(2, 3), 4, 4, 2>("Conv2D", "bee1234d1ed62491");
    check_layer<Conv2D(2, 3, {.stride = 2, .padding = same}), 5, 5, 2>("Conv2D, strided", "2685eb4a4546b7cb");
    check_layer<DepthwiseConv2D(2), 4, 4, 2>("DepthwiseConv2D", "e7577546da6a1671");
    check_layer<ConvTranspose2D(2, 3), 4, 4, 2>("ConvTranspose2D", "c4a9bc6c321855ba");
    check_layer<Conv1D(2, 3), 5, 2>("Conv1D", "b1cfc9e78d067fea");
    check_layer<ConvTranspose1D(2, 3), 5, 2>("ConvTranspose1D", "fd658f7af7e0c75c");
    check_layer<Conv3D(2, 2), 3, 3, 3, 2>("Conv3D", "35ad0c505ae61746");
    check_layer<MaxPool(2), 4, 4, 2>("MaxPool", "4f5a41671e5a922b");
    check_layer<AveragePool(2), 4, 4, 2>("AveragePool", "63072d2f425bd4b0");
    check_layer<Upsample(2), 3, 3, 2>("Upsample", "fb5c4241ac0549be");
    check_layer<Upsample(2, Interpolation::bilinear), 3, 3, 2>("Upsample, bilinear", "ec2318bdaca51a94");
}

TEST_CASE("Tapes of layers over time are those of both compilers") {
    check_layer<LSTM(2), 3, 2>("LSTM", "9cc0ecfd199304c3");
    check_layer<GRU(2), 3, 2>("GRU", "ae15b9231326b718");
    check_layer<Recurrent(2), 3, 2>("Recurrent", "a125508db9772ceb");
    check_layer<Bidirectional(LSTM(2)), 3, 2>("Bidirectional", "38edfb7bdccd1284");
    check_layer<GRU(2, {.stateful = true}), 3, 2>("GRU, stateful", "508495c7e8b71206");
    check_layer<Attention(2, {.causal = true, .dropout = 0.1}), 3, 4>("Attention", "1131bbf2c1d2c087");
    check_layer<Attention(2, {.rotary = true}), 3, 4>("Attention, rotary", "32beea79858d9a53");
    check_layer<TransformerBlock(2, 4), 3, 4>("TransformerBlock", "7c150140e4a666af");
    check_layer<SinusoidalPositions{}, 3, 4>("SinusoidalPositions", "d49f8eb288c5003c");
    check_layer<LearnedPositions{}, 3, 4>("LearnedPositions", "025eb10bba4eb8a8");
    check_layer<RotaryPositions{}, 3, 4>("RotaryPositions", "878084616e960098");
    check_layer<Embedding(5, 2), 3>("Embedding", "79ce16a954a7ce93");
}

TEST_CASE("Tapes of losses are those of both compilers") {
    check_loss_tape<AbsoluteError{}>("AbsoluteError", "c0b146f5b9114c20");
    check_loss_tape<BinaryCE{}>("BinaryCE", "35af2edaf3c50715");
    check_loss_tape<CosineLoss{}>("CosineLoss", "0034f12da7d0c15b");
    check_loss_tape<Hinge{}>("Hinge", "cc5e1a12056f401c");
    check_loss_tape<Huber{}>("Huber", "4a8c7588273eed32");
    check_loss_tape<KLDivergence{}>("KLDivergence", "38b8fc1eb8f3b2c1");
    check_loss_tape<MeanSquaredError({.ignore = -1})>("MeanSquaredError", "3e1809d105545d0e");
    check_loss_tape<MulticlassHinge({.ignore = -1})>("MulticlassHinge", "39d758d19214e75d");
    check_loss_tape<NLL{}>("NLL", "67041593f6d7d644");
    check_loss_tape<SoftmaxCE({.smoothing = 0.1, .ignore = -1})>("SoftmaxCE", "cc66d9a770682336");
    check_loss_tape<SoftmaxCE().weighted(1, 2, 3)>("SoftmaxCE, weighted", "2cc1339da84ca391");
    check_loss_tape<SoftmaxDistributionCE{}>("SoftmaxDistributionCE", "e2099c1d9113a0d9");
    check_loss_tape<weighted_records(SoftmaxCE())>("weighted_records", "5b1fd66069201cd2");
    check_tape<Input(5, 3) + CTC(2)>("CTC", "d9ac90e79f59c872");
}

TEST_CASE("Tapes of optimizers are those of both compilers") {
    check_optimizer(Adadelta{}, "Adadelta", "d3306539b04211d0");
    check_optimizer(Adagrad{}, "Adagrad", "d85a4a0aa35ee84b");
    check_optimizer(Adam{}, "Adam", "43f5fcbdd01fc0ee");
    check_optimizer(AdamW{}, "AdamW", "d17474e92c373c16");
    check_optimizer(Lion{}, "Lion", "eaa518af3b8f4a2e");
    check_optimizer(Momentum{}, "Momentum", "6a21055a286aa6be");
    check_optimizer(NAdam{}, "NAdam", "ddc58d3c0bf8c5ae");
    check_optimizer(Nesterov{}, "Nesterov", "132d0876c93bbd7d");
    check_optimizer(RAdam{}, "RAdam", "0ee817e6d7cf7b10");
    check_optimizer(RMSprop{}, "RMSprop", "cf6489e7d12163fb");
    check_optimizer(ema(Adam{}), "ema", "f36f6d8243d2c927");
    check_optimizer(accumulate(Adam{}, 2), "accumulate", "65df296af73d81e9");
    check_optimizer(clip_gradient_norm(Adam{}, 1), "clip_gradient_norm", "c75ad05aad5123a9");
    check_optimizer(clip_each_gradient_norm(Adam{}, 1), "clip_each_gradient_norm", "f17e2e8886a10d96");
    check_optimizer(clip_gradients(Adam{}, 1), "clip_gradients", "a837a185a8cf103b");
    check_optimizer(l1_penalty<"*">(l2_penalty<"*.weights">(Adam{}, 0.1), 0.1), "penalties", "166cc30a4f470e40");
    check_optimizer(group<"*.biases">(AdamW{}, {.rate_factor = 2}), "group", "8400affbaeb0457c");
}

TEST_CASE("Tapes of functions and of what is made of them are those of both compilers") {
    constexpr auto functions = [](auto x) {
        const auto a = layer(Dense(3, tanh), x);
        const auto b = norm(a, axis(-1), keep);
        const auto c = standard_deviation(a, axis(-1), keep);
        const auto d = softmax(a);
        const auto e = log_softmax(a);
        const auto f = cumsum(a, axis(-1));
        const auto g = cumprod(a, axis(-1));
        const auto h = sort(a, axis(-1));
        const auto i = mod(a, 0.5);
        const auto j = erf(a);
        const auto k = pow(exp(a), c);
        const auto l = max(a, b);
        const auto all = concatenate(axis(-1), b, c, d, e, f, g, h, i, j, k);
        return concatenate(axis(-1), all, l);
    };
    check_layer<functions, 4>("functions", "0124d4f348bf8e17");
    constexpr auto matrices = [](auto x) {
        const auto square = x + einsum("bij,bkj->bik", x, x);
        const auto solved = solve(square, x);
        const auto inverted = inverse(square);
        const auto size = reshape(determinant(square), {batch, 1, 1});
        return solved + inverted * size;
    };
    check_layer<matrices, 2, 2>("matrices", "5df9d7fab32035d6");
    check_layer<Residual(Dense(4, tanh) + Dense(4)), 4>("Residual", "b9c53ad3c30c14e9");
    check_layer<Multiply(Dense(4, tanh), Dense(4, sigmoid)), 4>("Multiply", "a015340f5c070acd");
    check_layer<Average(Dense(4, tanh), Dense(4, sigmoid)), 4>("Average", "6ffd4db194313390");
    check_layer<Concatenate(Dense(4, tanh), Dense(4, sigmoid)), 4>("Concatenate", "57ceedc06e50a9e2");
}
