// SPDX-License-Identifier: BSL-1.0
// Tutorial, chapter 8: a layer and a loss of your own, checked and trained.
//   tutorial_08_own_layer_and_loss [PICTURE.svg]
#include <sigma/check_gradients.hpp>
#include <sigma/sigma.hpp>

#include <cmath>
#include <cstdio>
#include "picture.hpp"

using namespace sigma;

// [layer]
/// A layer of waves: sin(x·W + b), with frequencies that start large enough to bend.
struct Waves : Layer {
    int units;
    constexpr explicit Waves(int units_) : units(units_) {}
    static constexpr Text kind = "waves";

    constexpr Tensor forward(Context& context, Tensor x) const {
        const Tensor w = parameter(context, {x.shape().last(), units}, "weights", gaussian(4.0));
        const Tensor b = parameter(context, Shape{units}, "biases", uniform(-3.0, 3.0));
        return sin(dot(x, w) + b);
    }
};
// [layer]

// [loss]
/// Quadratic near 0 and linear far out, without a corner: log cosh(z - y).
struct LogCosh : ElementLoss<LogCosh, Reduction::over_elements> {
    using ElementLoss::ElementLoss;
    static constexpr Text kind = "log_cosh";
    constexpr Tensor term(Tensor z, Tensor y) const {
        const Tensor d = abs(z - y);
        return d + softplus(-2.0 * d) - 0.6931471805599453;
    }
};
// [loss]

// [network]
struct Curve : Network<Input(1) + Waves(32) + Dense(1) + LogCosh()> {};
// [network]

namespace {

Dataset measurements(std::size_t records) {
    PhiloxSequence random{Philox(5)};
    Array<float> x = Array<float>::from_shape({records, 1}), y = x;
    for (std::size_t i = 0; i < records; ++i) {
        x(i, 0) = 2 * random.uniform() - 1;
        y(i, 0) = std::sin(6 * x(i, 0) * std::abs(x(i, 0))) + 0.05f * random.normal();
        if (random.uniform() < 0.02f) y(i, 0) += 3;  // a few measurements are wrong
    }
    return make_dataset(x, y, "measurements");
}

}  // namespace

int main(int count, char** arguments) {
    return run_main([&] {
        const Dataset training = measurements(1000);
        // [check]
        const GradientReport report_of_gradients = check_gradients(Model<Curve>(1), training);
        std::fputs(report_of_gradients.text().c_str(), stdout);
        report_of_gradients.require(1e-6);
        // [check]

        // [train]
        Trainer trainer("curve", Curve{}, Adam{.learning_rate = 0.01}, minibatches(training, 50));
        trainer.add(every(50, epoch).then(report("epoch {:3}  loss {:.4f}", epoch, training_loss)));
        trainer.run(cpu(), 200);
        // [train]

        double distance = 0;
        std::vector<double> x, wanted, found;
        for (int i = -90; i <= 90; ++i) {
            const float at = static_cast<float>(i) / 100;
            const float is = trainer.predict({at})(0, 0), should = std::sin(6 * at * std::abs(at));
            distance += std::abs(static_cast<double>(is - should)) / 181;
            x.push_back(static_cast<double>(at));
            wanted.push_back(static_cast<double>(should));
            found.push_back(static_cast<double>(is));
        }
        std::printf("mean distance from the true curve: %.3f\n", distance);

        if (count > 1) {
            tutorial::Chart chart("A curve from noisy measurements", "x", "y");
            std::vector<double> px, py;
            for (std::size_t i = 0; i < training.size(); i += 5) {
                px.push_back(static_cast<double>(training.input(i)[0]));
                py.push_back(static_cast<double>(training.target(i)[0]));
            }
            chart.points("measurements", px, py);
            chart.line("learned", x, found);
            chart.line("true", x, wanted);
            chart.write(arguments[1]);
        }
        return distance < 0.1 ? 0 : 1;
    });
}
