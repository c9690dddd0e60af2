// SPDX-License-Identifier: BSL-1.0
// Sums and maxima of columns of computed values, wider than a tile: the last tile is narrower than the others.
#include <catch2/catch.hpp>
#include <sigma/sigma.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace sigma;

TEST_CASE("Reductions down wide columns of computed values are right at every width") {
    for (const int columns : {255, 257, 300, 360, 365, 500, 511, 515, 784}) {
        INFO(columns);
        constexpr int rows = 37;
        Model model(network(Input(rows, columns) + [](Tensor x) {
            const Tensor t = x * x + 0.5 * x;
            return sum(t, axis(1)) + max(t * x, axis(1));
        }));
        std::vector<float> x(static_cast<std::size_t>(2 * rows * columns)), y(static_cast<std::size_t>(2 * columns));
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(0.3f * static_cast<float>(i));
        model.predict(x.data(), y.data(), 2);
        double apart = 0;
        for (int record = 0; record < 2; ++record)
            for (int c = 0; c < columns; ++c) {
                double total = 0, greatest = -1e9;
                for (int r = 0; r < rows; ++r) {
                    const double z = x[static_cast<std::size_t>((record * rows + r) * columns + c)];
                    total += z * z + 0.5 * z;
                    greatest = std::max(greatest, (z * z + 0.5 * z) * z);
                }
                apart = std::max(apart, std::abs(total + greatest - y[static_cast<std::size_t>(record * columns + c)]));
            }
        CHECK(apart < 1e-4);
    }
}
