// SPDX-License-Identifier: BSL-1.0
#include <sigma/execution/inspect.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/recurrent.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/graph.hpp>
#include <sigma/xtensor.hpp>

#include <catch2/catch.hpp>
#include <xtensor/xview.hpp>

#include <algorithm>
#include <cmath>

using namespace sigma;

namespace {

using Rows = xt::xtensor<double, 2>;

constexpr auto squares = [](auto x) { return x * x; };

struct Joins : Network<Input(3) +
                       Concatenate(Add(Dense(2), Dense(2, tanh)), Multiply(Dense(2), Dense(1)),
                                   Average(Dense(2), skip + Dense(2), Dense(2)), Residual(squares)) +
                       SquaredDiff()> {};
struct Deep : Network<Input(2, 3) + Concatenate(axis(1), skip, [](auto x) { return 2.0 * x; }) + Fork(skip, skip) +
                      [](auto a, auto b) { return std::tuple{b + 1.0, a}; } + Parallel(Dense(2), Dense(2)) + Add() +
                      SquaredDiff()> {};
struct Tasks
    : Network<
          (Input(2, 3) & named("side", Input(4))) + Parallel(Dense(3, tanh), skip) + Concatenate() + Dense(5, tanh) +
          Costs(Dense(3) + SoftmaxCE(), loss_weight(0.3, named("price", Dense(2, tanh) + Dense(1) + SquaredDiff())))> {
};
/// Costs inside costs: weights multiply, and a loss may judge what others read.
struct Nested
    : Network<Input(3) + Dense(2) +
              Costs(SquaredDiff(),
                    loss_weight(0.5, Dense(2) + Costs(SquaredDiff(), loss_weight(0.5, Dense(1) + SquaredDiff()))))> {};

constexpr auto block = Dense(3, tanh) + Dense(3);
struct Stack : Network<Input(3) + 2 * Residual(block) + SquaredDiff()> {};

Rows random_rows(std::size_t records, std::size_t columns, std::uint64_t stream) {
    Rows x = Rows::from_shape({records, columns});
    Philox(11, RandomUse::user, stream).fill_normal(std::span<double>(x.data(), x.size()));
    return x;
}
/// x·W + b of a layer, by its number.
template <class N>
Rows dense(Model<N, double>& model, int weights, const Rows& x) {
    const Rows w = to_xtensor(model.parameter(weights));
    const xt::xtensor<double, 1> b = to_xtensor(model.parameter(weights + 1));
    Rows y = Rows::from_shape({x.shape(0), w.shape(1)});
    for (std::size_t i = 0; i < y.shape(0); ++i)
        for (std::size_t j = 0; j < y.shape(1); ++j) {
            y(i, j) = b(j);
            for (std::size_t k = 0; k < x.shape(1); ++k) y(i, j) += x(i, k) * w(k, j);
        }
    return y;
}
template <class N>
void randomize(Model<N, double>& model) {
    for (int i = 0; i < model.parameter_count; ++i) {
        auto w = model.parameter(i);
        std::uint64_t k = 0;
        for (auto& e : w) e = Philox(5, RandomUse::user, static_cast<std::uint64_t>(i)).normal<double>(k++);
    }
}
bool close(const AnyArray auto& a, const AnyArray auto& b) {
    return xt::allclose(to_xtensor(Array<double>(a)), to_xtensor(Array<double>(b)), 1e-12, 1e-12);
}

/// Gradients of the total against finite differences of what `evaluate` says.
template <class N, class Evaluate>
void check_gradients(Model<N, double>& model, Inspection<N, double>& look, Evaluate evaluate) {
    for (int k = 0; k < model.parameter_count; ++k) {
        const Array<double> gradient(look.gradient(k));
        auto w = model.parameter(k);
        auto g = gradient.begin();
        for (auto& element : w) {
            constexpr double h = 1e-5;
            const double before = element;
            element = before + h;
            const double up = evaluate();
            element = before - h;
            const double down = evaluate();
            element = before;
            INFO(model.records.parameters[k].name.view());
            CHECK(*g++ == Approx((up - down) / (2 * h)).epsilon(1e-6).margin(1e-8));
        }
    }
}

}  // namespace

