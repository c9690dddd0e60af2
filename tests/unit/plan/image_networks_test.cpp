// SPDX-License-Identifier: BSL-1.0
// Training steps of networks over images, sequences and tables: the plan and the kernels against the naive interpreter.
#include <sigma/device/cpu/executor.hpp>
#include <sigma/device/cpu/thread_pool.hpp>
#include <sigma/execution/step.hpp>
#include <sigma/layer/conv3d.hpp>
#include <sigma/layer/convolution.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/embedding.hpp>
#include <sigma/layer/pooling.hpp>
#include <sigma/layer/reshape.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/layer/upsample.hpp>
#include <sigma/network/network.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/plan/print.hpp>

#include <support/direct_step.hpp>
#include "support/plan_interpreter.hpp"
#include "support/plan_overlap.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <string>
#include <vector>

using namespace sigma;
using namespace sigma::test;

namespace {

struct Images : Network<Input(9, 8) + Conv2D(3, {2, 3}, relu, {.padding = same}) + MaxPool(2) +
                        Conv2D(9, 3, tanh, {.stride = {1, 2}, .padding = {1, 0, 1, 2}}) +
                        AveragePool(2, {.stride = 1}) + Dense(4) + SoftmaxCE()> {};
struct Groups : Network<Input(5, 6, 4) + DepthwiseConv2D(3, tanh, {.padding = same}) + Conv2D(6, 1, {.groups = 2}) +
                        ConvTranspose2D(3, 3, sigmoid, {.stride = 2, .padding = same}) +
                        MaxPool(3, {.stride = 2, .padding = same}) + GlobalMaxPool() + Dense(2) + SquaredDiff()> {};
struct Framed
    : Network<Input(7, 6, 3) + Conv2D(4, {5, 3}, relu, {.padding = same}) +
              Conv2D(5, 3, tanh, {.stride = 2, .padding = {2, 1, 0, 3}}) + DepthwiseConv2D(3, tanh, {.padding = same}) +
              Residual(Conv2D(5, 3, {.padding = same, .dilation = 2})) + Dense(3) + SoftmaxCE()> {};
struct Sequences : Network<Input(11, 3) + Conv1D(4, 3, relu, {.padding = same, .dilation = 2}) + MaxPool(2) +
                           Conv1D(5, 2) + GlobalAveragePool() + Dense(3) + SoftmaxCE()> {};
struct Words : Network<Input(6) + Embedding(9, 4) + Conv1D(3, 2, tanh) + Dense(2) + SquaredDiff()> {};
struct Volumes
    : Network<Input(4, 5, 4, 2) + Conv3D(4, {2, 3, 2}, relu, {.stride = {2, 1, 1}, .padding = same, .groups = 2}) +
              Conv3D(3, 2, tanh) + Dense(2) + SoftmaxCE()> {};
struct Enlarged : Network<Input(3, 4, 2) + Upsample(2, Interpolation::bilinear) + Conv2D(2, 3) + Upsample({2, 1}) +
                          Reshape(16, 6) + ConvTranspose1D(2, 3, {.stride = 2}) + Dense(2) + SquaredDiff()> {};

template <class N, class O>
Bindings bindings_of(const sigma::detail::Program& p, long long records, unsigned seed) {
    std::mt19937 random(seed);
    const auto draw = [&](const Shape& s) {
        Values v(static_cast<std::size_t>(Extents(s, records).count()));
        for (double& x : v) x = static_cast<double>(random() % 4001) / 1000 - 2;
        return v;
    };
    Bindings b;
    b.inputs = {draw(N::input), draw(N::target)};
    if (N::records.costs[0].classifies)
        for (double& x : b.inputs[1]) x = static_cast<double>(random() % static_cast<unsigned>(N::output.last()));
    if (std::is_same_v<N, Words>)  // words; one of them is none
        for (double& x : b.inputs[0]) x = static_cast<double>(random() % 9);
    for (double s : O{}.scalars(1)) b.inputs.push_back({s});
    for (int i = 0; i < p.tape.size(); ++i) {
        if (p.tape[i].operation == sigma::detail::Operation::parameter) b.parameters.push_back(draw(p.tape[i].shape));
        if (p.tape[i].operation == sigma::detail::Operation::state) b.states.push_back(draw(p.tape[i].shape));
    }
    return b;
}
std::string difference(const std::vector<Values>& found, const std::vector<Values>& wanted) {
    for (std::size_t i = 0; i < wanted.size(); ++i)
        for (std::size_t j = 0; j < wanted[i].size(); ++j)
            if (!(std::abs(found.at(i).at(j) - wanted[i][j]) <= 1e-10 * (1 + std::abs(wanted[i][j]))))
                return sentence("tensor ", i, ", element ", j, ": expected ", wanted[i][j], ", found ", found[i][j]);
    return "";
}

}  // namespace

