// SPDX-License-Identifier: BSL-1.0
#include "loss_support.hpp"

#include <sigma/layer/squared_diff.hpp>

using namespace sigma;
using namespace sigma::test;

namespace {

constexpr Shape rows{batch, 5}, sequences{batch, 3, 2};

double l(const double* z, const double* y, std::size_t n) {
    double zz = 0, yy = 0, zy = 0;
    for (std::size_t i = 0; i < n; ++i) zz += z[i] * z[i], yy += y[i] * y[i], zy += z[i] * y[i];
    return 1 - zy / std::sqrt(zz * yy);
}

TEST_CASE("CosineLoss is 1 minus the cosine of the angle") {
    const Numbers_ z = random_numbers(11, 30);
    Numbers_ y = random_numbers(12, 30);
    check_rows<CosineLoss{}, rows>(z, y, l);
    check_rows<CosineLoss(1e-3, {.reduction = Reduction::over_batch}), sequences>(z, y, l);
    std::fill(y.begin() + 2, y.begin() + 4, 9);
    std::fill(y.begin() + 12, y.begin() + 18, 9);
    check_rows<CosineLoss(1e-8, {.reduction = Reduction::over_batch, .ignore = 9}), sequences>(z, y, l);
    CHECK(predicted<CosineLoss{}, rows>({1, 2, 3, 4, 5}) == Numbers_{1, 2, 3, 4, 5});
}
TEMPLATE_TEST_CASE("Same, opposite and no direction", "", float, double) {
    const auto of = [](Numbers_ z, Numbers_ y) {
        return differentiated<CosineLoss{}, Shape{batch, 2}, Shape{batch, 2}, TestType>(z, y);
    };
    CHECK(of({3e5, 4e5}, {0.75, 1}).value == Approx(0).margin(1e-6));
    CHECK(of({-3, -4}, {0.75, 1}).value == Approx(2));
    CHECK(of({3e25, 4e25}, {3e30, 4e30}).value == Approx(0).margin(1e-6));  // without squares
    CHECK(of({3e25, 4e25}, {-4, 3}).value == Approx(1));
    CHECK(of({3, 4}, {-4e25, 3e25}).gradient[0] == Approx(0.8 / 5));
    for (const auto& none : {of({0, 0}, {1, 2}), of({1, 2}, {0, 0}), of({0, 0}, {0, 0}), of({1e-9, 0}, {1, 0})}) {
        CHECK(none.value == 1);
        CHECK(none.gradient == Numbers_{0, 0});
    }
}

}  // namespace
