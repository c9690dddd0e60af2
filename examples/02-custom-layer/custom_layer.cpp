// SPDX-License-Identifier: BSL-1.0
// A layer of one's own is its forward formula; gradient, memory and kernels follow. Here: radial units, whose output is
// near 1 where the input is near their centre. One layer of them separates rings, which no line can.
#include <sigma/sigma.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace sigma;

// [layer]
/// exp(-|x - c|² · s²) for each unit's centre c and sharpness s.
struct Radial : Layer {
    int units;
    constexpr explicit Radial(int units_) : units(units_) {}
    static constexpr Text kind = "radial";

    static constexpr auto forward(auto self, Context& context, auto x) {
        constexpr int inputs = x.shape.last(), units = self().units;
        const auto centres = parameter<Shape{units, inputs}>(context, "centres", gaussian(1.0));
        const auto sharpness = parameter<Shape{units}>(context, "sharpness", ones);
        const auto distance = sum(square(reshape<batch, 1, inputs>(x) - centres), axis<2>);
        return exp(-distance * square(sharpness));
    }
};
// [layer]

struct Rings : Network<Input(2) + Radial(8) + Dense(2) + SoftmaxCE()> {};

/// Points near a circle of radius 0.5 (class 0) and of radius 1.5 (class 1).
Dataset rings(std::size_t records) {
    const Philox random(7);
    Numbers points{{records, 2}, {}}, classes{{records}, {}};
    for (std::size_t i = 0; i < records; ++i) {
        const double angle = 6.2831853 * random.uniform<double>(2 * i);
        const double radius = (i % 2 == 0 ? 0.5 : 1.5) + 0.15 * random.normal<double>(2 * i + 1);
        points.values.push_back(static_cast<float>(radius * std::cos(angle)));
        points.values.push_back(static_cast<float>(radius * std::sin(angle)));
        classes.values.push_back(static_cast<float>(i % 2));
    }
    return {points, classes, "rings"};
}

/// One step of gradient descent moves a parameter by its gradient; compares that with a difference quotient.
double gradient_error(const Dataset& data) {
    Trainer trainer("check", Rings{}, GradientDescent{.learning_rate = 1}, minibatches(data, data.size()),
                    element<double>);
    auto centres = trainer.model().parameter<"1-radial.centres">();
    const Array<double> before(centres);
    Array<double> quotient = before;
    for (std::size_t i = 0; i < before.size(); ++i) {
        auto error_at = [&](double offset) {
            centres(i / 2, i % 2) = before(i / 2, i % 2) + offset;
            return trainer.evaluate(data).error;
        };
        quotient(i / 2, i % 2) = (error_at(1e-5) - error_at(-1e-5)) / 2e-5;
        centres(i / 2, i % 2) = before(i / 2, i % 2);
    }
    trainer.run(cpu(), 1);
    double wrong = 0;
    for (std::size_t i = 0; i < before.size(); ++i)
        wrong = std::max(wrong, std::abs(before(i / 2, i % 2) - centres(i / 2, i % 2) - quotient(i / 2, i % 2)));
    return wrong;
}

int main() {
    std::fputs(summary<Rings>().c_str(), stdout);
    const double wrong = gradient_error(rings(50));
    std::printf("gradient and difference quotient differ by at most %.1e\n", wrong);

    const auto [training, validation] = split(rings(600), 0.8, 0.2);
    Trainer trainer("rings", Rings{}, Adam{.learning_rate = 0.05f}, minibatches(training, 20));
    trainer.run(cpu(), 20);
    const double accuracy = trainer.evaluate(validation).accuracy;
    std::printf("accuracy on points not seen in training: %.3f\n", accuracy);
    return wrong < 1e-8 && accuracy > 0.97 ? 0 : 1;
}
