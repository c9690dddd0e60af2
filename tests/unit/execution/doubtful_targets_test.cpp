// SPDX-License-Identifier: BSL-1.0
#include <sigma/layer/squared_diff.hpp>
#include <sigma/sigma.hpp>

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace sigma;

namespace {

struct Never : Network<Input(2) + Dense(1, relu) + MeanSquaredError()> {};
struct Six : Network<Input(2) + Dense(2, relu6) + Reshape(2) + Huber()> {};
struct Amounts : Network<Input(2) + Dense(1) + MeanSquaredError()> {};
struct Classes : Network<Input(2) + Dense(3) + SoftmaxCE()> {};

Dataset points(const std::vector<float>& targets, std::size_t width = 1, std::vector<std::string> classes = {}) {
    const std::size_t n = targets.size() / width;
    std::vector<std::size_t> shape{n};
    if (classes.empty()) shape.push_back(width);
    return Dataset(Numbers{{n, 2}, std::vector<float>(2 * n, 0.5f)}, Numbers{shape, targets}, "points", classes);
}
template <class N>
std::vector<std::string> told(const Dataset& given, int runs = 1) {
    Trainer<N, GradientDescent> trainer("net", N{}, {.learning_rate = 0}, minibatches(given, 2));
    std::vector<std::string> lines;
    trainer.output = [&](std::string_view line) { lines.emplace_back(line); };
    for (int i = 0; i < runs; ++i) trainer.run(cpu(), 1);
    return lines;
}
using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("Targets that the last activation never reaches are said once, when a run begins") {
    CHECK(told<Never>(points({1, -2.5f, 3, 0}), 3) ==
          Lines{"trainer 'net': predictions of cost '2-mean_squared_error' are never below 0, because of the last "
                "activation, but targets go to -2.5"});
    CHECK(told<Never>(points({1, 0, 3, 0})).empty());
    CHECK(told<Amounts>(points({1, -2.5f, 3, 0})).empty());
    CHECK(told<Six>(points({-1, 9, 3, 0}, 2)) ==
          Lines{"trainer 'net': predictions of cost '3-huber' are never below 0, because of the last activation, but "
                "targets go to -1",
                "trainer 'net': predictions of cost '3-huber' are never above 6, because of the last activation, but "
                "targets go to 9"});
}

TEST_CASE("Class numbers that are compared as amounts are said once") {
    const Dataset flowers = points({0, 1, 2, 1}, 1, {"setosa", "versicolor", "virginica"});
    CHECK(
        told<Amounts>(flowers, 2) ==
        Lines{
            "trainer 'net': cost '2-mean_squared_error' uses the numbers of 3 classes as regression targets (SoftmaxCE "
            "learns classes, BinaryCE yes and no)"});
    CHECK(told<Classes>(flowers).empty());
    CHECK(told<Amounts>(points({0, 1, 2, 1})).empty());  // they may be counts
}
