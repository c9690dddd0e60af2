// SPDX-License-Identifier: BSL-1.0
// A network that is traced while the program runs says its mistakes in sentences: what, with which numbers, in which
// layer, and at which line of a formula of the user's.
#include <sigma/layer/attention.hpp>
#include <sigma/layer/convolution.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/embedding.hpp>
#include <sigma/layer/normalization.hpp>
#include <sigma/layer/pooling.hpp>
#include <sigma/layer/recurrent.hpp>
#include <sigma/layer/reshape.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
#include <sigma/tape/scan.hpp>

#include <catch2/catch.hpp>

#include <string>

using namespace sigma;
using Catch::Matchers::Contains;

namespace {

std::string said(const auto& expression) {
    try {
        detail::network_facts(expression);
    } catch (const MistakeError& e) { return e.what(); }
    return "nothing";
}

struct Mix : Layer {
    static constexpr Text kind = "mix";
    static constexpr int line = __LINE__ + 1;
    Tensor forward(Context& context, Tensor x) const { return tanh(dot(x, parameter(context, {8, 8}, "weights"))); }
};

}  // namespace

TEST_CASE("What is right says nothing", "[network]") {
    CHECK(said(Input(5) + Dense(8, relu) + Mix() + Dense(3) + SoftmaxCE()) == "nothing");
}

TEST_CASE("Mistakes of layers", "[network]") {
    CHECK(said(Input(4) + Dense(0) + SquaredDiff()) == "layer '1-dense': Dense: units must be positive; units 0");
    CHECK(said(Input(4, -3) + Dense(2) + SquaredDiff()) ==
          "layer '0-input': Input: extents must be positive; extents (4, -3)");
    CHECK(said(Input(8, 8, 3) + Conv2D(2, {3, -1}) + SquaredDiff()) ==
          "layer '1-conv2d': kernel sizes must be positive; sizes (3, -1)");
    CHECK(said(Input(4) + named("wide", Dense(-3)) + SquaredDiff()) ==
          "layer 'wide': Dense: units must be positive; units -3");
    CHECK_THAT(said(Input(64) + Conv2D(6, 3) + SquaredDiff()), Contains("layer '1-conv2d'") && Contains("(batch, 64)"));
    CHECK_THAT(said(Input(4, 4) + Conv2D(8, 7, relu, {.padding = 1}) + SquaredDiff()),
               Contains("(batch, 6, 6, 1)") && Contains("(7, 7, 1, 8)"));
    CHECK_THAT(said(Input(8, 6) + Attention(4) + SquaredDiff()), Contains("heads") && Contains("4") && Contains("6"));
    CHECK_THAT(said(Input(4) + Dropout(1.0) + SquaredDiff()), Contains("layer '1-dropout'") && Contains("1"));
    CHECK_THAT(said(Input(24) + LSTM(5) + SquaredDiff()), Contains("layer '1-lstm'") && Contains("(batch, 24)"));
    CHECK_THAT(said(Input(6) + Reshape(4, 2) + SquaredDiff()), Contains("layer '1-reshape'") && Contains("(4, 2)"));
    CHECK_THAT(said(Input(4) + Dense(1) + SoftmaxCE()), Contains("two classes") && Contains("(batch, 1)"));
    CHECK_THAT(said(Input(5) + Dense(7) + Mix() + SquaredDiff()),
               Contains("layer '2-mix'") && Contains("columns of x 7") && Contains("rows of w 8") &&
                   Contains(sentence("line ", Mix::line)));
}

TEST_CASE("Mistakes of graphs", "[network]") {
    CHECK(said(Dense(3) + SquaredDiff()) == "a network must start with Input");
    CHECK_THAT(said(Input(4) + Costs(Dense(3))), Contains("a branch of Costs has no loss"));
    CHECK_THAT(said(Input(4) + SquaredDiff() + Dense(3)), Contains("a loss is only allowed last"));
    CHECK_THAT(said(Input(4) + Dense(3) + Input(3) + SquaredDiff()), Contains("Input is only allowed first"));
    CHECK_THAT(said(Input(4, 0) + SquaredDiff()), Contains("(4, 0)"));
    CHECK_THAT(said(Input(4) + -2 * Dense(3) + SquaredDiff()),
               Contains("repeat count must be positive") && Contains("-2"));
    CHECK_THAT(said(Input(4) + Residual(Dense(5)) + SquaredDiff()), Contains("(batch, 5)") && Contains("(batch, 4)"));
    CHECK_THAT(said((Input(4) & Input(3)) + Dense(2) + SquaredDiff()), Contains("layer '2-dense'"));
    CHECK_THAT(said(Input(4) + named("a", Dense(3)) + named("a", Dense(3)) + SquaredDiff()), Contains("'a'"));
    CHECK_THAT(said(Input(4) + named("1-a", Dense(3)) + SquaredDiff()), Contains("'1-a'"));
    CHECK_THAT(said(Input(4) + Costs(Dense(2) + SquaredDiff(), Dense(3))), Contains("has no loss"));
    CHECK_THAT(said(Input(4) + loss_weight(-1, SquaredDiff())), Contains("loss weight") && Contains("-1"));
}

TEST_CASE("Functions of a network that is made now may capture", "[network]") {
    const double factor = 2;
    const int units = 3;
    const detail::NetworkFacts facts =
        detail::network_facts(Input(4) + [=](auto x) { return factor * layer(Dense(units), x); } + SquaredDiff());
    REQUIRE(facts.layers.size() == 3);
    CHECK(facts.layers[2].output == Shape{batch, 3});
    const int line = __LINE__ + 1;
    const auto wrong = [=](auto x) { return x + layer(Dense(units), x); };
    CHECK_THAT(said(Input(4) + wrong + SquaredDiff()), Contains("shapes do not broadcast") && Contains("(batch, 4)") &&
                                                           Contains("(batch, 3)") && Contains(sentence("line ", line)));
}
