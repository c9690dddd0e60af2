// SPDX-License-Identifier: BSL-1.0
#include <sigma/exchange/formula.hpp>
#include <sigma/sigma.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace sigma;

namespace {

struct Iris : Network<Input(4) + Dense(12, relu) + Dense(3) + SoftmaxCE()> {};

/// A layer of a user's, with an operation order that nobody has told the printer of.
struct Radial : Layer {
    static constexpr Text kind = "radial";
    constexpr Tensor forward(Context& context, Tensor x) const {
        const Tensor centres = parameter(context, {5, x.shape().last()}, "centres");
        return exp(-sum(square(reshape(x, {batch, 1, x.shape().last()}) - centres), axis(2)));
    }
};

/// Are braces, parentheses and brackets closed in order, and environments ended?
bool balanced(const std::string& latex) {
    std::string open;
    for (const char c : latex) {
        const std::size_t closing = std::string_view("}])").find(c);
        if (std::string_view("{[(").find(c) != std::string_view::npos) open += c;
        else if (closing != std::string_view::npos) {
            if (open.empty() || open.back() != "{[("[closing]) return false;
            open.pop_back();
        }
    }
    return open.empty();
}

}  // namespace

TEST_CASE("a formula has a line for each layer, its shapes, predictions and loss") {
    const std::string wanted =
        "0-input       x                                                 (4)\n"
        "1-dense       h1 = relu(x · W1 + b1)                            (12), W1 (4, 12), b1 (12)\n"
        "2-dense       h2 = h1 · W2 + b2                                 (3), W2 (12, 3), b2 (3)\n"
        "3-softmax_ce  z1 = h2 − max_i(h2)                               (3)\n"
        "              z2 = log(sum_i(exp(z1))) − sum_i([y = i − 1] z1)  (1)\n"
        "              ŷ = softmax(h2)                                   (3)\n"
        "              loss = mean_n(z2)\n";
    CHECK(formula(Model<Iris>()) == wanted);
    CHECK(formula(Iris{}) == wanted);
    CHECK(formula(network(Input(4) + Dense(12, relu) + Dense(3) + SoftmaxCE())) == wanted);
}

TEST_CASE("a formula in LaTeX is an align* whose rows say shapes behind") {
    CHECK(formula(Model<Iris>(), Formula::latex) ==
          "\\begin{align*}\n"
          "  & x && x \\in \\mathbb{R}^{4} \\\\\n"
          "  h_{1} &= \\operatorname{relu}(x \\cdot W_{1} + b_{1}) && h_{1} \\in \\mathbb{R}^{12},\\; W_{1} \\in "
          "\\mathbb{R}^{4 \\times 12},\\; b_{1} \\in \\mathbb{R}^{12} \\\\\n"
          "  h_{2} &= h_{1} \\cdot W_{2} + b_{2} && h_{2} \\in \\mathbb{R}^{3},\\; W_{2} \\in \\mathbb{R}^{12 \\times "
          "3},\\; "
          "b_{2} \\in \\mathbb{R}^{3} \\\\\n"
          "  z_{1} &= h_{2} - \\max_{i} h_{2} && z_{1} \\in \\mathbb{R}^{3} \\\\\n"
          "  z_{2} &= \\operatorname{log}(\\sum_{i} e^{z_{1}}) - \\sum_{i} [y = i - 1] \\, z_{1} && z_{2} \\in "
          "\\mathbb{R}^{1} \\\\\n"
          "  \\hat{y} &= \\operatorname{softmax}(h_{2}) && \\hat{y} \\in \\mathbb{R}^{3} \\\\\n"
          "  \\ell &= \\operatorname{mean}_{n}(z_{2})\n"
          "\\end{align*}\n");
}

