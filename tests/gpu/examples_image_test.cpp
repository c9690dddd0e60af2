// SPDX-License-Identifier: BSL-1.0
// Networks of examples/ with convolutions.
#include <catch2/catch.hpp>
#include <gpu/examples.hpp>

using namespace examples;

namespace {

/// The network of example 06.
struct LeNet : Network<Input(16, 16) + Conv2D(3, 5, relu, {.padding = sigma::same}) + MaxPool(2) + Conv2D(5, 5, relu) +
                       MaxPool(2) + Dense(20, relu) + Dense(14, relu) + Dense(10) + SoftmaxCE()> {};

/// The network of example 07.
constexpr auto normalized(int filters, int size, int stride = 1) {
    return Conv2D(filters, size, {.stride = stride, .padding = sigma::same}) + BatchNorm();
}
constexpr auto block(int filters, int stride = 1) {
    return normalized(filters, 3, stride) + relu + normalized(filters, 3);
}
constexpr auto narrowing(int filters) { return Add(block(filters, 2), normalized(filters, 1, 2)) + relu; }
struct Fashion : Network<Input(14, 14) + normalized(4, 3, 2) + relu + Residual(block(4)) + relu + narrowing(6) +
                         GlobalAveragePool() + Dense(10) + SoftmaxCE()> {};

}  // namespace

TEST_CASE("example 06, LeNet, on every device") {
    check_devices<LeNet>({fractions({records, 16, 16}), labels({records}, 10), "pictures", {}},
                         Adam{.learning_rate = 0.002});
}
TEST_CASE("example 07, a residual network with batch normalization, on every device") {
    check_devices<Fashion>({fractions({records, 14, 14}), labels({records}, 10), "pictures", {}},
                           AdamW{.learning_rate = 0.004, .weight_decay = 0.01});
}
