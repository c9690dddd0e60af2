// SPDX-License-Identifier: BSL-1.0
// Normalizations, attention and a transformer block here and in libtorch, in double: outputs, gradients, running
// statistics, ten steps of gradient descent.
#include <sigma/execution/step.hpp>
#include <sigma/layer/attention.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/normalization.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/layer/transformer_block.hpp>
#include <sigma/network/network.hpp>
#include <sigma/optimizer/gradient_descent.hpp>

#include <torch/torch.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <support/direct_step.hpp>
#include <vector>

namespace {

using namespace sigma;

struct Batches : Network<Input(5, 3) + Linear(4) + BatchNorm({.momentum = 0.2}) + SquaredDiff()> {};
struct LayerNorms : Network<Input(5, 3) + Linear(7) + LayerNorm() + SquaredDiff()> {};
struct Groups : Network<Input(5, 3) + Linear(6) + GroupNorm(3) + SquaredDiff()> {};
struct Heads : Network<Input(5, 6) + Attention(2) + SquaredDiff()> {};
struct CausalHeads : Network<Input(5, 6) + Attention(3, {.causal = true}) + SquaredDiff()> {};
struct Block : Network<Input(5, 8) + TransformerBlock(2, 12, relu, {.pre_norm = false}) + SquaredDiff()> {};

constexpr std::int64_t records = 7;

/// What part of one of theirs one of our parameters is; parts share memory with the whole.
struct Peer {
    torch::Tensor whole;
    std::function<torch::Tensor(torch::Tensor)> part = [](torch::Tensor t) { return t; };
    torch::Tensor value() const { return part(whole.data()); }
    torch::Tensor gradient() const { return part(whole.grad()); }
};
Peer matrix(const torch::Tensor& w) {
    return {w, [](torch::Tensor t) { return t.t(); }};
}
/// Part `i` of three: libtorch stacks queries, keys and values.
Peer third(const torch::Tensor& w, std::int64_t i, std::int64_t width) {
    return {w, [=](torch::Tensor t) {
                const auto s = t.slice(0, i * width, (i + 1) * width);
                return s.dim() == 2 ? s.t() : s;
            }};
}
template <class V>
torch::Tensor tensor(const V& view) {
    const std::vector<std::int64_t> extents(view.shape().begin(), view.shape().end());
    torch::Tensor t = torch::empty(extents, torch::kDouble);
    std::copy(view.begin(), view.end(), t.data_ptr<double>());
    return t;
}
double difference(const torch::Tensor& a, const torch::Tensor& b) { return (a - b).abs().max().item<double>(); }

/// Largest difference of ten steps' losses, of the first step's gradients and of the parameters after the last.
template <class N>
double difference(std::function<torch::Tensor(torch::Tensor)> forward, const std::vector<Peer>& peers,
                  double rate = 0.02) {
    Model<N, double> model(3);
    sigma::test::DirectStep<N, GradientDescent, double> step(model);
    REQUIRE(static_cast<std::size_t>(model.parameter_count) == peers.size());
    std::vector<double> x(static_cast<std::size_t>(N::input.count() * records)),
        y(static_cast<std::size_t>(N::target.count() * records));
    Philox(1).fill_normal(std::span(x));
    Philox(2).fill_normal(std::span(y));
    for (int i = 0; i < model.parameter_count; ++i) {  // away from ones and zeros
        auto p = model.parameter(i);
        if (!model.records.parameters[i].trained) continue;
        const Philox random(4, static_cast<std::uint64_t>(i));
        std::uint64_t k = 0;
        for (auto& v : p) v += 0.3 * random.normal<double>(k++);
        torch::NoGradGuard guard;
        peers[static_cast<std::size_t>(i)].value().copy_(tensor(p));
    }
    const auto tx = torch::from_blob(x.data(), {records, N::input[1], N::input[2]}, torch::kDouble).clone();
    const auto ty = torch::from_blob(y.data(), {records, N::target[1], N::target[2]}, torch::kDouble).clone();
    std::vector<torch::Tensor> trained;  // each once, though three of ours may be parts of it
    for (const Peer& p : peers)
        if (p.whole.requires_grad() &&
            std::none_of(trained.begin(), trained.end(), [&](const auto& t) { return t.is_same(p.whole); }))
            trained.push_back(p.whole);
    torch::optim::SGD theirs(trained, rate);
    double worst = 0;
    for (std::uint64_t number = 1; number <= 10; ++number) {
        theirs.zero_grad();
        const auto loss = (forward(tx) - ty).square().sum() / static_cast<double>(records);
        loss.backward();
        std::vector<torch::Tensor> before;
        for (int i = 0; i < model.parameter_count; ++i) before.push_back(tensor(model.parameter(i)));
        worst =
            std::max(worst, std::abs(step(GradientDescent{.learning_rate = rate}, number, x.data(), y.data(), records) -
                                     loss.template item<double>()));
        for (std::size_t i = 0; number == 1 && i < peers.size(); ++i)
            if (peers[i].whole.requires_grad())
                worst = std::max(worst, difference((before[i] - tensor(model.parameter(static_cast<int>(i)))) / rate,
                                                   peers[i].gradient()));
        theirs.step();
    }
    for (std::size_t i = 0; i < peers.size(); ++i)
        worst = std::max(worst, difference(tensor(model.parameter(static_cast<int>(i))), peers[i].value()));
    return worst;
}

/// Both sides compute in double; sums run in different orders, which ten steps do not amplify beyond this.
constexpr double tolerance = 1e-10;

std::vector<Peer> attention_peers(const torch::nn::MultiheadAttention& m, std::int64_t width) {
    std::vector<Peer> all;
    for (std::int64_t i = 0; i < 3; ++i) {
        all.push_back(third(m->in_proj_weight, i, width));
        all.push_back(third(m->in_proj_bias, i, width));
    }
    all.push_back(matrix(m->out_proj->weight));
    all.push_back({m->out_proj->bias});
    return all;
}

}  // namespace

