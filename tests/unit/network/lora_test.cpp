// SPDX-License-Identifier: BSL-1.0
#include <sigma/layer/attention.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/embedding.hpp>
#include <sigma/layer/normalization.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/layer/transformer_block.hpp>
#include <sigma/network/branches.hpp>
#include <sigma/network/dynamic_network.hpp>
#include <sigma/network/transfer.hpp>
#include <sigma/network/wrappers.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/xtensor.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <support/direct_step.hpp>
#include <vector>

using namespace sigma;

namespace {

using Rows = xt::xtensor<double, 2>;

constexpr auto hidden = Dense(6, tanh);
struct Plain : Network<Input(5) + hidden + Dense(3) + SquaredDiff()> {};
struct Adapted : Network<Input(5) + lora(2, hidden, {.alpha = 3}) + Dense(3) + SquaredDiff()> {};
/// The layer that `lora` makes of `hidden`, written by hand.
struct ByHand : Layer {
    static constexpr Text kind = "dense";
    constexpr Tensor forward(Context& context, Tensor x) const {
        const Tensor w = statistic(context, {5, 6}, "weights", glorot());
        const Tensor b = statistic(context, Shape{6}, "biases");
        const Tensor down = parameter(context, {5, 2}, "weights_lora_a");
        const Tensor up = parameter(context, {2, 6}, "weights_lora_b");
        return tanh(dot(x, w + 1.5 * dot(down, up)) + b);
    }
};
struct Written : Network<Input(5) + ByHand() + Dense(3) + SquaredDiff()> {};

constexpr auto attentive = TransformerBlock(2, 8, {.causal = true}) + TransformerBlock(2, 8, {.causal = true});
struct Reader : Network<Input(4) + Embedding(10, 4) + attentive + Linear(10) + SoftmaxCE()> {};
struct Tuned : Network<Input(4) + lora(2, Embedding(10, 4) + attentive, {.weights = "*query_weights *value_weights"}) +
                       Linear(10) + SoftmaxCE()> {};
struct Nested : Network<Input(5) + lora(3, frozen(Dense(6)) + lora(2, Dense(6)) + Dense(3)) + SquaredDiff()> {};
struct Shared : Network<(Input(3) & Input(3)) +
                        lora(1, Parallel(shared("code", Dense(4)), shared("code", Dense(4))), {.weights = "code.*"}) +
                        Concatenate() + Dense(2) + SquaredDiff()> {};
struct SharedPlain : Network<(Input(3) & Input(3)) + Parallel(shared("code", Dense(4)), shared("code", Dense(4))) +
                             Concatenate() + Dense(2) + SquaredDiff()> {};
struct Still : Network<Input(5) + frozen(lora(2, hidden)) + Dense(3) + SquaredDiff()> {};

Rows random_rows(std::size_t records, std::size_t columns, std::uint64_t stream) {
    Rows x = Rows::from_shape({records, columns});
    Philox(22, RandomUse::user, stream).fill_normal(std::span<double>(x.data(), x.size()));
    return x;
}
bool close(const AnyArray auto& a, const AnyArray auto& b, double within = 1e-12) {
    return xt::allclose(to_xtensor(Array<double>(a)), to_xtensor(Array<double>(b)), within, within);
}
std::vector<std::string> trained(auto&& network) {
    std::vector<std::string> names;
    for (const auto& p : network.parameters)
        if (p.trained) names.emplace_back(p.name.view());
    return names;
}

}  // namespace

TEST_CASE("an adapted network predicts what it predicted before, until it is trained") {
    Model<Plain, double> plain(1);
    Model<Adapted, double> adapted(2);
    REQUIRE(transfer(plain, adapted, "*", Transfer::common) == 4);
    const Rows x = random_rows(7, 5, 1);
    CHECK(close(adapted.predict(x), plain.predict(x)));
    CHECK(adapted.hyperparameter("1-dense.weights_lora") == 1.5);
    CHECK(adapted.parameter<"1-dense.weights_lora_a">().shape() == std::vector<std::size_t>{5, 2});
    CHECK(adapted.parameter<"1-dense.weights_lora_b">().shape() == std::vector<std::size_t>{2, 6});

    double square = 0, most = 0;
    for (const double a : to_xtensor(Array<double>(adapted.parameter<"1-dense.weights_lora_a">()))) {
        square += a * a / 10;
        most = std::max(most, std::abs(a));
    }
    CHECK(most <= 1 / std::sqrt(5.0));
    CHECK(square > 0.01);
}

