// SPDX-License-Identifier: BSL-1.0
// Merging of models that no run trains.
#include <sigma/sigma.hpp>

#include <catch2/catch.hpp>

#include <vector>

using namespace sigma;

namespace {

struct Small : Network<Input(5) + Dense(3, tanh) + BatchNorm() + Dense(2) + SoftmaxCE()> {};

/// Checks each element of a parameter of a merged model by a function of the elements of two others.
template <Text name>
void check_merged(const auto& merged, const auto& a, const auto& b, auto expected) {
    const auto m = merged.template parameter<name>(), x = a.template parameter<name>(),
               y = b.template parameter<name>();
    REQUIRE(m.size() > 0);
    for (std::size_t i = 0; i < m.size(); ++i) {
        const double u = static_cast<double>(x.data()[i]), v = static_cast<double>(y.data()[i]);
        CHECK(static_cast<double>(m.data()[i]) == Approx(expected(u, v)).margin(1e-7));
    }
}

}  // namespace

TEST_CASE("Models are merged by their average, or by the last rule that matches") {
    const Model<Small> a(1), b(2);
    const Model<Small> average = merge({a, b});
    const auto mean = [](double x, double y) { return (x + y) / 2; };
    check_merged<"1-dense.weights">(average, a, b, mean);
    check_merged<"3-dense.weights">(average, a, b, mean);

    const std::vector<Merger> rules = {merge("*", MergeBy::maximum), merge("1-*", {3, 1}),
                                       merge("3-dense.weights", [](std::span<const Tensor> x) { return x[0] * x[1]; })};
    const Model<Small> ruled = merge({a, b}, rules);
    check_merged<"1-dense.weights">(ruled, a, b, [](double x, double y) { return 0.75 * x + 0.25 * y; });
    check_merged<"3-dense.weights">(ruled, a, b, [](double x, double y) { return x * y; });
    check_merged<"2-batch_norm.scales">(ruled, a, b, [](double x, double y) { return x > y ? x : y; });

    CHECK(merge({a}) == a);
    CHECK(merge({a, a, a}) == a);  // exactly
    const std::vector<Model<Small>> all{a, b};
    CHECK(merge(std::span<const Model<Small>>(all)) == average);
    const Model<Small, double> precise(1);
    CHECK(merge({precise, precise}) == precise);
}

TEST_CASE("Averaged copies that were trained on parts of the data predict") {
    Array<float> x = Array<float>::from_shape({60, 5});
    Array<int> y = Array<int>::from_shape({60});
    for (std::size_t i = 0; i < 60; ++i) {
        y(i) = static_cast<int>(i % 2);
        for (std::size_t k = 0; k < 5; ++k)
            x(i, k) = static_cast<float>((i * 7 + k * 3) % 11) / 11 + (y(i) ? 1.f : 0.f);
    }
    Trainer first("first", Small{}, Adam{.learning_rate = 0.05}, minibatches(x, y, 10), element<float>, 4);
    Trainer second("second", Small{}, Adam{.learning_rate = 0.05}, minibatches(x, y, 10, 3), element<float>, 4);
    first.run(cpu(), 30);
    second.run(cpu(), 30);
    CHECK(merge({first.model(), second.model()}).evaluate(x, y).accuracy > 0.95);
}

TEST_CASE("Models that cannot be merged are refused") {
    const Model<Small> a(1);
    CHECK_THROWS_WITH(merge(std::span<const Model<Small>>()), "merge of models: expected 1 model or more, found none");
    CHECK_THROWS_AS(merge({a, a}, {merge("9-*", MergeBy::sum)}), ArgumentError);
    CHECK_THROWS_WITH(merge({a, a}, {merge("*", {1, 2, 3})}),
                      Catch::Contains("2 weights") && Catch::Contains("found 3"));
    CHECK_THROWS_AS(merge({a, a}, {merge("1-*", [](std::span<const Tensor> x) { return sum(x[0]); })}), ArgumentError);
    const Model narrow(network(Input(4) + Dense(2) + SoftmaxCE())), wide(network(Input(5) + Dense(2) + SoftmaxCE()));
    CHECK_THROWS_AS(merge({narrow, wide}), MismatchError);
    CHECK(merge({wide, wide}) == wide);
}