TEST_CASE("a recurrent layer is a loop with the equations of its gates") {
    CHECK(formula(network(Input(7, 3) + LSTM(5, {.last = true}) + Dense(2) + SquaredDiff())) ==
          "0-input         x                                            (7, 3)\n"
          "1-lstm          z1 = x · W1 + b1                             (7, 20), W1 (3, 20), b1 (20)\n"
          "                for t = 1 … 7:                               s1(0) = 0, c1(0) = 0\n"
          "                  z2(t) = s1(t−1) · U1                       U1 (5, 20)\n"
          "                  z3(t) = σ(z1(t)[1…5] + z2(t)[1…5])\n"
          "                  z4(t) = σ(z1(t)[6…10] + z2(t)[6…10])\n"
          "                  z5(t) = tanh(z1(t)[11…15] + z2(t)[11…15])\n"
          "                  z6(t) = σ(z1(t)[16…20] + z2(t)[16…20])\n"
          "                  c1(t) = c1(t−1) ∘ z4(t) + z3(t) ∘ z5(t)    (5)\n"
          "                  s1(t) = z6(t) ∘ tanh(c1(t))                (5)\n"
          "                h1 = s1[7, :]                                (5)\n"
          "2-dense         h2 = h1 · W2 + b2                            (2), W2 (5, 2), b2 (2)\n"
          "3-squared_diff  ŷ = h2                                       (2)\n"
          "                loss = mean_n sum_i((h2 − y)²)\n");
}

TEST_CASE("layers and functions of a user's, graphs, images and several costs print as well") {
    const auto lines = [](const auto& net) { return formula(net); };
    CHECK(lines(network(Input(4) + Radial() + Dense(1) + MeanSquaredError())) ==
          "0-input               x                                   (4)\n"
          "1-radial              h1 = exp(−sum_j((x − centres_1)²))  (5), centres_1 (5, 4)\n"
          "2-dense               h2 = h1 · W2 + b2                   (1), W2 (5, 1), b2 (1)\n"
          "3-mean_squared_error  ŷ = h2                              (1)\n"
          "                      loss = mean_n((h2 − y)²)\n");
    CHECK(lines(network(Input(8, 8, 3) + Conv2D(4, 3, relu, {.stride = 2}) + MaxPool(2) + BatchNorm() + Dense(1) +
                        SquaredDiff())) ==
          "0-input         x                                            (8, 8, 3)\n"
          "1-conv2d        h1 = relu(x ∗[stride 2] W1 + b1)             (3, 3, 4), W1 (3, 3, 3, 4), b1 (4)\n"
          "2-max_pool      h2 = maxpool_2×2(h1)                         (1, 1, 4)\n"
          "3-batch_norm    h3 = (h2 − μ3) / sqrt(v3 + 1e-05) ∘ γ3 + β3  (1, 1, 4), μ3 (4), v3 (4), γ3 (4), β3 (4)\n"
          "4-dense         h4 = h3 · W4 + b4                            (1), W4 (4, 1), b4 (1)\n"
          "5-squared_diff  ŷ = h4                                       (1)\n"
          "                loss = mean_n((h4 − y)²)\n");
    CHECK(lines(network((Input(3) & Input(2)) + Parallel(Dense(4, tanh), Dense(4, gelu)) + Multiply() +
                        [](Tensor x) { return 0.5 * x + 1.0; } +
                        Costs(Dense(1) + SquaredDiff(), named("price", Dense(2) + MeanSquaredError())))) ==
          "0-input         x1                           (3)\n"
          "1-input         x2                           (2)\n"
          "2-dense         h2 = tanh(x1 · W2 + b2)      (4), W2 (3, 4), b2 (4)\n"
          "3-dense         h3 = gelu(x2 · W3 + b3)      (4), W3 (2, 4), b3 (4)\n"
          "4-multiply      h4 = h2 ∘ h3                 (4)\n"
          "5-lambda        h5 = 0.5 h4 + 1              (4)\n"
          "6-dense         h6 = h5 · W6 + b6            (1), W6 (4, 1), b6 (1)\n"
          "price/1-dense   h7 = h5 · W7 + b7            (2), W7 (4, 2), b7 (2)\n"
          "8-squared_diff  ŷ1 = h6                      (1)\n"
          "price           ŷ2 = h7                      (2)\n"
          "8-squared_diff  loss1 = mean_n((h6 − y1)²)\n"
          "price           loss2 = mean_ni((h7 − y2)²)\n");
}

