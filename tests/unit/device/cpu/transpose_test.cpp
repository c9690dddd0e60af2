// SPDX-License-Identifier: BSL-1.0
#include <sigma/device/cpu/transpose.hpp>

#include <catch2/catch.hpp>

#include <vector>

TEMPLATE_TEST_CASE("transpose moves every element and touches nothing else", "[transpose]", float, double) {
    using T = TestType;
    std::vector<std::pair<int, int>> shapes;
    for (int rows = 1; rows <= 40; ++rows)
        for (int columns = 1; columns <= 40; ++columns) shapes.emplace_back(rows, columns);
    shapes.insert(shapes.end(), {{128, 10}, {10, 128}, {784, 128}, {65, 257}, {1, 500}, {500, 1}});
    for (const auto& [rows, columns] : shapes) {
        // Rows of both matrices are longer than needed; the surplus of `to` guards against stray writes. Both end
        // with their last element, so that the address sanitizer sees reads and writes past it.
        const std::ptrdiff_t from_row = columns + 3, to_row = rows + 5;
        std::vector<T> from(static_cast<std::size_t>((rows - 1) * from_row + columns));
        std::vector<T> to(static_cast<std::size_t>((columns - 1) * to_row + rows), T(-1));
        for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<T>(i);
        sigma::on_cpu::transpose(from.data(), from_row, rows, columns, to.data(), to_row);
        bool same = true;
        for (std::size_t at = 0; at < to.size(); ++at) {
            const auto j = static_cast<std::ptrdiff_t>(at) / to_row, i = static_cast<std::ptrdiff_t>(at) % to_row;
            same = same && to[at] == (i < rows ? static_cast<T>(i * from_row + j) : T(-1));
        }
        INFO(rows << " x " << columns);
        CHECK(same);
    }
    SECTION("an empty matrix is no work") {
        T none = T(3);
        sigma::on_cpu::transpose(&none, 0, 0, 5, &none, 0);
        sigma::on_cpu::transpose(&none, 5, 5, 0, &none, 5);
        CHECK(none == T(3));
    }
}
