// SPDX-License-Identifier: BSL-1.0
#include <sigma/layer/dense.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/branches.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/trainer/trainer.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>

using namespace sigma;

namespace {

/// A network with two inputs. Each output needs both: the sign of a product of sums, and the sum of both.
struct Tasks
    : Network<(named("left", Input(8)) & named("right", Input(8))) + Parallel(Dense(24, tanh), Dense(24, tanh)) +
              Concatenate() + Residual(Dropout(0.05) + Dense(48, tanh)) +
              Costs(Dense(2) + named("sign", SoftmaxCE()), loss_weight(0.5, named("sum", Dense(1) + SquaredDiff())))> {
};
struct Growing : Network<(Input(2) & Input(3)) + Parallel(Dense(2), Dense(2)) + Add() + Dense(2) +
                         Costs(Dense(1) + SquaredDiff(), named("second", SquaredDiff()))> {};

NamedNumbers array(const char* name, std::vector<std::size_t> shape, std::uint64_t stream) {
    std::size_t count = 1;
    for (const std::size_t n : shape) count *= n;
    NamedNumbers n{name, {shape, std::vector<float>(count)}};
    Philox(8, RandomUse::user, stream).fill_normal(std::span(n.numbers.values));
    return n;
}
/// Returns inputs and targets, in another order if `swapped`.
Dataset tasks(std::size_t records, bool swapped = false) {
    NamedNumbers left = array("left", {records, 8}, 1), right = array("right", {records, 8}, 2);
    NamedNumbers sign{"sign", {{records}, {}}}, sum{"sum", {{records, 1}, {}}};
    for (std::size_t i = 0; i < records; ++i) {
        float l = 0, r = 0;
        for (std::size_t k = 0; k < 8; ++k) {
            l += left.numbers.values[8 * i + k] / 3;
            r += right.numbers.values[8 * i + k] / 3;
        }
        sign.numbers.values.push_back(l * r > 0 ? 1.0f : 0.0f);
        sum.numbers.values.push_back(l + r);
    }
    if (swapped) return {{right, left}, {sum, sign}, "tasks"};
    return {{left, right}, {sign, sum}, "tasks"};
}
template <class T>
std::vector<T> trained(detail::Cpu device, const Dataset& data) {
    Trainer trainer("tasks", Tasks{}, Adam{.learning_rate = 0.01}, minibatches(data, 128), element<T>, 3);
    trainer.run(device, 3);
    const auto memory = trainer.model().parameter_memory();
    return {memory.begin(), memory.end()};
}
template <class T>
bool same_elements(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), sizeof(T) * a.size()) == 0;
}

}  // namespace

TEST_CASE("A network of two inputs and two costs learns both") {
    const Dataset data = tasks(1000);
    Trainer trainer("tasks", Tasks{}, Adam{.learning_rate = 0.01}, minibatches(data, 50));
    const auto before = trainer.evaluate(data);
    trainer.on_iteration([](auto& t) { CHECK(t.loss() == Approx(t.losses()[0] + 0.5 * t.losses()[1]).epsilon(1e-5)); });
    trainer.run(cpu(), 30);
    const auto after = trainer.evaluate(data);
    CHECK(before.costs[1].error > 1);
    CHECK(after.costs[1].error < 0.1);
    CHECK(after.costs[0].accuracy > 0.95);
    CHECK(after.accuracy == after.costs[0].accuracy);
    CHECK(after.error == Approx(after.costs[0].error + 0.5 * after.costs[1].error));
    const auto sums = trainer.predict<"sum">(data.inputs(0), data.inputs(1));
    CHECK(sums.shape(0) == 1000);
    CHECK(sums.shape(1) == 1);
    CHECK(trainer.predict<0>(data.inputs(0), data.inputs(1)).shape(1) == 2);
}

TEST_CASE("Names say which array is for which input, and threads do not matter") {
    const auto one = trained<float>(cpu(), tasks(400));
    CHECK(same_elements(one, trained<float>(cpu(), tasks(400, true))));
    CHECK(same_elements(one, trained<float>(cpu({.threads = 2}), tasks(400))));
    CHECK(same_elements(trained<double>(cpu(), tasks(400)), trained<double>(cpu({.threads = 3}), tasks(400, true))));
}

TEST_CASE("A dataset of several arrays that do not fit is refused") {
    const auto train = [](std::vector<NamedNumbers> inputs, std::vector<NamedNumbers> targets) {
        Trainer trainer("tasks", Tasks{}, Adam{},
                        minibatches(Dataset(std::move(inputs), std::move(targets), "data"), 2));
    };
    const NamedNumbers left = array("left", {4, 8}, 1), right = array("right", {4, 8}, 2),
                       sum = array("sum", {4, 1}, 3);
    const NamedNumbers sign{"sign", {{4}, {0, 1, 1, 0}}};
    CHECK_NOTHROW(train({left, right}, {sign, sum}));
    CHECK_NOTHROW(train({array("", {4, 8}, 1), left}, {array("", {4}, 3), sign}));
    CHECK_THROWS_WITH(train({left}, {sign, sum}),
                      "dataset 'data': expected 2 inputs and 2 targets, found 1 input and 2 targets");
    CHECK_THROWS_WITH(train({left, array("right", {4, 7}, 2)}, {sign, sum}),
                      "input 'right' of dataset 'data': expected shape (records, 8), found shape (4, 7)");
    CHECK_THROWS_WITH(train({left, array("wrong", {4, 8}, 2)}, {sign, sum}),
                      "dataset 'data': expected an array for input 'right', found 'wrong'");
    CHECK_THROWS_WITH(train({left, right}, {sign, array("sum", {4, 2}, 3)}),
                      "target 'sum' of dataset 'data': expected shape (records, 1), found shape (4, 2)");
    CHECK_THROWS_WITH(train({left, right}, {NamedNumbers{"sign", {{4}, {0, 1, 2, 0}}}, sum}),
                      "dataset 'data', record 2: expected a label from 0 to 1, found 2");
    CHECK_THROWS_WITH(train({left, array("right", {5, 8}, 2)}, {sign, sum}),
                      "dataset 'data', input 'right': expected as many records as the first input has, 4, found 5");
    CHECK_THROWS_WITH(train({left, right}, {}),
                      "dataset 'data': expected at least one input and one target, found 2 inputs and 0 targets");
}

TEST_CASE("The layer or the cost that leaves the finite numbers is named") {
    const auto fails = [](std::vector<NamedNumbers> targets, double rate, const char* pattern, float value) {
        Dataset data({array("", {8, 2}, 1), array("", {8, 3}, 2)}, std::move(targets), "data");
        Trainer trainer("growing", Growing{}, GradientDescent{.learning_rate = rate}, minibatches(data, 4));
        if (*pattern) trainer.initialize(pattern, constant(value));
        try {
            trainer.run(cpu(), 50);
        } catch (const NumericError& e) { return e.layer; }
        return std::string("none");
    };
    const NamedNumbers a = array("", {8, 1}, 3), b = array("second", {8, 2}, 4);
    NamedNumbers large = b;
    for (float& v : large.numbers.values) v = 1e30f;
    CHECK(fails({a, b}, 0.01, "", 0) == "none");
    CHECK(fails({a, large}, 0.01, "", 0) == "second");  // its squares are infinite
    CHECK(fails({a, b}, 0.01, "3-dense.weights", 3e38f) == "3-dense");
}
