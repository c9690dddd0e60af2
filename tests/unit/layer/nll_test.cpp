// SPDX-License-Identifier: BSL-1.0
#include "loss_support.hpp"

#include <sigma/layer/softmax_ce.hpp>

using namespace sigma;
using namespace sigma::test;

namespace {

constexpr Shape rows{batch, 4};

template <auto layer>
void examine(const Numbers_& p, const Numbers_& y) {
    check_rows<layer, rows>(p, y, [](const double* x, const double* t, std::size_t n) {
        double total = 0;
        for (std::size_t i = 0; i < n; ++i)
            total -= t[i] * std::log(std::clamp(x[i], layer.epsilon, 1 - layer.epsilon));
        return total;
    });
}

TEST_CASE("NLL is the negative log likelihood of probabilities") {
    const Numbers_ p = random_numbers(7, 20, 0.15, 0.95);  // not near 0, where differences are inexact
    Numbers_ y = random_distributions(8, 5, 4);
    examine<NLL{}>(p, y);
    examine<NLL(0.2)>(p, y);  // clips on both sides
    examine<NLL(1e-3, {.reduction = Reduction::total})>(p, y);
    std::fill(y.begin() + 4, y.begin() + 8, -1);
    y[9] = -1;
    examine<NLL(1e-3, {.ignore = -1})>(p, y);
    CHECK(predicted<NLL{}, rows>(p) == p);
}
TEST_CASE("NLL has the values of the reference's tests: 0.0 and 16.12") {
    const auto right = differentiated<NLL{}, rows, rows>({0, 1, 0, 0}, {0, 1, 0, 0});
    CHECK(right.value == Approx(0.0).margin(1.0001e-7));
    CHECK(right.value > 0);
    const auto wrong = differentiated<NLL{}, rows, rows>({0, 1, 0, 0}, {1, 0, 0, 0});
    CHECK(wrong.value == Approx(16.11809565095832).epsilon(1e-14));
    CHECK(std::round(100 * wrong.value) / 100 == 16.12);
    CHECK(wrong.gradient == Numbers_{0, 0, 0, 0});  // clipped: nothing passes
    const auto rough = differentiated<NLL{}, rows, rows, float>({0, 1, 0, 0}, {1, 0, 0, 0});
    CHECK(rough.value == Approx(16.118).epsilon(1e-4));
}

}  // namespace