TEST_CASE("functions are known by what they trace, whatever they are of") {
    const auto of = [](detail::Activation activation) {
        const std::string text = formula(network(Input(3) + Dense(4, activation) + SquaredDiff()));
        const std::size_t at = text.find("h1 = ") + 5;
        return text.substr(at, text.find(" · ") - at - 1);
    };
    CHECK(of(softmax) == "softmax(");
    CHECK(of(softplus) == "softplus(");
    CHECK(of(gelu) == "gelu(");
    CHECK(of(elu) == "elu(");
    CHECK(of(selu) == "selu(");
    CHECK(of(silu) == "silu(");
    CHECK(of(mish) == "mish(");
    CHECK(of(leaky_relu) == "leaky_relu(");
    CHECK(of(relu6) == "relu6(");
    CHECK(of(hard_tanh) == "hard_tanh(");
    CHECK(of(hard_sigmoid) == "hard_sigmoid(");
    CHECK(of(softsign) == "softsign(");
    CHECK(of(sigmoid) == "σ(");
}

TEST_CASE("LaTeX is balanced, of every kind of layer, and has no character that it would read otherwise") {
    const std::vector<DynamicNetwork> networks{
        network(Input(7) + Embedding(20, 8) + SinusoidalPositions() + TransformerBlock(2, 16, relu, {.causal = true}) +
                Linear(20) + SoftmaxCE()),
        network(Input(28, 28) + Conv2D(6, 5, relu, {.padding = 2, .groups = 1}) + AveragePool(2) + GroupNorm(2) +
                ConvTranspose2D(3, 2) + InstanceNorm() + Dense(10) + SoftmaxDistributionCE()),
        network(Input(7, 3) + Bidirectional(GRU(4)) + Recurrent(3, {.stateful = true}) + named("odd_one", Linear(2)) +
                BinaryCE()),
        network(Input(6) + Elementwise() + PReLU() + Residual(Dense(6, mish)) + Concatenate(Dense(2), skip) +
                RMSNorm() + Dense(3) + Huber()),
        network(Input(6, 5, 4, 2) + Conv3D(3, 2) + Permute(4, 1, 2, 3) + Dense(2) + CosineLoss())};
    for (const DynamicNetwork& each : networks) {
        const std::string latex = formula(each, Formula::latex);
        CAPTURE(latex);
        CHECK(balanced(latex));
        CHECK(std::all_of(latex.begin(), latex.end(), [](char c) { return c >= ' ' || c == '\n'; }));
        CHECK(latex.starts_with("\\begin{align*}\n"));
        CHECK(latex.ends_with("\\end{align*}\n"));
        // Underscores are subscripts, which are followed by a brace, or escaped.
        for (std::size_t at = 0; (at = latex.find('_', at)) != latex.npos; ++at)
            CHECK((latex[at - 1] == '\\' || latex[at + 1] == '{'));
        CHECK(latex.find("copy") == latex.npos);
    }
}

TEST_CASE("a tape as a graph has each layer in a frame") {
    CHECK(tape_graphviz(Model(network(Input(4) + Dense(3, relu) + SquaredDiff()))) ==
          "digraph tape {\n"
          "  node [shape=box];\n"
          "  n0 [shape=ellipse, label=\"input\\n(batch, 4)\"];\n"
          "  subgraph cluster_1 {\n"
          "    label=\"1-dense\";\n"
          "    n1 [shape=ellipse, label=\"1-dense.weights\\n(4, 3)\"];\n"
          "    n2 [shape=ellipse, label=\"1-dense.biases\\n(3)\"];\n"
          "    n3 [label=\"dot\\n(batch, 3)\"];\n"
          "    n4 [label=\"add\\n(batch, 3)\"];\n"
          "    n5 [shape=ellipse, label=\"0\"];\n"
          "    n6 [label=\"maximum\\n(batch, 3)\"];\n"
          "  }\n"
          "  n0 -> n3;\n"
          "  n1 -> n3;\n"
          "  n2 -> n4;\n"
          "  n3 -> n4;\n"
          "  n4 -> n6;\n"
          "  n5 -> n6;\n"
          "}\n");
    const std::string loop = tape_graphviz(Model(network(Input(4, 2) + Recurrent(3) + SquaredDiff())));
    CHECK(loop.find("advance") != std::string::npos);
    CHECK(loop.find("[style=dashed]") != std::string::npos);
}