TEST_CASE("BatchNorm agrees with libtorch, running statistics too", "[oracle]") {
    torch::nn::Linear linear(3, 4);
    torch::nn::BatchNorm1d norm(torch::nn::BatchNorm1dOptions(4).momentum(0.2));
    linear->to(torch::kDouble);
    norm->to(torch::kDouble);
    const auto forward = [&](torch::Tensor x) { return norm(linear(x).reshape({-1, 4})).reshape({-1, 5, 4}); };
    CHECK(difference<Batches>(forward, {matrix(linear->weight),
                                        {linear->bias},
                                        {norm->running_mean},
                                        {norm->running_var},
                                        {norm->weight},
                                        {norm->bias}}) < tolerance);
}
TEST_CASE("LayerNorm and GroupNorm agree with libtorch", "[oracle]") {
    torch::nn::Linear linear(3, 7), six(3, 6);
    torch::nn::LayerNorm norm(torch::nn::LayerNormOptions({7}));
    torch::nn::GroupNorm group(torch::nn::GroupNormOptions(3, 6));
    linear->to(torch::kDouble), six->to(torch::kDouble), norm->to(torch::kDouble), group->to(torch::kDouble);
    CHECK(difference<LayerNorms>([&](torch::Tensor x) { return norm(linear(x)); },
                                 {matrix(linear->weight), {linear->bias}, {norm->weight}, {norm->bias}}) < tolerance);
    CHECK(difference<Groups>([&](torch::Tensor x) { return group(six(x).transpose(1, 2)).transpose(1, 2); },
                             {matrix(six->weight), {six->bias}, {group->weight}, {group->bias}}) < tolerance);
}
TEST_CASE("Attention agrees with libtorch", "[oracle]") {
    torch::nn::MultiheadAttention two(6, 2), three(6, 3);
    two->to(torch::kDouble), three->to(torch::kDouble);
    const auto attend = [](torch::nn::MultiheadAttention m, torch::Tensor x, torch::Tensor mask) {
        const auto t = x.transpose(0, 1);
        return std::get<0>(m->forward(t, t, t, {}, true, mask)).transpose(0, 1);
    };
    CHECK(difference<Heads>([&](torch::Tensor x) { return attend(two, x, {}); }, attention_peers(two, 6)) < tolerance);
    const auto future = torch::full({5, 5}, -INFINITY, torch::kDouble).triu(1);
    CHECK(difference<CausalHeads>([&](torch::Tensor x) { return attend(three, x, future); },
                                  attention_peers(three, 6)) < tolerance);
}
TEST_CASE("A transformer block agrees with libtorch", "[oracle]") {
    torch::nn::TransformerEncoderLayer layer(
        torch::nn::TransformerEncoderLayerOptions(8, 2).dim_feedforward(12).dropout(0));
    layer->to(torch::kDouble);
    auto peers = attention_peers(layer->self_attn, 8);
    for (const Peer& p : std::vector<Peer>{{layer->norm1->weight},
                                           {layer->norm1->bias},
                                           matrix(layer->linear1->weight),
                                           {layer->linear1->bias},
                                           matrix(layer->linear2->weight),
                                           {layer->linear2->bias},
                                           {layer->norm2->weight},
                                           {layer->norm2->bias}})
        peers.push_back(p);
    CHECK(difference<Block>([&](torch::Tensor x) { return layer(x.transpose(0, 1)).transpose(0, 1); }, peers) <
          tolerance);
}
