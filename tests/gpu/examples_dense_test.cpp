// SPDX-License-Identifier: BSL-1.0
// Networks of examples/ with fully connected layers.
#include <catch2/catch.hpp>
#include <gpu/examples.hpp>

using namespace examples;

namespace {

/// The network of example 02.
struct Radial : Layer {
    int units;
    constexpr explicit Radial(int units_) : units(units_) {}
    static constexpr Text kind = "radial";

    constexpr Tensor forward(Context& context, Tensor x) const {
        const int width = x.shape().last();
        const auto centres = parameter(context, {units, width}, "centres", gaussian(1.0));
        const auto sharpness = parameter(context, Shape{units}, "sharpness", sigma::ones);
        const auto distance = sum(square(reshape(x, {batch, 1, width}) - centres), axis(2));
        return exp(-distance * square(sharpness));
    }
};
struct Rings : Network<Input(2) + Radial(8) + Dense(2) + SoftmaxCE()> {};
/// The network of example 03.
struct Xor : Network<Input(2) + Dense(8, tanh) + Dense(1, sigmoid) + SquaredDiff()> {};
/// The network of examples 04, 15, 17, 19 and 22.
struct Iris : Network<Input(4) + Dense(10, tanh) + Dense(3) + SoftmaxCE()> {};
/// The network of example 05; 08, 09, 16, 20, 21, 24 and 26 have the same layers.
struct Digits : Network<Input(9, 9) + Dropout(0.2f) + 2 * Dense(33, relu) + Dense(10) + SoftmaxCE()> {};
/// The network of example 10.
struct Both : Network<Input(12) + Dropout(0.1) + Dense(32, tanh) +
                      Costs(Dense(3) + named("grower", SoftmaxCE()),
                            loss_weight(0.5, Dense(1) + named("alcohol", SquaredDiff())))> {};
/// The network of example 14.
struct Spirals : Network<Input(2) +
                         [](auto x) {
                             const auto a = layer(named("first", Dense(16, tanh)), x);
                             const auto seen = layer(Concatenate(), x, a);
                             const auto b = layer(named("second", Dense(16, tanh)), seen);
                             const auto gate = layer(named("gate", Dense(16, sigmoid)), seen);
                             return layer(Concatenate(), seen, b * gate);
                         } +
                         Dense(16, tanh) + Dense(2) + SoftmaxCE()> {};
/// The network of example 18.
struct Noisy : Network<Input(6, 6) + GaussianNoise(0.5) + Dropout(0.5f) + Dense(21, relu) + Dropout(0.3f) + Dense(10) +
                       SoftmaxCE()> {};
/// The network of example 25.
struct Fruits : Network<(named("numbers", Input(2)) & named("colour", Input(3))) + Concatenate() + Dense(16, tanh) +
                        Dense(3) + SoftmaxCE()> {};

Dataset classes(std::initializer_list<std::size_t> shape, int count) {
    return {fractions(shape), labels({records}, count), "numbers", {}};
}

}  // namespace

TEST_CASE("example 02, a layer of one's own, on every device") {
    check_devices<Rings>(classes({records, 2}, 2), Adam{.learning_rate = 0.05f});
}
TEST_CASE("example 03, exclusive or, on every device") {
    check_devices<Xor>({fractions({records, 2}), labels({records, 1}, 2), "xor", {}}, Adam{.learning_rate = 0.05});
}
TEST_CASE("examples 04, 15, 17, 19 and 22, irises, on every device") {
    check_devices<Iris>(classes({records, 4}, 3),
                        clip_gradient_norm(AdamW{.learning_rate = 0.02, .weight_decay = 0.1}, 1.0));
}
TEST_CASE("examples 05, 08, 09, 16, 20, 21, 24 and 26, rectifiers and dropout, on every device") {
    check_devices<Digits>(classes({records, 9, 9}, 10), Adagrad{.learning_rate = 0.02});
}
TEST_CASE("example 10, two costs, on every device") {
    const Dataset both({{"measurements", fractions({records, 12})}},
                       {{"grower", labels({records}, 3)}, {"alcohol", fractions({records, 1}, 3)}}, "wine", {});
    check_devices<Both>(both, AdamW{.learning_rate = 0.01, .weight_decay = 1});
}
TEST_CASE("example 14, a graph of layers, on every device") {
    check_devices<Spirals>(classes({records, 2}, 2), Adam{.learning_rate = 0.01});
}
TEST_CASE("example 18, noise, on every device") {
    check_devices<Noisy>(classes({records, 6, 6}, 10), AdamW{.weight_decay = 0.05});
}
TEST_CASE("example 25, two inputs, on every device") {
    const Dataset fruits({{"numbers", fractions({records, 2})}, {"colour", labels({records, 3}, 2, 4)}},
                         {{"kind", labels({records}, 3)}}, "fruits", {});
    check_devices<Fruits>(fruits, Adam{.learning_rate = 0.01});
}