TEST_CASE("What a scan multiplies counts at every position") {
    struct Steps : Network<Input(5, 2) + GRU(3) + SquaredDiff()> {};
    STATIC_REQUIRE(detail::NetworkGraph<Steps>::found.multiply_adds[1] == 5 * (2 * 9 + 3 * 9));
}

TEST_CASE("Joins are what their formulas say") {
    Model<Joins, double> model;
    randomize(model);
    const Rows x = random_rows(5, 3, 0);
    const Rows y = to_xtensor(model.predict(x));
    REQUIRE(y.shape(1) == 9);
    const auto part = [&](int first, int end) { return xt::view(y, xt::all(), xt::range(first, end)); };
    CHECK(close(part(0, 2), dense(model, 0, x) + xt::tanh(dense(model, 2, x))));
    CHECK(close(part(2, 4), dense(model, 4, x) * dense(model, 6, x)));  // (records, 2) times (records, 1)
    CHECK(close(part(4, 6), (dense(model, 8, x) + dense(model, 10, x) + dense(model, 12, x)) / 3.0));
    CHECK(close(part(6, 9), x * x + x));

    Inspection<Joins, double> look(model);
    const Rows t = random_rows(5, 9, 1);
    look.run(x, t);
    check_gradients(model, look, [&] { return model.evaluate(x.data(), t.data(), 5).error; });
}

TEST_CASE("Several values flow side by side, and functions take and give them") {
    Model<Deep, double> model;
    randomize(model);
    const Rows x = random_rows(4, 6, 0);
    const Rows twice = xt::concatenate(xt::xtuple(x, Rows(2.0 * x)), 1);  // axis 1 of (records, 2, 3)
    const xt::xtensor<double, 3> in = xt::reshape_view(x, std::array<std::size_t, 3>{4, 2, 3});
    CHECK(close(model.predict(in), dense(model, 0, twice + 1.0) + dense(model, 2, twice)));
}

TEST_CASE("A network of two inputs and two costs") {
    Model<Tasks, double> model(4);
    CHECK(model.parameter_elements() == 21 + 40 + 18 + 12 + 3);
    const Rows flat = random_rows(7, 6, 0), side = random_rows(7, 4, 1), price = random_rows(7, 1, 2);
    const xt::xtensor<double, 3> image = xt::reshape_view(flat, std::array<std::size_t, 3>{7, 2, 3});
    const xt::xtensor<double, 1> classes = {0, 2, 1, 1, 0, 2, 2};
    Inspection<Tasks, double> look(model);
    const double found_loss = look.run(image, side, classes, price);
    CHECK(found_loss == Approx(look.loss(0) + 0.3 * look.loss(1)).epsilon(1e-14));

    const auto evaluate = [&] {
        return model.evaluate({image.data(), side.data()}, {classes.data(), price.data()}, 7);
    };
    const auto score = evaluate();
    CHECK(score.error == Approx(found_loss).epsilon(1e-14));
    CHECK(score.costs[0].error == Approx(look.loss(0)).epsilon(1e-14));
    CHECK(score.costs[1].error == Approx(look.loss(1)).epsilon(1e-14));
    CHECK(score.accuracy == score.costs[0].accuracy);
    CHECK(std::isnan(score.costs[1].accuracy));
    check_gradients(model, look, [&] { return evaluate().error; });

    const auto outputs = layer_outputs(model, {image.data(), side.data()}, 7);
    REQUIRE(outputs.size() == static_cast<std::size_t>(Model<Tasks>::layer_count));
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const auto output = look.output(static_cast<int>(i));
        CHECK(outputs[i] == std::vector<double>(output.begin(), output.end()));
    }

    // What the parts say, by hand from the outputs.
    const auto [p, q] = model.predict(image, side);
    double cross_entropy = 0, squared = 0, right = 0;
    for (std::size_t i = 0; i < 7; ++i) {
        const auto c = static_cast<std::size_t>(classes(i));
        cross_entropy -= std::log(p(i, c)) / 7;
        squared += (q(i, 0) - price(i, 0)) * (q(i, 0) - price(i, 0)) / 7;
        right += p(i, c) >= std::max({p(i, 0), p(i, 1), p(i, 2)}) ? 1.0 / 7 : 0;
    }
    CHECK(look.loss(0) == Approx(cross_entropy).epsilon(1e-12));
    CHECK(look.loss(1) == Approx(squared).epsilon(1e-12));
    CHECK(score.accuracy == Approx(right));
    CHECK(close(model.predict<"price">(image, side), q));
    CHECK(close(model.predict<"8-softmax_ce">(image, side), p));
    CHECK(close(model.predict<1>(image, side), q));
    CHECK(close(look.output<"0-input">(), image));
    CHECK(close(look.output<"side">(), side));

    // More records than a plan runs at once, so that each pointer moves on.
    const Rows many_flat = random_rows(600, 6, 3), many_side = random_rows(600, 4, 4);
    const xt::xtensor<double, 3> many = xt::reshape_view(many_flat, std::array<std::size_t, 3>{600, 2, 3});
    const auto all = model.predict(many, many_side);
    const xt::xtensor<double, 3> end_image = xt::view(many, xt::range(590, 600));
    const Rows end_side = xt::view(many_side, xt::range(590, 600), xt::all());
    const auto end = model.predict(end_image, end_side);
    CHECK(xt::all(xt::equal(xt::view(to_xtensor(all[0]), xt::range(590, 600)), to_xtensor(end[0]))));
    CHECK(xt::all(xt::equal(xt::view(to_xtensor(all[1]), xt::range(590, 600)), to_xtensor(end[1]))));
}

