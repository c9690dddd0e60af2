// SPDX-License-Identifier: BSL-1.0
// A layer of your own needs its forward formula only; gradient, memory and kernels are derived. This one has radial
// units: their output is near 1 if the input is near their centre. One such layer separates rings, which no line can.
#include <sigma/check_gradients.hpp>
#include <sigma/sigma.hpp>

#include <cmath>
#include <cstdio>

using namespace sigma;

// [layer]
/// A layer of radial units: exp(-|x - c|² · s²) with the centre c and the sharpness s of each unit.
struct Radial : Layer {
    int units;
    constexpr explicit Radial(int units_) : units(units_) {}
    static constexpr Text kind = "radial";

    constexpr Tensor forward(Context& context, Tensor x) const {
        const int inputs = x.shape().last();
        const Tensor centres = parameter(context, {units, inputs}, "centres", gaussian(1.0));
        const Tensor sharpness = parameter(context, Shape{units}, "sharpness", ones);
        const Tensor distance = sum(square(reshape(x, {batch, 1, inputs}) - centres), axis(2));
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

int main() {
    std::fputs(summary<Rings>().c_str(), stdout);
    const Dataset some = rings(50);
    // [check]
    // Compares gradients with central differences, in double. An error would name the parameter and the element.
    const GradientReport gradients = check_gradients(Model<Rings>(), some);
    std::fputs(gradients.text().c_str(), stdout);
    gradients.require(1e-6);
    // [check]

    const auto [training, validation] = split(rings(600), 0.8, 0.2);
    Trainer trainer("rings", Rings{}, Adam{.learning_rate = 0.05f}, minibatches(training, 20));
    trainer.run(cpu(), 20);
    const double reached = trainer.evaluate(validation).accuracy;
    std::printf("accuracy on points not seen in training: %.3f\n", reached);
    return reached > 0.97 ? 0 : 1;
}
