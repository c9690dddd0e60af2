// SPDX-License-Identifier: BSL-1.0
#include "loss_support.hpp"

#include <sigma/layer/squared_diff.hpp>

using namespace sigma;
using namespace sigma::test;

namespace {

constexpr Shape rows{batch, 7};

template <auto layer>
void examine() {
    constexpr double delta = layer.delta;
    Numbers_ y = random_numbers(4, 21);
    y[3] = 0.25;
    check_elements<layer, rows>(random_numbers(3, 21), y, [](double z, double t) {
        const double d = std::abs(z - t);
        return d <= delta ? d * d / 2 : delta * (d - delta / 2);
    });
}

TEST_CASE("Huber is quadratic near the target and linear far from it") {
    examine<Huber{}>();
    examine<Huber(0.5)>();
    examine<Huber(2.25, {.reduction = Reduction::over_batch})>();
    examine<Huber(1, {.reduction = Reduction::total, .ignore = 0.25})>();
}
TEST_CASE("Huber where its parts meet, at the target and far out") {
    const Differentiated found =
        differentiated<Huber(1), Shape{batch, 1}, Shape{batch, 1}>({1, -1, 0, 1e4, -1e4}, {0, 0, 0, 0, 0}, 5);
    CHECK(found.value == 0.5 + 0.5 + 2 * 9999.5);
    CHECK(found.gradient == Numbers_{1, -1, 0, 1, -1});
}

}  // namespace
