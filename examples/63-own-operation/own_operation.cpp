// SPDX-License-Identifier: BSL-1.0
// An operation in plain C++: soft dynamic time warping, the cost of the best alignment of two series (Cuturi and
// Blondel 2017). Each cell of its table needs three others, so the tensor language would need a loop for each of them.
// With its gradient, a series is fitted to eight pulses at different times. It keeps their height, 1; their mean does
// not.
#include <sigma/derivatives.hpp>
#include <sigma/sigma.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace sigma;

// [operation]
/// Input: x(i, j), the distance between step i of one series and step j of another. Result: y(i, j), the least cost to
/// align steps 0 to i with steps 0 to j. The minimum of three costs is a soft one: -0.1·log(Σ exp(-cost / 0.1)).
struct Alignment {
    static constexpr Text name = "alignment";
    static constexpr int axes = 2;  // blocks are matrices
    SIGMA_SOURCE(
        template <class V> static V cost(BlockView<V> y, long long i, long long j) {
            if (i < 0 && j < 0) return V(0);
            return i < 0 || j < 0 ? V(1e10) : y(i, j);
        } template <class V>
        static void forward(BlockView<V> y, BlockView<V> x) {
            for (long long i = 0; i < y.rows; ++i)
                for (long long j = 0; j < y.columns; ++j) {
                    const V a = cost(y, i - 1, j - 1);
                    const V b = cost(y, i - 1, j);
                    const V c = cost(y, i, j - 1);
                    const V least = a < b ? (a < c ? a : c) : (b < c ? b : c);
                    const V sum = std::exp((least - a) / V(0.1)) + std::exp((least - b) / V(0.1)) +
                                  std::exp((least - c) / V(0.1));
                    y(i, j) = x(i, j) + least - V(0.1) * std::log(sum);
                }
        }
        /// g(i, j) is d(i, j) plus the gradients of the next cells, each times the weight of (i, j) in its minimum.
        template <class V>
        static void gradient(BlockView<V> g, BlockView<V> x, BlockView<V> y, BlockView<V> d) {
            for (long long i = g.rows - 1; i >= 0; --i)
                for (long long j = g.columns - 1; j >= 0; --j) {
                    g(i, j) = d(i, j);
                    for (int k = 1; k < 4; ++k) {  // the next cells: below, right, both
                        const long long r = i + k % 2;
                        const long long c = j + k / 2;
                        if (r >= g.rows || c >= g.columns) continue;
                        g(i, j) += g(r, c) * std::exp((y(r, c) - x(r, c) - y(i, j)) / V(0.1));
                    }
                }
        })
};
// [operation]

constexpr int steps = 32, series = 8;

// [misfit]
/// The sum of the costs to align x, (steps), with each series of z, (series, steps).
constexpr auto misfit = [](Tensor x, Tensor z) {
    const Tensor distances = square(reshape(x, Shape(steps, 1)) - reshape(z, Shape(series, 1, steps)));
    const Tensor costs = custom_operation<Alignment>(distances);
    return sum(slice(slice(costs, axis(1), steps - 1, steps), axis(2), steps - 1, steps));
};
// [misfit]

int main() {
    auto pulses = Array<double>::from_shape({series, steps});
    auto mean = Array<double>::from_shape({steps});
    for (std::size_t s = 0; s < series; ++s)
        for (std::size_t i = 0; i < steps; ++i)
            pulses(s, i) =
                std::exp(-0.5 * std::pow((static_cast<double>(i) - 9 - 2 * static_cast<double>(s)) / 1.5, 2));
    for (std::size_t i = 0; i < steps; ++i) {
        mean(i) = 0;
        for (std::size_t s = 0; s < series; ++s) mean(i) += pulses(s, i) / series;
    }
    auto fitted = mean;
    const auto slope = value_and_gradient(misfit);
    for (int step = 0; step < 400; ++step) {
        const auto [cost, g, of_pulses] = slope(fitted, pulses);
        for (std::size_t i = 0; i < steps; ++i) fitted(i) -= 0.02 * g(i);
    }
    const double height = *std::max_element(fitted.begin(), fitted.end()),
                 of_mean = *std::max_element(mean.begin(), mean.end());
    std::printf("height of the pulses 1, of the fitted series %.2f, of the mean %.2f\n", height, of_mean);
    return height > 0.8 && of_mean < 0.3 ? 0 : 1;
}
