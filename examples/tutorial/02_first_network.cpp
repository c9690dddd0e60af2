// SPDX-License-Identifier: BSL-1.0
// Tutorial, chapter 2: a network with a hidden layer separates two spirals.
//   tutorial_02_first_network [PICTURE.svg]
#include <sigma/sigma.hpp>

#include <cmath>
#include <cstdio>
#include "picture.hpp"

using namespace sigma;

// [network]
struct Spirals : Network<Input(2) + 2 * Dense(24, tanh) + Dense(2) + SoftmaxCE()> {};
// [network]

namespace {

// [data]
/// Points on two spirals: class 0 on one, class 1 on the other.
Dataset spirals(std::size_t records, std::uint64_t seed) {
    PhiloxSequence random{Philox(seed)};
    Array<float> points = Array<float>::from_shape({records, 2});
    std::vector<int> classes(records);
    for (std::size_t i = 0; i < records; ++i) {
        const float radius = 0.1f + 0.9f * random.uniform();
        const float angle = 6 * radius + (i % 2 == 0 ? 0.0f : 3.1416f) + 0.15f * random.normal();
        points(i, 0) = radius * std::cos(angle);
        points(i, 1) = radius * std::sin(angle);
        classes[i] = static_cast<int>(i % 2);
    }
    return make_dataset(points, classes, "spirals");
}
// [data]

}  // namespace

int main(int count, char** arguments) {
    // [train]
    const Dataset training = spirals(400, 1), testing = spirals(200, 2);
    Trainer trainer("spirals", Spirals{}, Adam{.learning_rate = 0.02}, minibatches(training, 50));
    trainer.add(every(20, epoch).then(
        score(testing), report("epoch {:3}  loss {:.4f}  accuracy {:.3f}", epoch, training_loss, accuracy)));
    trainer.run(cpu(), 100);
    // [train]

    // [predict]
    const Array<float> p = trainer.predict({0.5f, 0.0f});  // one record: the probabilities of both classes
    std::printf("at (0.5, 0): %.3f %.3f\n", static_cast<double>(p(0, 0)), static_cast<double>(p(0, 1)));
    const double reached = trainer.evaluate(testing).accuracy;
    std::printf("%.1f %% of new points are classified correctly\n", 100 * reached);
    // [predict]

    if (count > 1) {
        tutorial::Chart chart("Two spirals, as the network classifies new points", "x", "y");
        const Classified classes = trainer.classify(testing.inputs());
        for (const int kind : {0, 1}) {
            std::vector<double> x, y;
            for (std::size_t i = 0; i < testing.size(); ++i)
                if (static_cast<int>(classes[i]) == kind) {
                    x.push_back(static_cast<double>(testing.input(i)[0]));
                    y.push_back(static_cast<double>(testing.input(i)[1]));
                }
            chart.points(kind == 0 ? "class 0" : "class 1", x, y);
        }
        chart.write(arguments[1]);
    }
    return reached > 0.95 ? 0 : 1;
}