TEST_CASE("Wrong arrays for several inputs are named") {
    Model<Tasks> model;
    CHECK_THROWS_WITH(model.predict(xt::zeros<float>({4, 2, 3}), xt::zeros<float>({4, 5})),
                      "input 'side' of the network: expected shape (records, 4), found shape (4, 5)");
    CHECK_THROWS_WITH(model.predict(xt::zeros<float>({4, 2, 3}), xt::zeros<float>({5, 4})),
                      "input 'side' of the network: expected 4 records, as the first input, found 5");
    Inspection<Tasks> look(model);
    CHECK_THROWS_WITH(
        look.run(xt::zeros<float>({4, 2, 3}), xt::zeros<float>({4, 4}), xt::zeros<float>({4}), xt::zeros<float>({3})),
        "targets of cost 'price' of the network: expected 4 numbers, found shape (3)");
    CHECK_THROWS_WITH(look.loss(2), "cost of the network: expected a position from 0 to 1, found 2");
}

TEST_CASE("Costs may stand inside costs") {
    Model<Nested, double> model(1);
    CHECK(model.records.costs[0].loss_weight == 1);
    CHECK(model.records.costs[1].loss_weight == 0.5);
    CHECK(model.records.costs[2].loss_weight == 0.25);
    const Rows x = random_rows(6, 3, 0), a = random_rows(6, 2, 1), b = random_rows(6, 2, 2), c = random_rows(6, 1, 3);
    Inspection<Nested, double> look(model);
    const double found_loss = look.run(x, a, b, c);
    CHECK(found_loss == Approx(look.loss(0) + 0.5 * look.loss(1) + 0.25 * look.loss(2)).epsilon(1e-14));
    check_gradients(model, look, [&] { return model.evaluate({x.data()}, {a.data(), b.data(), c.data()}, 6).error; });
}

TEST_CASE("Blocks repeat, each time with parameters of their own") {
    Model<Stack, double> model;
    randomize(model);
    CHECK(model.parameter_count == 8);
    const Rows x = random_rows(5, 3, 0);
    const auto residual = [&](int first, const Rows& in) {
        return Rows(dense(model, first + 2, xt::tanh(dense(model, first, in))) + in);
    };
    CHECK(close(model.predict(x), residual(4, residual(0, x))));
}