TEMPLATE_TEST_CASE("plans of networks over images compute what the tape says, in any order", "[plan]", Images, Groups,
                   Framed, Sequences, Words, Volumes, Enlarged) {
    const sigma::detail::Program program = detail::TrainingProgram<TestType, Momentum>{}();
    for (long long records : {1, 5}) {
        const Bindings bindings = bindings_of<TestType, Momentum>(program, records, 7);
        const Interpretation wanted = interpret(program, bindings, records);
        for (int lanes : {2, 8, 16}) {
            const sigma::detail::Plan plan = sigma::detail::make_plan(program, lanes);
            CHECK(Overlap(plan).find() == "");
            using Order = PlanInterpreter::Order;
            for (Order order : {Order::plain, Order::shards, Order::shards_reversed, Order::kernels, Order::random}) {
                PlanInterpreter machine(plan, lanes, records, records + 1);
                machine.bind(bindings);
                INFO(lanes << " lanes, " << records << " records, order " << static_cast<int>(order));
                REQUIRE_NOTHROW(machine.run(order, 3));
                CHECK(difference(machine.outputs(), wanted.outputs) == "");
                CHECK(difference(machine.parameters(), wanted.parameters) == "");
                CHECK(difference(machine.states(), wanted.states) == "");
            }
        }
    }
}

TEST_CASE("convolutions read zeros around images without a copy", "[plan]") {
    const auto copies = [](const sigma::detail::Program& program) {
        int padded = 0, moved = 0;
        for (const sigma::detail::Kernel& k : sigma::detail::make_plan(program, 8).kernels) {
            padded += k.kind == sigma::detail::Kernel::Kind::convolution && k.convolution.padded();
            moved += k.kind == sigma::detail::Kernel::Kind::move && k.local;  // of images, not of weights
        }
        return std::pair(padded, moved);
    };
    // Each of four layers in three kinds of kernels, but for the gradient of the network's input.
    CHECK(copies(detail::TrainingProgram<Framed, GradientDescent>{}()) == std::pair(11, 0));
    const std::string text = to_text(sigma::detail::make_plan(detail::TrainingProgram<Framed, GradientDescent>{}(), 8));
    CHECK(text.find("zeros around") != std::string::npos);
    CHECK(copies(detail::TrainingProgram<Images, GradientDescent>{}()).second > 0);  // one channel: a copy is faster
}

TEMPLATE_TEST_CASE("a training step over images does what the tape says", "[plan]", Images, Groups, Framed, Sequences,
                   Words, Volumes, Enlarged) {
    const sigma::detail::Program program = detail::TrainingProgram<TestType, GradientDescent>{}();
    for (long long records : {1, 5}) {
        Bindings bindings = bindings_of<TestType, GradientDescent>(program, records, 11);
        const Interpretation wanted = interpret(program, bindings, records);
        Model<TestType, double> model(1);
        sigma::test::DirectStep<TestType, GradientDescent, double> step(model);
        const auto parameters = [&](auto f) {
            for (int i = 0; i < model.parameter_count; ++i) {
                const Extents e(model.records.parameters[i].shape, 1);
                for (long long j = 0; j < e.count(); ++j) {
                    const long long last = e[e.rank - 1];
                    f(static_cast<std::size_t>(i), static_cast<std::size_t>(j),
                      model.parameter_data(i)[j / last * model.pitch(i) + j % last]);
                }
            }
        };
        parameters([&](std::size_t i, std::size_t j, double& x) { x = bindings.parameters[i][j]; });
        const double found_loss =
            step(GradientDescent{}, 1, bindings.inputs[0].data(), bindings.inputs[1].data(), records);
        CHECK(found_loss == Approx(wanted.outputs[0][0]).epsilon(1e-10));
        std::vector<Values> found = bindings.parameters;
        parameters([&](std::size_t i, std::size_t j, double& x) { found[i][j] = x; });
        CHECK(difference(found, wanted.parameters) == "");
    }
}

TEMPLATE_TEST_CASE("a training step over images gives the same bits on 1, 2 and 3 threads", "[plan]", Images, Groups,
                   Framed, Sequences, Words, Volumes, Enlarged) {
    constexpr std::ptrdiff_t records = 150;
    std::vector<float> x(static_cast<std::size_t>(records * TestType::input.count())),
        y(static_cast<std::size_t>(records * TestType::target.count()));
    std::mt19937 random(1);
    for (float& v : x) v = static_cast<float>(random() % 9);
    for (float& v : y) v = static_cast<float>(random() % 2);
    std::vector<std::vector<float>> results;
    for (int threads : {1, 2, 3}) {
        Model<TestType> model(5);
        sigma::test::DirectStep<TestType, GradientDescent> step(model);
        model.set_threads(threads);
        for (std::uint64_t t = 1; t <= 3; ++t) step(GradientDescent{}, t, x.data(), y.data(), records);
        const auto memory = model.parameter_memory();
        results.emplace_back(memory.begin(), memory.end());
    }
    CHECK(results[0] == results[1]);
    CHECK(results[0] == results[2]);
}
