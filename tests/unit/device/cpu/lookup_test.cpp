// SPDX-License-Identifier: BSL-1.0
#include <sigma/device/cpu/move.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace sigma::on_cpu;

TEMPLATE_TEST_CASE("rows are gathered and summed by number, whatever the number", "[cpu]", float, double) {
    using T = TestType;
    constexpr std::ptrdiff_t rows = 7, width = 3, table_row = 8, each = 2, ids_row = 4, count = 10, to_row = 5;
    const T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
    std::vector<T> ids(count / each * ids_row, nan), table(rows * table_row), to(count * to_row, T(77));
    const T given[count] = {0, 6, 7, -1, nan, 3, infinity, 3, T(1e30), -infinity};
    for (std::size_t i = 0; i < count; ++i) ids[i / each * ids_row + i % each] = given[i];
    for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<T>(i);
    const LookupArguments<T> g{count, width, rows, ids.data(), ids_row, each};

    gather(g, table.data(), table_row, to.data(), to_row);
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t j = 0; j < to_row; ++j) {
            const bool exists = given[i] >= 0 && given[i] < rows;
            if (j >= width) CHECK(to[i * to_row + j] == 77);
            else if (!exists) CHECK(std::isnan(to[i * to_row + j]));
            else CHECK(to[i * to_row + j] == given[i] * table_row + static_cast<T>(j));
        }

    std::mt19937 random(3);
    std::vector<T> from(count * to_row), sums(rows * table_row, T(77)), parts = sums;
    for (T& x : from) x = static_cast<T>(random() % 1000) / 7;
    scatter_add(g, from.data(), to_row, sums.data(), table_row, 0, rows);
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t j = 0; j < table_row; ++j) {
            T wanted = 0;
            for (std::size_t i = 0; i < count; ++i)
                if (given[i] == static_cast<T>(r)) wanted += from[i * to_row + j];
            CHECK(sums[r * table_row + j] == (j < width ? wanted : T(77)));
        }
    for (std::ptrdiff_t first = 0; first < rows; first += 2)
        scatter_add(g, from.data(), to_row, parts.data(), table_row, first, std::min<std::ptrdiff_t>(2, rows - first));
    CHECK(parts == sums);
}
