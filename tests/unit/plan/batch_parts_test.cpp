// SPDX-License-Identifier: BSL-1.0
// A program that is split into parts of a batch gives the results of the whole program, interpreted in double.
#include <sigma/network/programs.hpp>
#include <sigma/plan/batch_parts.hpp>
#include <sigma/sigma.hpp>
#include <sigma/tape/interpreter.hpp>

#include <catch2/catch.hpp>
#include <support/thrown.hpp>

#include <cmath>
#include <vector>

using namespace sigma;
using Catch::Matchers::Contains;
using sigma::detail::Node;
using sigma::detail::Operation;
using sigma::detail::PartedProgram;
using sigma::detail::Program;

namespace {

using Values = std::vector<double>;

std::size_t elements(const Shape& s, std::size_t records) {
    return static_cast<std::size_t>(s.count()) * (s.batched() ? records : 1);
}
/// The values of inputs and parameters by their numbers.
struct Given {
    std::vector<Values> inputs{}, parameters{};
    std::vector<Shape> shapes{};  ///< shapes of the inputs
};
Given given_for(const Program& p, std::size_t records, const std::vector<int>& classes) {
    Given g;
    for (const Node& n : p.tape) {
        if (n.operation != Operation::input && n.operation != Operation::parameter) continue;
        auto& all = n.operation == Operation::input ? g.inputs : g.parameters;
        const auto number = static_cast<std::size_t>(n.attribute);
        if (all.size() <= number) all.resize(number + 1);
        if (n.operation == Operation::input && g.shapes.size() <= number) g.shapes.resize(number + 1);
        if (n.operation == Operation::input) g.shapes[number] = n.shape;
        Values& values = all[number];
        values.resize(elements(n.shape, records));
        Philox(7, RandomUse::user, number + (n.operation == Operation::input ? 100 : 0)).fill_normal(std::span(values));
    }
    // The last input is the target, a class or a number; an input of ids holds those of a table of five.
    for (std::size_t i = 0; i < g.inputs.size(); ++i)
        if (i < classes.size() && classes[i] > 0)
            for (std::size_t k = 0; k < g.inputs[i].size(); ++k)
                g.inputs[i][k] = static_cast<double>((k * k + 3 * i) % static_cast<std::size_t>(classes[i]));
    return g;
}

std::vector<Values> run(const Program& p, const std::vector<Values>& inputs, const std::vector<Values>& parameters,
                        std::size_t records) {
    debugging::Bindings<double> bindings{inputs, parameters, {}};
    return debugging::interpret(p, bindings, static_cast<long long>(records)).outputs;
}

/// Runs all parts through each stage. Returns the first part's results if all parts are equal.
std::vector<Values> run_parts(const PartedProgram& p, const Given& g, std::size_t records,
                              const std::vector<std::size_t>& cuts) {
    const std::size_t parts = cuts.size() - 1, values = p.values.size();
    std::vector<std::vector<Values>> own(parts, std::vector<Values>(values));
    std::vector<Values> sums(values);
    for (std::size_t s = 0; s < p.stages.size(); ++s) {
        for (std::size_t part = 0; part < parts; ++part) {
            std::vector<Values> inputs(g.inputs.size() + 2 + values);
            for (std::size_t i = 0; i < g.inputs.size(); ++i) {
                const std::size_t width = elements(g.shapes[i], 1);
                inputs[i] = g.shapes[i].batched()
                                ? Values(g.inputs[i].begin() + static_cast<std::ptrdiff_t>(cuts[part] * width),
                                         g.inputs[i].begin() + static_cast<std::ptrdiff_t>(cuts[part + 1] * width))
                                : g.inputs[i];
            }
            inputs[static_cast<std::size_t>(p.reciprocal())] = {1.0 / static_cast<double>(records)};
            inputs[static_cast<std::size_t>(p.share())] = {1.0 / static_cast<double>(parts)};
            for (std::size_t v = 0; v < values; ++v)
                inputs[static_cast<std::size_t>(p.input_of(static_cast<int>(v)))] =
                    p.values[v].summed ? sums[v] : own[part][v];
            const auto outputs = run(p.stages[s].program, inputs, g.parameters, cuts[part + 1] - cuts[part]);
            for (std::size_t o = 0; o < outputs.size(); ++o)
                own[part][static_cast<std::size_t>(p.stages[s].outputs[o])] = outputs[o];
        }
        for (const int v : p.stages[s].outputs) {
            const auto at = static_cast<std::size_t>(v);
            if (!p.values[at].summed) continue;
            sums[at].assign(own[0][at].size(), 0);
            for (std::size_t part = 0; part < parts; ++part)
                for (std::size_t k = 0; k < sums[at].size(); ++k) sums[at][k] += own[part][at][k];
        }
    }
    std::vector<Values> results;
    for (const int v : p.outputs)
        results.push_back(p.values[static_cast<std::size_t>(v)].summed ? sums[static_cast<std::size_t>(v)]
                                                                       : own[0][static_cast<std::size_t>(v)]);
    return results;
}

/// Checks a program in parts. Returns the number of stages.
std::size_t check_parts(const Program& whole, const std::vector<int>& classes = {}) {
    constexpr std::size_t records = 8;
    const Given g = given_for(whole, records, classes);
    const auto wanted = run(whole, g.inputs, g.parameters, records);
    std::size_t stages = 0;
    for (const auto& cuts : {std::vector<std::size_t>{0, 8}, {0, 4, 8}, {0, 1, 3, 6, 8}, {0, 2, 4, 6, 8}}) {
        const auto p = sigma::detail::split_into_parts(whole, static_cast<int>(g.inputs.size()));
        stages = p.stages.size();
        const auto found = run_parts(p, g, records, cuts);
        REQUIRE(found.size() == wanted.size());
        for (std::size_t o = 0; o < found.size(); ++o) {
            REQUIRE(found[o].size() == wanted[o].size());
            for (std::size_t k = 0; k < found[o].size(); ++k)
                REQUIRE(found[o][k] == Approx(wanted[o][k]).epsilon(1e-9).margin(1e-11));
        }
    }
    return stages;
}
template <class N>
std::size_t check_network(const std::vector<int>& classes = {}) {
    return check_parts(sigma::detail::NetworkProgram<N, sigma::detail::to_find_step>{}(), classes);
}

struct Plain : Network<Input(4) + Dense(6, tanh) + Dense(3) + SoftmaxCE()> {};
struct Normal : Network<Input(4) + Dense(6) + BatchNorm() + Dense(5, tanh) + BatchNorm() + Dense(3) + SoftmaxCE()> {};
struct Images
    : Network<Input(6, 6, 2) + Conv2D(3, 3) + BatchNorm() + MaxPool(2) + Dense(3) + SoftmaxCE({.smoothing = 0.1})> {};
struct Ignoring : Network<Input(4) + Dense(3) + SoftmaxCE({.ignore = 2})> {};
struct Weighted : Network<Input(4) + Dense(3) + SoftmaxCE().weighted(1, 2, 0.5)> {};
struct Penalised : Network<Input(4) + Dense(3) + MeanSquaredError({.reduction = Reduction::total})> {};
struct Times : Network<Input(4) + Reshape(4, 1) + LSTM(5) + Dense(2) + MeanSquaredError()> {};
struct Words : Network<Input(3) + Embedding(5, 4) + LSTM(3, {.last = true}) + Dense(3) + SoftmaxCE()> {};

}  // namespace

