// SPDX-License-Identifier: BSL-1.0
#include "loss_support.hpp"

#include <sigma/layer/softmax_ce.hpp>

using namespace sigma;
using namespace sigma::test;

namespace {

constexpr Shape rows{batch, 3}, labels{batch}, sequences{batch, 2, 4};

template <auto layer, Shape Z>
void check_distributions(const Numbers_& z, const Numbers_& q) {
    constexpr double smoothing = layer.options.smoothing;
    check_rows<layer, Z>(z, q, [](const double* x, const double* y, std::size_t n) {
        const Numbers_ p = log_softmax_of(x, n);
        double total = 0;
        for (std::size_t c = 0; c < n; ++c)
            total -= ((1 - smoothing) * y[c] + smoothing / static_cast<double>(n)) * p[c];
        return total;
    });
}

TEST_CASE("SoftmaxDistributionCE") {
    const Numbers_ z = random_numbers(23, 24, -3, 3);
    Numbers_ q = random_distributions(24, 8, 3);
    check_distributions<SoftmaxDistributionCE{}, rows>(z, q);
    q = random_distributions(24, 6, 4);
    check_distributions<SoftmaxDistributionCE({.smoothing = 0.1}), sequences>(z, q);
    std::fill(q.begin() + 4, q.begin() + 8, -1);
    std::fill(q.begin() + 16, q.end(), -1);
    check_distributions<SoftmaxDistributionCE({.smoothing = 0.1, .ignore = -1}), sequences>(z, q);
    check_distributions<SoftmaxDistributionCE({.reduction = Reduction::over_batch, .ignore = -1}), sequences>(z, q);

    const auto saturated = differentiated<SoftmaxDistributionCE{}, rows, rows>({1e4, -1e4, 0}, {0, 1, 0});
    CHECK(saturated.value == 2e4);
    CHECK(saturated.gradient == Numbers_{1, -1, 0});
    const auto one_hot = differentiated<SoftmaxDistributionCE{}, rows, rows>({1, 2, 4}, {0, 1, 0});
    CHECK(one_hot.value == Approx(differentiated<SoftmaxCE{}, rows, labels>({1, 2, 4}, {1}).value).epsilon(1e-15));
    CHECK(predicted<SoftmaxDistributionCE{}, rows>({0, 0, 0})[1] == Approx(1.0 / 3));
}

}  // namespace
