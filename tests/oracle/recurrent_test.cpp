// SPDX-License-Identifier: BSL-1.0
// Recurrent layers here and in libtorch, in double: outputs, gradients, ten steps of gradient descent.
#include <sigma/execution/inspect.hpp>
#include <sigma/execution/step.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/recurrent.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
#include <sigma/optimizer/gradient_descent.hpp>

#include <torch/torch.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <support/direct_step.hpp>
#include <vector>

namespace {

using namespace sigma;

constexpr int time_ = 6, features = 3, units = 5, outputs = 2;
constexpr std::int64_t records = 7;
constexpr double rate = 0.05;

struct Recurrence : Network<Input(time_, features) + Recurrent(units) + Linear(outputs) + SquaredDiff()> {};
struct Memory : Network<Input(time_, features) + LSTM(units) + Linear(outputs) + SquaredDiff()> {};
struct Gates : Network<Input(time_, features) + GRU(units) + Linear(outputs) + SquaredDiff()> {};
struct BothWays : Network<Input(time_, features) + Bidirectional(LSTM(units)) + Linear(outputs) + SquaredDiff()> {};

template <class V>
torch::Tensor tensor(const V& view) {
    std::vector<std::int64_t> extents(view.shape().begin(), view.shape().end());
    const torch::Tensor t = torch::empty(extents, torch::kDouble);
    std::copy(view.begin(), view.end(), t.data_ptr<double>());
    return t;
}
double difference(const torch::Tensor& a, const torch::Tensor& b) { return (a - b).abs().max().item<double>(); }

/// A parameter of libtorch's as one of ours. They keep matrices as (out, in); of their second biases only those of a
/// GRU's candidate exist here, the others are held at zero.
struct Peers {
    std::vector<torch::Tensor> parameters;
    /// What ours number `i` corresponds to, from what `f` makes of theirs: itself or its gradient.
    template <class F>
    std::vector<torch::Tensor> as_ours(F f, bool has_candidate) const {
        std::vector<torch::Tensor> all;
        for (std::size_t i = 0; i < parameters.size(); i += i + 2 == parameters.size() ? 2 : 4) {
            const bool linear = i + 2 == parameters.size();
            all.push_back(f(parameters[i]).t());
            all.push_back(linear ? f(parameters[i + 1]) : f(parameters[i + 1]).t());
            if (linear) continue;
            all.push_back(f(parameters[i + 2]));
            if (has_candidate) all.push_back(f(parameters[i + 3]).slice(0, 2 * units));
        }
        return all;
    }
};

/// Everything that can differ, at its greatest.
struct Differences {
    double output = 0, loss = 0, gradient = 0, parameter = 0;
};

template <class N, class Peer>
Differences compare(Peer peer) {
    constexpr bool has_candidate = std::is_same_v<N, Gates>;
    torch::nn::Linear linear(std::is_same_v<N, BothWays> ? 2 * units : units, outputs);
    peer->to(torch::kDouble);
    linear->to(torch::kDouble);
    Peers peers{peer->parameters()};
    for (const torch::Tensor& p : linear->parameters()) peers.parameters.push_back(p);

    Model<N, double> model(3);
    const auto itself = [](const torch::Tensor& t) { return t; };
    {
        const torch::NoGradGuard guard;
        for (torch::Tensor& p : peers.parameters) p.zero_();
        const auto theirs = peers.as_ours(itself, has_candidate);  // windows on their memory
        REQUIRE(static_cast<int>(theirs.size()) == model.parameter_count);
        for (int i = 0; i < model.parameter_count; ++i) {
            auto w = model.parameter(i);
            for (double& v : w) v += 0.1;  // biases too are not zero
            theirs[static_cast<std::size_t>(i)].copy_(tensor(w));
        }
    }
    std::vector<double> x(records * time_ * features), y(records * time_ * outputs);
    Philox(1).fill_normal(std::span(x));
    Philox(2).fill_normal(std::span(y));
    const auto tx = torch::from_blob(x.data(), {records, time_, features}, torch::kDouble);
    const auto ty = torch::from_blob(y.data(), {records, time_, outputs}, torch::kDouble);

    Differences worst;
    Inspection<N, double> look(model);
    sigma::test::DirectStep<N, GradientDescent, double> step(model);
    for (std::uint64_t t = 1; t <= 10; ++t) {
        for (torch::Tensor& p : peers.parameters) p.mutable_grad() = torch::Tensor();
        const torch::Tensor states = std::get<0>(peer->forward(tx));
        const torch::Tensor loss = (linear->forward(states) - ty).square().sum() / records;
        loss.backward();
        if (t == 1) {
            look.run(x.data(), y.data(), records);
            worst.output = difference(tensor(look.output(1)), states.detach());
            const auto gradients = peers.as_ours([](const torch::Tensor& p) { return p.grad(); }, has_candidate);
            for (int i = 0; i < model.parameter_count; ++i)
                worst.gradient = std::max(worst.gradient,
                                          difference(tensor(look.gradient(i)), gradients[static_cast<std::size_t>(i)]));
        }
        const double mine = step({.learning_rate = rate}, t, x.data(), y.data(), records);
        worst.loss = std::max(worst.loss, std::abs(mine - loss.item<double>()));
        const torch::NoGradGuard guard;
        const auto theirs = peers.as_ours(itself, has_candidate);
        const auto gradients = peers.as_ours([](const torch::Tensor& p) { return p.grad(); }, has_candidate);
        for (std::size_t i = 0; i < theirs.size(); ++i) theirs[i].sub_(rate * gradients[i]);
    }
    const auto theirs = peers.as_ours(itself, has_candidate);
    for (int i = 0; i < model.parameter_count; ++i)
        worst.parameter = std::max(
            worst.parameter, difference(tensor(model.parameter(i)), theirs[static_cast<std::size_t>(i)].detach()));
    return worst;
}
/// Sums run in different orders, which ten steps do not amplify beyond this.
void examine(const Differences& d) {
    CHECK(d.output < 1e-13);
    CHECK(d.gradient < 1e-12);
    CHECK(d.loss < 1e-11);
    CHECK(d.parameter < 1e-11);
}

TEST_CASE("recurrent layers agree with libtorch", "[oracle]") {
    examine(compare<Recurrence>(torch::nn::RNN(torch::nn::RNNOptions(features, units).batch_first(true))));
    examine(compare<Memory>(torch::nn::LSTM(torch::nn::LSTMOptions(features, units).batch_first(true))));
    examine(compare<Gates>(torch::nn::GRU(torch::nn::GRUOptions(features, units).batch_first(true))));
    examine(compare<BothWays>(
        torch::nn::LSTM(torch::nn::LSTMOptions(features, units).batch_first(true).bidirectional(true))));
}

}  // namespace
