// SPDX-License-Identifier: BSL-1.0
#include <sigma/execution/inspect.hpp>
#include <sigma/execution/step.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/transfer.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/xtensor.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>
#include <support/direct_step.hpp>

using namespace sigma;

namespace {

using Rows = xt::xtensor<double, 2>;

constexpr auto tower = Dense(4, tanh) + Dense(3);
struct Twins : Network<(Input(3) & Input(3)) + Parallel(shared("tower", tower), shared("tower", tower)) +
                       [](auto a, auto b) { return a * b + b; } + SquaredDiff()> {};
struct Apart : Network<(Input(3) & Input(3)) + Parallel(tower, tower) + [](auto a, auto b) { return a * b + b; } +
                       SquaredDiff()> {};
struct Tied : Network<Input(3) + 3 * shared("again", Dense(3, tanh)) + SquaredDiff()> {};

struct Functional : Network<Input(3) + [](auto x) {
    const auto h = layer(Dense(4, tanh), x);
    const auto g = layer(named("gate", Dense(4, sigmoid)), x);
    return layer(Dense(3), h * g) + x;
} + SquaredDiff()> {};
struct Expression : Network<Input(3) + Residual(Multiply(Dense(4, tanh), named("gate", Dense(4, sigmoid))) + Dense(3)) +
                            SquaredDiff()> {};

struct Partly
    : Network<Input(3) + Dense(4, tanh) + frozen(named("fixed", 2 * Dense(4, tanh))) + Dense(2) + SquaredDiff()> {};

struct Named_ : Network<named("pixels", Input(3)) + named("fc1", Dense(4)) + tagged("fc", tagged("head", Dense(4))) +
                        named("body", Dropout(0.1) + named("inner", Dense(4)) + 2 * Dense(4)) +
                        named("mix", [](auto x) { return layer(Dense(2), x) * 2.0; }) + named("error", SquaredDiff())> {
};

struct Small : Network<Input(3) + Dense(4) + Dense(2) + SoftmaxCE()> {};
struct Wider : Network<Input(3) + Dense(4) + Dense(5) + SoftmaxCE()> {};
struct Longer : Network<Input(3) + Dense(4) + Dense(2) + Dense(2) + SoftmaxCE()> {};

Rows random_rows(std::size_t records, std::size_t columns, std::uint64_t stream) {
    Rows x = Rows::from_shape({records, columns});
    Philox(21, RandomUse::user, stream).fill_normal(std::span<double>(x.data(), x.size()));
    return x;
}
bool close(const AnyArray auto& a, const AnyArray auto& b) {
    return xt::allclose(to_xtensor(Array<double>(a)), to_xtensor(Array<double>(b)), 1e-12, 1e-12);
}
template <class T>
bool same_bits(std::span<const T> a, std::span<const T> b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

template <class O>
void check_frozen(const O& optimizer) {
    Model<Partly> model(3);
    sigma::test::DirectStep<Partly, O> step(model);
    const xt::xarray<float> x = random_rows(8, 3, 0), y = random_rows(8, 2, 1);
    const Model<Partly> before = model;
    for (std::uint64_t i = 1; i <= 5; ++i) step(optimizer, i, x.data(), y.data(), 8);
    for (int p = 0; p < model.parameter_count; ++p) {
        const auto elements = static_cast<std::size_t>(model.records.parameters[p].shape.count());
        const bool same = std::memcmp(model.parameter_data(p), before.parameter_data(p), 4 * elements) == 0;
        CHECK(same == detail::matches("*fixed*", model.records.parameters[p].name.view()));
    }
    CHECK(step.states.size() <= 2 * 4);  // nothing is kept for what does not move
}

}  // namespace

TEST_CASE("Shared layers have one set of parameters, whose gradient is the sum over all uses") {
    Model<Twins, double> twins(2);
    Model<Apart, double> apart;
    REQUIRE(twins.parameter_count == 4);
    REQUIRE(apart.parameter_count == 8);
    for (int i = 0; i < 8; ++i) apart.parameter(i) = twins.parameter(i % 4);
    const Rows a = random_rows(6, 3, 0), b = random_rows(6, 3, 1), y = random_rows(6, 3, 2);
    CHECK(close(twins.predict(a, b), apart.predict(a, b)));
    Inspection<Twins, double> one(twins);
    Inspection<Apart, double> two(apart);
    CHECK(one.run(a, b, y) == Approx(two.run(a, b, y)).epsilon(1e-14));
    for (int i = 0; i < 4; ++i)
        CHECK(close(one.gradient(i), to_xtensor(two.gradient(i)) + to_xtensor(two.gradient(i + 4))));
    CHECK(twins.records.parameters[0].name.view() == "tower/1-dense.weights");
    CHECK(twins.records.layers[4].name.view() == "4-tower/dense");
    CHECK(twins.records.layers[4].parameters == 0);  // counted where they are made

    // One step of descent moves by the sum as well.
    sigma::test::DirectStep<Twins, GradientDescent, double> step(twins);
    const xt::xarray<double> before = to_xtensor(twins.parameter(0));
    step(GradientDescent{.learning_rate = 0.1}, 1, {a.data(), b.data()}, {y.data()}, 6);
    CHECK(close(before - 0.1 * to_xtensor(one.gradient(0)), twins.parameter(0)));
}

TEST_CASE("A repeated shared layer is one layer applied several times") {
    Model<Tied, double> model(2);
    CHECK(model.parameter_count == 2);
    CHECK(model.layer_count == 4);
    const Rows x = random_rows(4, 3, 0);
    Rows y = x;
    for (int i = 0; i < 3; ++i) {
        const Rows in = y;
        const Rows w = to_xtensor(model.parameter(0));
        for (std::size_t r = 0; r < 4; ++r)
            for (std::size_t c = 0; c < 3; ++c) {
                double sum = model.parameter(1)(c);
                for (std::size_t k = 0; k < 3; ++k) sum += in(r, k) * w(k, c);
                y(r, c) = std::tanh(sum);
            }
    }
    CHECK(close(model.predict(x), y));
}

TEST_CASE("The functional form is the expression it stands for") {
    Model<Functional, double> functional(5);
    Model<Expression, double> expression;
    REQUIRE(functional.parameter_count == expression.parameter_count);
    for (int i = 0; i < functional.parameter_count; ++i) expression.parameter(i) = functional.parameter(i);
    const Rows x = random_rows(6, 3, 0), y = random_rows(6, 3, 1);
    CHECK(close(functional.predict(x), expression.predict(x)));
    Inspection<Functional, double> f(functional);
    Inspection<Expression, double> e(expression);
    f.run(x, y);
    e.run(x, y);
    for (int i = 0; i < functional.parameter_count; ++i) CHECK(close(f.gradient(i), e.gradient(i)));
    CHECK(functional.records.layers[2].name.view() == "gate");
    CHECK(functional.records.layers[4].name.view() == "4-lambda");
}

TEST_CASE("Frozen parameters keep their bits under every optimizer") {
    check_frozen(GradientDescent{.learning_rate = 0.1});
    check_frozen(Momentum{.learning_rate = 0.1});
    check_frozen(Adam{.learning_rate = 0.1});
}

TEST_CASE("Names and tags") {
    constexpr auto& records = Model<Named_>::records;
    const char* const names[] = {"pixels",         "fc1",         "2-dense",
                                 "body/1-dropout", "body/inner",  "body/3-dense",
                                 "body/4-dense",   "mix/1-dense", "mix"};
    REQUIRE(records.layers.size() == 9);
    for (int i = 0; i < 9; ++i) CHECK(records.layers[i].name.view() == names[i]);
    CHECK(records.costs[0].name.view() == "error");
    CHECK(records.layers[2].is("fc"));
    CHECK(records.layers[2].is("head"));
    CHECK(records.layers[2].is("dense"));
    CHECK_FALSE(records.layers[2].is("f"));
    CHECK(records.layers[1].is("dense"));
    CHECK_FALSE(records.layers[1].is("fc"));
    CHECK(Model<Named_>::find_parameter("mix/1-dense.weights") == 10);
}

TEST_CASE("A copy of a model is equal and independent") {
    Model<Small> model(3);
    model.parameter(1).fill(0.5f);
    Model<Small> copy = model;
    const xt::xarray<float> x = random_rows(5, 3, 0);
    CHECK(model.predict(x) == copy.predict(x));
    to_xtensor(copy.parameter(0)) *= 2.0f;
    CHECK_FALSE(model.predict(x) == copy.predict(x));
    copy = model;
    CHECK(model.predict(x) == copy.predict(x));

    // Reset draws what the seed says.
    Model<Small> fresh(3), other(4);
    model.reset();
    CHECK(same_bits<float>(model.parameter_memory(), fresh.parameter_memory()));
    model.reset(4);
    CHECK(same_bits<float>(model.parameter_memory(), other.parameter_memory()));
}

TEST_CASE("Parameters are transferred between compatible networks") {
    Model<Small> small(1);
    Model<Small, double> twin(2);
    CHECK(transfer(small, twin) == 4);
    CHECK(Array<float>(twin.parameter(2)) == small.parameter(2));

    Model<Wider> wider(3);
    Model<Longer> longer(4);
    const Array<float> kept(wider.parameter(0));
    CHECK_THROWS_WITH(transfer(small, wider),
                      "transfer of parameter '2-dense.weights': expected shape (4, 5), found shape (4, 2)");
    CHECK(wider.parameter(0) == kept);  // nothing was copied
    CHECK_THROWS_WITH(transfer(small, longer),
                      "transfer of parameter '3-dense.weights': expected shape (2, 2), found no such parameter in "
                      "the source, which has '1-dense.weights', '1-dense.biases', '2-dense.weights', '2-dense.biases'");
    CHECK_THROWS_WITH(
        transfer(longer, small),
        "transfer of parameter '3-dense.weights': expected shape (2, 2), found no such parameter in the target, which "
        "has '1-dense.weights', '1-dense.biases', '2-dense.weights', '2-dense.biases'");
    CHECK_THROWS_WITH(transfer(small, wider, "4-*"),
                      "transfer of parameters: expected a pattern that matches a parameter, found '4-*'; parameters: "
                      "'1-dense.weights', '1-dense.biases', '2-dense.weights', '2-dense.biases'");
    CHECK(transfer(small, wider, "1-*") == 2);
    CHECK(wider.parameter(0) == small.parameter(0));
    CHECK(transfer(small, longer, "*", Transfer::common) == 4);
    CHECK(longer.parameter(3) == small.parameter(3));
    const Array<float> before(wider.parameter(2));
    CHECK(transfer(small, wider, "*", Transfer::common) == 2);
    CHECK(wider.parameter(2) == before);
}
