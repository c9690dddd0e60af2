// SPDX-License-Identifier: BSL-1.0
#include "loss_support.hpp"

#include <sigma/layer/softmax_ce.hpp>

using namespace sigma;
using namespace sigma::test;

namespace {

constexpr Shape rows{batch, 4}, sequences{batch, 2, 3};

double l(const double* z, const double* q, std::size_t n) {
    const Numbers_ p = log_softmax_of(z, n);
    double total = 0;
    for (std::size_t i = 0; i < n; ++i)
        if (q[i] > 0) total += q[i] * (std::log(q[i]) - p[i]);
    return total;
}

TEST_CASE("KLDivergence of distributions from the softmax of scores") {
    Numbers_ q = random_distributions(9, 5, 4);
    q[2] = 0;
    check_rows<KLDivergence{}, rows>(random_numbers(10, 20), q, l);
    q = random_distributions(9, 8, 3);
    check_rows<KLDivergence({.reduction = Reduction::over_batch}), sequences>(random_numbers(10, 24), q, l);
    std::fill(q.begin() + 3, q.begin() + 6, -1);
    std::fill(q.begin() + 18, q.end(), -1);
    check_rows<KLDivergence({.ignore = -1}), sequences>(random_numbers(10, 24), q, l);
    check_rows<KLDivergence({.reduction = Reduction::over_batch, .ignore = -1}), sequences>(random_numbers(10, 24), q,
                                                                                            l);
}
TEST_CASE("KLDivergence is 0 where the distributions agree, and finite for saturated scores") {
    const double third = std::log(3.0);
    auto found = differentiated<KLDivergence{}, rows, rows>({0, third, -1e4, -1e4}, {0.25, 0.75, 0, 0});
    CHECK(found.value == Approx(0).margin(1e-15));
    for (const double g : found.gradient) CHECK(g == Approx(0).margin(1e-15));
    found = differentiated<KLDivergence{}, rows, rows>({1e4, -1e4, 0, 0}, {0, 1, 0, 0});
    CHECK(found.value == Approx(2e4));
    CHECK(found.gradient == Numbers_{1, -1, 0, 0});
    CHECK(predicted<KLDivergence{}, rows>({0, 0, 0, 0}) == Numbers_{0.25, 0.25, 0.25, 0.25});
}

}  // namespace