TEST_CASE("training changes the matrices of lora alone, as a layer written by hand") {
    Model<Adapted, double> adapted(3);
    Model<Written, double> written(4);
    const Rows x = random_rows(16, 5, 2), y = random_rows(16, 3, 3);
    REQUIRE(transfer(adapted, written) == 6);
    const auto weights = Array<double>(adapted.parameter<"1-dense.weights">());
    const auto biases = Array<double>(adapted.parameter<"1-dense.biases">());
    test::DirectStep<Adapted, GradientDescent, double> step(adapted);
    test::DirectStep<Written, GradientDescent, double> by_hand(written);
    for (std::uint64_t i = 1; i <= 20; ++i) {
        step(GradientDescent{.learning_rate = 0.1}, i, x.data(), y.data(), 16);
        by_hand(GradientDescent{.learning_rate = 0.1}, i, x.data(), y.data(), 16);
    }
    CHECK(close(adapted.parameter<"1-dense.weights">(), weights, 0));
    CHECK(close(adapted.parameter<"1-dense.biases">(), biases, 0));
    CHECK(close(adapted.parameter<"1-dense.weights_lora_a">(), written.parameter<"1-dense.weights_lora_a">()));
    CHECK(close(adapted.parameter<"1-dense.weights_lora_b">(), written.parameter<"1-dense.weights_lora_b">()));
    CHECK(close(adapted.parameter<"2-dense.weights">(), written.parameter<"2-dense.weights">()));
    CHECK_FALSE(close(adapted.parameter<"1-dense.weights_lora_b">(), Rows::from_shape({2, 6}) * 0, 1e-3));

    Model<Plain, double> merged(5);
    REQUIRE(merge_lora(adapted, merged) == 4);
    CHECK(close(merged.predict(x), adapted.predict(x)));
    Model<Plain, float> small(5);
    REQUIRE(merge_lora(adapted, small) == 4);
    CHECK(close(small.predict(x), adapted.predict(x), 1e-5));

    Model<Adapted, double> again(10);
    REQUIRE(merge_lora(adapted, again) == 6);  // a target with the same matrices gets them, not their product
    CHECK(close(again.predict(x), adapted.predict(x)));

    adapted.set_hyperparameter("*_lora", 0);
    transfer(adapted, merged, "*", Transfer::common);
    CHECK(close(merged.predict(x), adapted.predict(x)));
    CHECK_THROWS_AS(merge_lora(Model<Reader, double>(1), merged), MismatchError);
}

TEST_CASE("patterns choose the weights that lora adapts") {
    CHECK(
        trained(Tuned::records) ==
        std::vector<std::string>{
            "2-transformer_block.attention.query_weights_lora_a", "2-transformer_block.attention.query_weights_lora_b",
            "2-transformer_block.attention.value_weights_lora_a", "2-transformer_block.attention.value_weights_lora_b",
            "3-transformer_block.attention.query_weights_lora_a", "3-transformer_block.attention.query_weights_lora_b",
            "3-transformer_block.attention.value_weights_lora_a", "3-transformer_block.attention.value_weights_lora_b",
            "4-linear.weights", "4-linear.biases"});
    CHECK(trained(Still::records) == std::vector<std::string>{"2-dense.weights", "2-dense.biases"});
    CHECK(trained(Nested::records) == std::vector<std::string>{"2-dense.weights_lora_a", "2-dense.weights_lora_b",
                                                               "3-dense.weights_lora_a", "3-dense.weights_lora_b"});
    CHECK(Model<Nested>().parameter<"2-dense.weights_lora_b">().shape() == std::vector<std::size_t>{2, 6});
    CHECK(Model<Nested>().parameter<"3-dense.weights_lora_b">().shape() == std::vector<std::size_t>{3, 3});

    Model<Reader, double> reader(6);
    Model<Tuned, double> tuned(7);
    transfer(reader, tuned, "*", Transfer::common);
    for (const char* name :
         {"2-transformer_block.attention.query_weights_lora_b", "3-transformer_block.attention.value_weights_lora_b"})
        tuned.parameter(name).fill(0.3);
    const Rows ids{{1, 2, 3, 4}, {9, 0, 5, 5}};
    CHECK_FALSE(close(tuned.predict(ids), reader.predict(ids), 1e-3));
    merge_lora(tuned, reader);
    CHECK(close(tuned.predict(ids), reader.predict(ids)));
}

TEST_CASE("layers that share weights share their adaptation") {
    Model<Shared, double> model(11);
    Model<SharedPlain, double> plain(12);
    REQUIRE(model.parameter_count == 6);
    REQUIRE(Shared::records.size.hyperparameters == 1);
    model.parameter<"code.weights_lora_b">().fill(0.7);
    const Rows a = random_rows(4, 3, 5), b = random_rows(4, 3, 6);
    merge_lora(model, plain);
    CHECK(close(plain.predict(a, b), model.predict(a, b)));
    CHECK(model.set_hyperparameter("code.weights_lora", 0) == 1);
    transfer(model, plain, "*", Transfer::common);
    CHECK(close(plain.predict(a, b), model.predict(a, b)));
}

TEST_CASE("lora adapts run-time networks") {
    const auto net = network(Input(5) + lora(2, Layers{Dense(6, tanh)}, {.alpha = 3}) + Dense(3) + SquaredDiff());
    Model<DynamicNetwork, double> made(net, 8);
    Model<Adapted, double> adapted(9);
    CHECK(transfer(adapted, made) == 6);
    const Rows x = random_rows(3, 5, 4);
    CHECK(close(made.predict(x), adapted.predict(x)));
    CHECK_THROWS_AS(network(Input(5) + lora(0, Dense(6)) + SquaredDiff()), MistakeError);
    CHECK_THROWS_AS(network(Input(5) + lora(1, LayerNorm()) + SquaredDiff()), MistakeError);
    CHECK_THROWS_AS(network(Input(5) + lora(1, Dense(6), {.weights = "*.weights *.weight"}) + SquaredDiff()),
                    MistakeError);
    CHECK_THROWS_AS(network(Input(5) + lora(1, Dense(6) + lora(1, Dense(6)), {.weights = "2-dense*"}) + SquaredDiff()),
                    MistakeError);
}