TEST_CASE("The summary of a graph says where each layer's input comes from") {
    const std::string arena = std::to_string(Model<Tasks>().prediction_bytes(1)) + " arena";
    const std::string fused = on_cpu::interprets<detail::NetworkPlan<Tasks, detail::to_predict, float>>()
                                  ? "interpreted"
                                  : sentence("fused code: ", on_cpu::lanes<float>);
    CHECK(sentence("\n", summary<Tasks>()) == sentence(R"(
layer             from           output                  parameters  bytes/record   multiply-adds
-------------------------------------------------------------------------------------------------
0-input                          (batch, 2, 3)                    0            24               0
side                             (batch, 4)                       0            16               0
2-dense           0              (batch, 3)                      21            12              18
3-concatenate     side, 2        (batch, 7)                       0            28               0
4-dense           3              (batch, 5)                      40            20              35
5-dense           4              (batch, 3)                      18            12              15
price/1-dense     4              (batch, 2)                      12             8              10
price/2-dense     price/1-dense  (batch, 1)                       3             4               2
8-softmax_ce      5              ()                               0             4               0
price             price/2-dense  () * 0.3                         0             4               0
-------------------------------------------------------------------------------------------------
total                                                            94)",
                                                       std::string(14 - arena.size(), ' '), arena, R"(              80
kernels: )",
                                                       on_cpu::kernels<float>().instructions, ", ",
                                                       on_cpu::kernels<float>().lanes, " elements at a time; ", fused,
                                                       "\n"));
}

TEST_CASE("The numbers of a large network stand apart") {
    const std::string text = summary(network(Input(1) + Dense(3'000'000) + Dense(1) + SquaredDiff()));
    const std::string total = text.substr(text.find("\ntotal"));
    CHECK(total.find(" 9000001 12000") != total.npos);
    CHECK(total.find(" arena         6000000\n") != total.npos);
}

TEST_CASE("Activations stand in the chain and in branches, by name") {
    struct Chain : Network<Input(3) + Dense(4) + relu + tanh + Residual(Dense(4) + gelu) +
                           Fork(softplus, named("soft", silu)) + Add() + SquaredDiff()> {};
    struct Same : Network<Input(3) + Dense(4, relu) + [](auto x) { return tanh(x); } + Residual(Dense(4, gelu)) +
                          [](auto x) { return softplus(x) + silu(x); } + SquaredDiff()> {};
    const auto made = network(Input(3) + Dense(4) + relu + tanh + Residual(Dense(4) + gelu) +
                              Fork(softplus, named("soft", silu)) + Add() + SquaredDiff());
    Model<Chain> chain(7);
    Model<Same> plain(8);
    std::ranges::copy(chain.parameter_memory(), plain.parameter_memory().begin());
    Model other(made, 7);
    const Array<float> x({2, 3}, {0.1f, -2, 3, 0.4f, 1, -0.7f});
    const auto y = chain.predict(x);
    CHECK(std::ranges::equal(y, plain.predict(x)));
    CHECK(std::ranges::equal(y, other.predict(x)));
    CHECK(chain.records.layers[2].name == "2-activation");
    CHECK(chain.records.layers[8].name == "soft");
    constexpr auto first = relu + Dense(3);
    CHECK(network(Input(2) + first + SquaredDiff()).made().table().layers[1].name == "1-activation");
}

TEST_CASE("A network as text for Graphviz") {
    CHECK(graphviz(Tasks{}) == R"~(digraph network {
  node [shape=box];
  n0 [label="0-input\n(batch, 2, 3)"];
  n1 [label="side\n(batch, 4)"];
  n2 [label="2-dense\n(batch, 3)\n21 parameters"];
  n3 [label="3-concatenate\n(batch, 7)"];
  n4 [label="4-dense\n(batch, 5)\n40 parameters"];
  n5 [label="5-dense\n(batch, 3)\n18 parameters"];
  n6 [label="price/1-dense\n(batch, 2)\n12 parameters"];
  n7 [label="price/2-dense\n(batch, 1)\n3 parameters"];
  n8 [shape=ellipse, label="8-softmax_ce"];
  n9 [shape=ellipse, label="price\n0.3 times"];
  n0 -> n2;
  n1 -> n3;
  n2 -> n3;
  n3 -> n4;
  n4 -> n5;
  n4 -> n6;
  n6 -> n7;
  n5 -> n8;
  n7 -> n9;
}
)~");
}
