// SPDX-License-Identifier: BSL-1.0
// Scans in functions over arrays: against plain loops, and their gradients against central differences.
#include "support.hpp"

#include <sigma/tape/scan.hpp>

using namespace sigma;
using namespace sigma::test;

namespace {

// A state and an output that is none; from the last position to the first.
// [scan]
constexpr auto recurrence = [](auto x, auto h, auto u) {
    return scan(
        x, h,
        [&](auto now, auto before) {
            const auto next = tanh(now + dot(before, u));
            return std::tuple{next, sum(next * now, axis(1))};
        },
        Direction::backwards);
};
// [scan]
constexpr auto squared_sum = [](auto x, auto h, auto u) {
    const auto [y, z] = recurrence(x, h, u);
    return sum(square(y)) + sum(z * z * z);
};
constexpr auto gradient_square = [](auto x, auto h, auto u) {
    const auto [dx, dh, du] = gradient(squared_sum)(x, h, u);
    return sum(square(dx)) + sum(square(dh)) + sum(square(du));
};

template <class T>
void check_values(int records) {
    const auto x = random<T, 3>(1, {static_cast<std::size_t>(records), 5, 3});
    const auto first = random<T, 2>(2, {static_cast<std::size_t>(records), 3}), u = random<T, 2>(3, {3, 3}, -0.7, 0.7);
    // [evaluate]
    const auto [y, z] = evaluate(recurrence)(shaped<batch, 5, 3>(x), shaped<batch, 3>(first), shaped<3, 3>(u));
    // [evaluate]
    Reference wanted_y({static_cast<std::size_t>(records), 5, 3}), wanted_z({static_cast<std::size_t>(records), 5});
    for (std::size_t r = 0; r < static_cast<std::size_t>(records); ++r) {
        double before[3] = {first(r, 0), first(r, 1), first(r, 2)};
        for (std::size_t t = 5; t-- > 0;) {
            double next[3], total = 0;
            for (std::size_t j = 0; j < 3; ++j) {
                double a = x(r, t, j);
                for (std::size_t i = 0; i < 3; ++i) a += before[i] * u(i, j);
                next[j] = std::tanh(a);
                total += next[j] * x(r, t, j);
            }
            for (std::size_t j = 0; j < 3; ++j) wanted_y.data[(r * 5 + t) * 3 + j] = before[j] = next[j];
            wanted_z.data[r * 5 + t] = total;
        }
    }
    CHECK(relative_error(y, wanted_y, 1) < 20 * epsilon<T>);
    CHECK(relative_error(z, wanted_z, 1) < 20 * epsilon<T>);
}

}  // namespace

TEST_CASE("a scan in a function over arrays", "[function]") {
    check_values<double>(1);
    check_values<double>(7);
    check_values<float>(3);
}

TEST_CASE("gradients of a scan in a function, first and second", "[function]") {
    const auto x = random<double, 3>(4, {2, 4, 3}, -0.7, 0.7);
    const auto h = random<double, 2>(5, {2, 3}, -0.7, 0.7), u = random<double, 2>(6, {3, 3}, -0.7, 0.7);
    const auto with_batch = [](auto f) {
        return [f](const auto& a, const auto& b, const auto& c) {
            return f(shaped<batch, 4, 3>(a), shaped<batch, 3>(b), shaped<3, 3>(c));
        };
    };
    CHECK(gradient_error(with_batch(value_and_gradient(squared_sum)), x, h, u) < gradient_tolerance);
    CHECK(gradient_error(with_batch(value_and_gradient(gradient_square)), x, h, u) < gradient_tolerance);
}
