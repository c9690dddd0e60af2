// SPDX-License-Identifier: BSL-1.0
// Ten training steps of the same network from the same parameters, here and in libtorch, must agree.
#include <sigma/sigma.hpp>

#include <torch/torch.h>

#include <catch2/catch.hpp>

#include <support/direct_step.hpp>
#include <vector>

namespace {

using namespace sigma;

struct Classifier : Network<Input(7) + Dense(13, relu) + Dense(9, tanh) + Dense(5) + SoftmaxCE()> {};

torch::nn::Sequential torch_classifier() {
    return torch::nn::Sequential(torch::nn::Linear(7, 13), torch::nn::ReLU(), torch::nn::Linear(13, 9),
                                 torch::nn::Tanh(), torch::nn::Linear(9, 5));
}

/// Largest absolute difference of parameters and losses after ten steps in double precision.
template <class Net, class O, class TorchOptimizer>
double difference(O optimizer, torch::nn::Sequential peer, TorchOptimizer& torch_optimizer) {
    constexpr std::size_t records = 11, inputs = 7, classes = 5;
    std::vector<double> x(records * inputs), y(records);
    Philox(1).fill_normal(std::span(x));
    for (std::size_t i = 0; i < records; ++i) y[i] = static_cast<double>(i % classes);

    Model<Net, double> model(3);
    sigma::test::DirectStep<Net, O, double> step(model);
    auto parameters = peer->parameters();
    {
        torch::NoGradGuard guard;
        for (std::size_t p = 0; p < parameters.size(); ++p) {
            const auto view = model.parameter(static_cast<int>(p));
            auto mine = torch::empty(parameters[p].sizes(), torch::kDouble);
            for (std::int64_t i = 0; i < mine.numel(); ++i) {  // torch keeps weights as (out, in)
                const std::int64_t rows = mine.dim() == 2 ? mine.size(1) : 1;
                mine.data_ptr<double>()[i] = mine.dim() == 2 ? view(i % rows, i / rows) : view(i);
            }
            parameters[p].copy_(mine);
        }
    }
    const auto tx = torch::from_blob(x.data(), {records, inputs}, torch::kDouble).clone();
    const auto ty = torch::from_blob(y.data(), {records}, torch::kDouble).to(torch::kLong);
    double worst = 0;
    for (std::uint64_t t = 1; t <= 10; ++t) {
        torch_optimizer.zero_grad();
        const auto loss = torch::nn::functional::cross_entropy(peer->forward(tx), ty);
        loss.backward();
        torch_optimizer.step();
        const double mine = step(optimizer, t, x.data(), y.data(), records);
        worst = std::max(worst, std::abs(mine - loss.template item<double>()));
    }
    for (std::size_t p = 0; p < parameters.size(); ++p) {
        const auto view = model.parameter(static_cast<int>(p));
        const auto theirs = parameters[p].detach().contiguous();
        for (std::int64_t i = 0; i < theirs.numel(); ++i) {
            const std::int64_t rows = theirs.dim() == 2 ? theirs.size(1) : 1;
            const double mine = theirs.dim() == 2 ? view(i % rows, i / rows) : view(i);
            worst = std::max(worst, std::abs(mine - theirs.data_ptr<double>()[i]));
        }
    }
    return worst;
}

// Both sides compute in double; sums run in different orders, which ten steps do not amplify beyond this.
constexpr double tolerance = 1e-11;

torch::nn::Sequential double_peer() {
    auto peer = torch_classifier();
    peer->to(torch::kDouble);
    return peer;
}

}  // namespace

TEST_CASE("training agrees with libtorch", "[oracle]") {
    SECTION("gradient descent") {
        auto peer = double_peer();
        torch::optim::SGD theirs(peer->parameters(), 0.1);
        CHECK(difference<Classifier>(GradientDescent{.learning_rate = 0.1}, peer, theirs) < tolerance);
    }
    SECTION("adagrad") {
        auto peer = double_peer();
        torch::optim::Adagrad theirs(peer->parameters(), torch::optim::AdagradOptions(0.05).eps(1e-10));
        CHECK(difference<Classifier>(Adagrad{.learning_rate = 0.05, .epsilon = 1e-10}, peer, theirs) < tolerance);
    }
    SECTION("adam") {
        auto peer = double_peer();
        torch::optim::Adam theirs(peer->parameters(), torch::optim::AdamOptions(0.01));
        CHECK(difference<Classifier>(Adam{.learning_rate = 0.01}, peer, theirs) < tolerance);
    }
    SECTION("adamw") {
        auto peer = double_peer();
        torch::optim::AdamW theirs(peer->parameters(), torch::optim::AdamWOptions(0.01).weight_decay(0.02));
        CHECK(difference<Classifier>(AdamW{.learning_rate = 0.01, .weight_decay = 0.02}, peer, theirs) < tolerance);
    }
}

