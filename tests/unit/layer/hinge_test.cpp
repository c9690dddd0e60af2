// SPDX-License-Identifier: BSL-1.0
#include "loss_support.hpp"

#include <sigma/layer/binary_ce.hpp>
#include <sigma/layer/softmax_ce.hpp>

using namespace sigma;
using namespace sigma::test;

namespace {

constexpr Shape rows{batch, 3}, sequences{batch, 2, 4};

double binary(double z, double y) { return std::max(0.0, 1 - (y > 0 ? z : -z)); }
double multiclass(const double* z, std::size_t label, std::size_t n) {
    double total = 0;
    for (std::size_t j = 0; j < n; ++j)
        if (j != label) total += std::max(0.0, 1 - z[label] + z[j]);
    return total;
}

TEST_CASE("Hinge takes 0 and 1 as well as -1 and 1") {
    const Numbers_ z = random_numbers(5, 9), signs{1, -1, 1, -1, -1, 1, 1, 1, -1};
    Numbers_ bits = signs;
    for (double& b : bits) b = (b + 1) / 2;
    check_elements<Hinge{}, rows>(z, signs, binary);
    check_elements<Hinge{}, rows>(z, bits, binary);
    CHECK(differentiated<Hinge{}, rows, rows>(z, signs).value == differentiated<Hinge{}, rows, rows>(z, bits).value);
    bits[4] = 2;
    check_elements<Hinge({.reduction = Reduction::over_batch, .ignore = 2}), rows>(z, bits, binary);
}
TEST_CASE("Beyond the margin there is nothing to learn") {
    const auto found = differentiated<Hinge{}, rows, rows>({1e4, -1e4, 1}, {1, 0, 1});
    CHECK(found.value == 0);
    CHECK(found.gradient == Numbers_{0, 0, 0});
    CHECK(predicted<Hinge{}, rows>({3, -2, 0.5}) == Numbers_{3, -2, 0.5});
}
TEST_CASE("MulticlassHinge sums over the wrong classes") {
    check_classes<MulticlassHinge{}, rows>(random_numbers(6, 15), {0, 1, 2, 2, 0}, multiclass);
    check_classes<MulticlassHinge({.reduction = Reduction::over_batch}), sequences>(random_numbers(6, 24),
                                                                                    {0, 3, 2, 2, 1, 0}, multiclass);
    check_classes<MulticlassHinge({.ignore = -1}), sequences>(random_numbers(6, 24), {0, -1, 2, 2, -1, -1}, multiclass);
    const auto found = differentiated<MulticlassHinge{}, rows, Shape{batch}>({5, 1, 1, 0, 0, 0}, {0, 1});
    CHECK(found.value == 1);
    CHECK(found.gradient == Numbers_{0, 0, 0, 0.5, -1, 0.5});
    CHECK(predicted<MulticlassHinge{}, rows>({3, -2, 0.5}) == Numbers_{3, -2, 0.5});
}

}  // namespace
