// SPDX-License-Identifier: BSL-1.0
// What a network is must not depend on when it is traced: as a constant, by the compiler, or while the program runs,
// where compilers choose another order of operands. All nodes are the same, hence parameters and bits.
#include <sigma/execution/step.hpp>
#include <sigma/layer/weighted_records.hpp>
#include <sigma/sigma.hpp>
#include <sigma/tape/print.hpp>

#include <catch2/catch.hpp>

#include <string>

using namespace sigma;

namespace {

template <auto expression>
struct Taped : Network<expression> {};

void check_same(const detail::TracedProgram& constant, const detail::Program& now) {
    REQUIRE(now.tape.size() == constant.nodes.size());
    for (int i = 0; i < constant.nodes.size(); ++i)
        if (!(constant.nodes[i] == now.tape[i])) FAIL("node " << i << " is now " << to_text(now.tape, i));
    REQUIRE(now.outputs.size() == constant.outputs.size());
    for (int i = 0; i < constant.outputs.size(); ++i) CHECK(now.outputs[i].id == constant.outputs[i]);
    REQUIRE(now.assignments.size() == constant.assignments.size());
    for (int i = 0; i < constant.assignments.size(); ++i) CHECK(now.assignments[i].id == constant.assignments[i]);
}
template <auto expression>
void examine(const char* name) {
    INFO(name);
    using N = Taped<expression>;
    const detail::NetworkFacts facts = detail::network_facts(expression);
    CHECK(facts.fingerprint == N::records.fingerprint);
    REQUIRE(facts.parameters.size() == N::records.size.parameters);
    for (int i = 0; i < facts.parameters.size(); ++i) {
        CHECK(facts.parameters[i].name == N::records.parameters[i].name);
        CHECK(facts.parameters[i].shape == N::records.parameters[i].shape);
    }
    using Training = detail::TrainingProgram<N, Adam>;
    check_same(detail::traced_program<Training>(), Training{}());
    using Prediction = detail::NetworkProgram<N, detail::to_predict>;
    check_same(detail::traced_program<Prediction>(), Prediction{}());
}
template <auto layer, int... extents>
void check_layer(const char* name) {
    examine<Input(extents...) + layer + SquaredDiff{}>(name);
}
template <auto loss>
void check_loss(const char* name) {
    examine<Input(4) + Dense(3) + loss>(name);
}

}  // namespace

TEST_CASE("Layers are the same now", "[tape]") {
    check_layer<Dense(5, gelu) + Linear(3, [](auto x) { return x * sigmoid(x); }), 4>("dense");
    check_layer<Elementwise(mish) + PReLU() + Dropout(0.2) + GaussianNoise(0.1) + AlphaDropout(0.1), 3, 2>("noise");
    check_layer<BatchNorm() + LayerNorm() + RMSNorm() + GroupNorm(2) + InstanceNorm({.affine = true}), 3, 4>("norms");
    check_layer<Conv2D(4, 3, relu, {.padding = same}) + MaxPool(2) + Conv2D(4, 3, {.groups = 2}) + AveragePool(2), 12,
                12>("images");
    check_layer<ConvTranspose2D(3, 4, {.stride = 2, .padding = same}) + DepthwiseConv2D(3) + GlobalAveragePool(), 5, 5,
                2>("transposed");
    check_layer<Conv1D(4, 3) + GlobalMaxPool(), 6, 3>("sequences");
    check_layer<Conv3D(2, 2, relu), 4, 5, 4, 2>("volumes");
    check_layer<Upsample(2, Interpolation::bilinear) + Flatten(), 3, 4, 2>("upsample");
    check_layer<SinusoidalPositions() + LearnedPositions() + Attention(2, {.causal = true, .rotary = true}), 5, 8>(
        "attention");
    check_layer<2 * TransformerBlock(2, 12, {.causal = true, .dropout = 0.1}), 5, 8>("transformer");
    check_layer<Embedding(9, 4) + LSTM(3) + GRU(4) + Recurrent(3, {.last = true}), 6>("recurrent");
    check_layer<Bidirectional(LSTM(3, {.backwards = true, .stateful = true})), 5, 2>("both directions");
}

TEST_CASE("Losses are the same now", "[tape]") {
    check_loss<SoftmaxCE({.smoothing = 0.1, .ignore = -1})>("smoothing");
    check_loss<SoftmaxCE().weighted(1, 2, 0.5)>("weights of classes");
    check_loss<weighted_records(SoftmaxCE())>("weights of records");
    check_loss<BinaryCE{}>("binary");
    check_loss<Huber(0.5, {.reduction = Reduction::total})>("huber");
    check_loss<Hinge{}>("hinge");
    check_loss<MulticlassHinge{}>("multiclass hinge");
    check_loss<KLDivergence{}>("KL");
    check_loss<CosineLoss{}>("cosine");
    examine<Input(6, 4) + Linear(5) + CTC(2)>("CTC");
}

TEST_CASE("Graphs are the same now", "[tape]") {
    examine<Input(4) + Residual(2 * Dense(4, tanh)) + Concatenate(skip, named("wide", Dense(3))) +
            Costs(Dense(3) + SoftmaxCE(), loss_weight(0.3, named("price", Dense(1) + SquaredDiff())))>("costs");
    examine<(Input(4) & named("other", Input(4))) + Parallel(shared("tower", Dense(3)), shared("tower", Dense(3))) +
            [](auto a, auto b) {
                const auto d = layer(Dense(3, relu), abs(a - b));
                return d * a;
            } +
            frozen(Dense(2)) + SquaredDiff()>("twins");
}