namespace {

struct Images
    : Network<Input(9, 8) + Conv2D(4, {2, 3}, relu, {.padding = {1, 0, 2, 2}}) + MaxPool(2) +
              Conv2D(6, 3, tanh, {.stride = {1, 2}, .padding = 1, .dilation = {2, 1}, .groups = 2}) +
              DepthwiseConv2D(2, {.padding = {1, 0, 0, 1}}) + ConvTranspose2D(3, {3, 2}, sigmoid, {.stride = 2}) +
              MaxPool(3, {.stride = 1, .padding = 1}) + AveragePool(2) + Dense(5) + SoftmaxCE()> {};

/// The same in libtorch, with parameters as Sigma keeps them: (height, width, in, out), channels last when flattened.
torch::Tensor images_forward(torch::Tensor x, const std::vector<torch::Tensor>& p) {
    namespace nn = torch::nn::functional;
    const auto turned = [](const torch::Tensor& w) { return w.permute({3, 2, 0, 1}); };
    x = nn::pad(x.unsqueeze(1), nn::PadFuncOptions({2, 2, 1, 0}));
    x = torch::max_pool2d(torch::relu(nn::conv2d(x, turned(p[0]), nn::Conv2dFuncOptions().bias(p[1]))), 2);
    x = torch::tanh(nn::conv2d(
        x, turned(p[2]), nn::Conv2dFuncOptions().bias(p[3]).stride({1, 2}).padding({1, 1}).dilation({2, 1}).groups(2)));
    x = nn::pad(x, nn::PadFuncOptions({0, 1, 1, 0}));
    x = nn::conv2d(x, turned(p[4]), nn::Conv2dFuncOptions().bias(p[5]).groups(6));
    x = torch::sigmoid(torch::conv_transpose2d(x, p[6].permute({2, 3, 0, 1}), p[7], 2));
    x = torch::avg_pool2d(torch::max_pool2d(x, 3, 1, 1), 2);
    return torch::matmul(x.permute({0, 2, 3, 1}).flatten(1), p[8]) + p[9];
}

}  // namespace

TEST_CASE("training on images agrees with libtorch", "[oracle]") {
    constexpr std::size_t records = 7;
    std::vector<double> x(records * 72), y(records);
    Philox(1).fill_normal(std::span(x));
    for (std::size_t i = 0; i < records; ++i) y[i] = static_cast<double>(i % 5);
    Model<Images, double> model(3);
    sigma::test::DirectStep<Images, GradientDescent, double> step(model);
    std::vector<torch::Tensor> theirs;
    const auto for_each_element = [&](int p, auto f) {
        const Shape s = model.records.parameters[p].shape;
        for (std::int64_t i = 0; i < s.count(); ++i)
            f(i, model.parameter_data(p)[i / s.last() * model.pitch(p) + i % s.last()]);
    };
    for (int p = 0; p < model.parameter_count; ++p) {
        const Shape s = model.records.parameters[p].shape;
        auto t = torch::empty(std::vector<std::int64_t>(s.extent, s.extent + s.rank), torch::kDouble);
        for_each_element(p, [&](std::int64_t i, double v) { t.data_ptr<double>()[i] = v; });
        theirs.push_back(t.requires_grad_());
    }
    const auto tx = torch::from_blob(x.data(), {records, 9, 8}, torch::kDouble).clone();
    const auto ty = torch::from_blob(y.data(), {records}, torch::kDouble).to(torch::kLong);
    torch::optim::SGD optimizer(theirs, 0.1);
    double worst = 0;
    for (std::uint64_t t = 1; t <= 10; ++t) {
        optimizer.zero_grad();
        const auto loss = torch::nn::functional::cross_entropy(images_forward(tx, theirs), ty);
        loss.backward();
        optimizer.step();
        const double mine = step(GradientDescent{.learning_rate = 0.1}, t, x.data(), y.data(), records);
        worst = std::max(worst, std::abs(mine - loss.item<double>()));
    }
    for (int p = 0; p < model.parameter_count; ++p) {
        const auto t = theirs[static_cast<std::size_t>(p)].detach().contiguous();
        for_each_element(
            p, [&](std::int64_t i, double v) { worst = std::max(worst, std::abs(v - t.data_ptr<double>()[i])); });
    }
    CHECK(worst < tolerance);
}
