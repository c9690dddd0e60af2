// SPDX-License-Identifier: BSL-1.0
#include "loss_support.hpp"

#include <sigma/layer/softmax_ce.hpp>

using namespace sigma;
using namespace sigma::test;

namespace {

constexpr Shape rows{batch, 3}, labels{batch}, sequences{batch, 2, 4};

/// The mean is weighted; the other reductions are as ever.
template <auto layer, Shape Z>
void check_weighted(std::size_t records, const Numbers_& y) {
    constexpr std::size_t n = static_cast<std::size_t>(Z.last());
    constexpr auto options = layer.options;
    const Numbers_ z = random_numbers(22, records * static_cast<std::size_t>(Z.count()), -3, 3);
    if constexpr (options.reduction != Reduction::over_elements) {
        check_classes<layer, Z>(z, y, softmax_row_loss<layer>);
    } else {
        check_loss<layer, Z, Z.without(Z.rank - 1)>(z, y, [&](const Numbers_& x) {
            double total = 0, weight = 0;
            for (std::size_t r = 0; r < y.size(); ++r) {
                if (options.ignore.exists && y[r] == options.ignore.value) continue;
                total += softmax_row_loss<layer>(x.data() + r * n, static_cast<std::size_t>(y[r]), n);
                weight += layer.weights[static_cast<std::size_t>(y[r])];
            }
            return weight == 0 ? 0 : total / weight;
        });
    }
}

TEST_CASE("Class weights") {
    check_weighted<SoftmaxCE{}.weighted(1, 2, 0.25), rows>(5, {0, 2, 1, 1, 0});
    check_weighted<SoftmaxCE({.smoothing = 0.1, .ignore = -1}).weighted(1, 0, 0.25), rows>(5, {0, 2, 1, -1, 0});
    check_weighted<SoftmaxCE({.smoothing = 0.1}).weighted(std::array<double, 4>{1, 2, 3, 4}), sequences>(
        3, {0, 3, 2, 2, 1, 0});
    check_weighted<SoftmaxCE({.reduction = Reduction::over_batch, .ignore = 2}).weighted(1, 2, 3, 4), sequences>(
        3, {0, 3, 2, 2, 1, 0});
    check_weighted<SoftmaxCE({.reduction = Reduction::total}).weighted(1, 2, 3, 4), sequences>(3, {0, 3, 2, 2, 1, 0});
}

TEST_CASE("Weights that all count 0 make a loss of 0") {
    const auto examine = [](const Differentiated& found) {
        CHECK(found.value == 0);
        for (const double g : found.gradient) CHECK(g == 0);
    };
    const Numbers_ z{1e4, 0, -1e4, 1, 2, 3};
    examine(differentiated<SoftmaxCE({.smoothing = 0.1, .ignore = -1}).weighted(1, 2, 3), rows, labels>(z, {-1, -1}));
    examine(differentiated<SoftmaxCE({.smoothing = 0.1}).weighted(1, 2, 0), rows, labels>(z, {2, 2}));
    examine(differentiated<SoftmaxCE{}.weighted(1, 2, 0), rows, labels, float>(z, {2, 2}));
    CHECK(predicted<SoftmaxCE{}.weighted(1, 2, 3), rows>({0, 0, 0})[1] == Approx(1.0 / 3));
}

}  // namespace
