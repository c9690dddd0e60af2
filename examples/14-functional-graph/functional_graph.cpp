// SPDX-License-Identifier: BSL-1.0
// Separates two spirals (Lang and Witbrock 1988) with a network whose layers read all layers before them. The network
// is written as a function, `layer(Dense(16, tanh), x)`, and as an expression with branches. Both are bit-identical.
// Prints a table of the layers, the graph for Graphviz, and the predicted class of each point of the plane. At least 99
// % of new points, which lie between the training points, are classified correctly.
//   14_functional_graph | sed -n '/^digraph/,/^}/p' | dot -Tsvg > network.svg
#include <sigma/core/run_main.hpp>
#include <sigma/data/minibatches.hpp>
#include <sigma/hook/report.hpp>
#include <sigma/hook/score.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/branches.hpp>
#include <sigma/network/graph.hpp>
#include <sigma/network/transfer.hpp>
#include <sigma/network/wrappers.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/trainer/trainer.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>

using namespace sigma;

struct Spirals : Network<Input(2) +
                         [](auto x) {
                             const auto a = layer(named("first", Dense(16, tanh)), x);
                             const auto seen = layer(Concatenate(), x, a);
                             const auto b = layer(named("second", Dense(16, tanh)), seen);
                             const auto gate = layer(named("gate", Dense(16, sigmoid)), seen);
                             return layer(Concatenate(), seen, b * gate);
                         } +
                         Dense(16, tanh) + Dense(2) + SoftmaxCE()> {};

constexpr auto gated = Multiply(named("second", Dense(16, tanh)), named("gate", Dense(16, sigmoid)));
struct SpiralsInBranches : Network<Input(2) + Concatenate(skip, named("first", Dense(16, tanh))) +
                                   Concatenate(skip, gated) + Dense(16, tanh) + Dense(2) + SoftmaxCE()> {};

namespace {

/// Returns `count` points of each spiral, which makes one and a half turns. The points are shifted along the spiral by
/// a share of the distance between two points.
Dataset spirals(std::size_t count, double shift) {
    Numbers points{{2 * count, 2}, {}}, labels{{2 * count}, {}};
    for (std::size_t i = 0; i < 2 * count; ++i) {
        const double along = (static_cast<double>(i / 2) + shift) / static_cast<double>(count);
        const double angle = 3 * std::numbers::pi * along + (i % 2 == 0 ? 0 : std::numbers::pi),
                     radius = 0.4 + 3.6 * along;
        points.values.push_back(static_cast<float>(radius * std::cos(angle)));
        points.values.push_back(static_cast<float>(radius * std::sin(angle)));
        labels.values.push_back(static_cast<float>(i % 2));
    }
    return {std::move(points), std::move(labels), "spirals", {"one", "other"}};
}

/// Draws the predicted classes in the square from -4.4 to 4.4, with the points.
std::string picture(Model<Spirals>& model, const Dataset& points) {
    constexpr std::size_t rows = 23, columns = 2 * rows;
    std::vector<std::string> lines(rows, std::string(columns, ' '));
    for (std::size_t y = 0; y < rows; ++y)
        for (std::size_t x = 0; x < columns; ++x) {
            const float point[] = {4.4f * (2 * static_cast<float>(x) / (columns - 1) - 1),
                                   4.4f * (1 - 2 * static_cast<float>(y) / (rows - 1))};
            float probabilities[2];
            model.predict(point, probabilities, 1);
            lines[y][x] = probabilities[1] > probabilities[0] ? '.' : ' ';
        }
    for (std::size_t i = 0; i < points.size(); ++i) {
        const auto at = [&](float share, std::size_t extent) {
            return static_cast<std::size_t>(std::lround((share / 4.4f + 1) / 2 * static_cast<float>(extent - 1)));
        };
        lines[at(-points.input(i)[1], rows)][at(points.input(i)[0], columns)] = points.label(i) == 1 ? 'x' : 'o';
    }
    std::string text;
    for (const std::string& line : lines) text += sentence("  ", line, "\n");
    return text;
}

int run(int epochs) {
    std::printf("%s\n%s\n", summary<Spirals>().c_str(), graphviz<Spirals>().c_str());

    const Dataset training = spirals(96, 0), between = spirals(96, 0.5);
    Trainer trainer("spirals", Spirals{}, Adam{.learning_rate = 0.01}, minibatches(training, 32));
    trainer.add(every(20, epoch).then(
        score(between),
        report("epoch {:3}  error {:.4f}  accuracy between the points {:.1%}", epoch, training_loss, accuracy)));
    trainer.run(cpu(), epochs);
    const double right = trainer.evaluate(between).accuracy;
    std::printf("\n%s\n", picture(trainer.model(), training).c_str());

    // `transfer` matches parameters by name, so both networks must number their layers equally.
    Model<SpiralsInBranches> branches;
    transfer(trainer.model(), branches);
    const bool same = branches.predict(between.inputs()) == trainer.predict(between.inputs());
    std::printf("the network in branches predicts %s\n", same ? "the same, bit by bit" : "other values");

    constexpr double wanted = 0.99;
    if (right < wanted) std::printf("the accuracy should be at least %.0f %%\n", 100 * wanted);
    return right >= wanted && same ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    return run_main([&] { return run(count > 1 ? std::atoi(arguments[1]) : 100); });
}