TEST_CASE("Programs in parts give what the whole gives", "[batch_parts]") {
    CHECK(check_network<Plain>({0, 3}) == 1);
    CHECK(check_network<Penalised>() == 1);
    CHECK(check_network<Times>() == 1);
    CHECK(check_network<Words>({5, 3}) == 1);
    CHECK(check_network<Weighted>({0, 3}) >= 1);
    CHECK(check_network<Ignoring>({0, 3}) == 2);  // how many count is known when all have been counted
    CHECK(check_network<Images>({0, 3}) > 2);
    CHECK(check_network<Normal>({0, 3}) > 4);  // mean, then variance, of each layer; and what flows back through both
}

TEST_CASE("Values that all parts have alike are added to sums once", "[batch_parts]") {
    Program p;
    const auto x = input(p, {batch, 3}, 0), w = Variable{&p.tape, p.tape.leaf(Operation::parameter, Shape{3})};
    const auto sums = sum(Tensor{x}, axis(0)).variable;
    add_output(p, sums + w);     // Σ + w
    add_output(p, sums * w);     // linear
    add_output(p, sums * sums);  // of the whole sum
    add_output(p, w * w);        // of no part
    CHECK(check_parts(p) == 2);
}

TEST_CASE("What mixes records in another way is refused with its name", "[batch_parts]") {
    Program p;
    const auto x = input(p, {batch, 3}, 0);
    add_output(p, max(Tensor{x}, axis(0)).variable);
    CHECK_THROWS_WITH(sigma::detail::split_into_parts(p, 1),
                      Contains("a batch in parts") && Contains("'reduce_maximum' over the batch"));
}
