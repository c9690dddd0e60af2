// SPDX-License-Identifier: BSL-1.0
#include "generated_kernels.hpp"

#include <sigma/device/cpu/move.hpp>
#include <sigma/device/gpu/generate/lookup.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <limits>

using namespace sigma;
using generated_kernels::devices;
using generated_kernels::Kernels;
using generated_kernels::OneKernel;

namespace {

struct Table {
    int count, width, rows;  // number of ids, coded; of the table
    int ids_row, ids_each;
    int table_row, other_row;
    long long records;
};
const Table tables[] = {
    {-1, 8, 5, 1, 1, 8, 8, 40},                                        // packs
    {-3, 5, 7, 8, 3, 8, 8, 11},                                        // rows with padding
    {-4, 70, 3, 4, 4, 72, 72, 150},                                    // many ids of the same row
    {19, 1, 4, 19, 19, 1, 1, 1},    {-2, 300, 6, 16, 2, 304, 300, 9},  // more columns than a group sums at a time
};

template <class T>
std::vector<T> some_ids(const Table& t, std::size_t n) {
    std::vector<T> ids(n, T(-7));
    for (std::size_t i = 0; i < n; ++i)
        ids[i] = static_cast<T>(i * i * 31 % static_cast<std::size_t>(t.rows + 1));  // one of them is invalid
    ids[2] = T(-1);
    ids[5] = std::numeric_limits<T>::quiet_NaN();
    ids[7] = T(1e30);
    return ids;
}

template <class T>
void examine(detail::Operation operation) {
    const bool gathers = operation == detail::Operation::gather;
    Kernels kernels;
    for (const Table& t : tables) {
        OneKernel one;
        one.kernel = detail::Kernel(
            detail::LookupKernel{operation, t.count, t.width, t.rows, t.table_row, t.other_row, t.ids_each, t.ids_row});
        for (int i = 0; i < 3; ++i) one.argument({});
        kernels.add(on_gpu::generate_lookup(one.view(detail::element_type<T>), one.kernel));
    }
    for (std::size_t i = 0; i < std::size(tables); ++i)
        for (const auto& device : devices()) {
            INFO("table " << i << ", " << device->name() << ", " << device->threads(1024) << " threads");
            const Table& t = tables[i];
            const auto count = static_cast<std::size_t>(detail::resolve(t.count, t.records));
            std::vector<T> ids =
                some_ids<T>(t, count / static_cast<std::size_t>(t.ids_each) * static_cast<std::size_t>(t.ids_row));
            std::vector<T> table(static_cast<std::size_t>(t.table_row * t.rows), T(-1)),
                other(count * static_cast<std::size_t>(t.other_row), T(-1));
            std::vector<T>& from = gathers ? table : other;
            std::vector<T>& to = gathers ? other : table;
            for (std::size_t x = 0; x < from.size(); ++x)
                from[x] = static_cast<T>(std::sin(static_cast<double>(x)));  // sums depend on their order
            std::vector<T> expected = to;
            const on_cpu::LookupArguments<T> g{
                static_cast<std::ptrdiff_t>(count), t.width, t.rows, ids.data(), t.ids_row, t.ids_each};
            if (gathers) on_cpu::gather(g, from.data(), t.table_row, expected.data(), t.other_row);
            else on_cpu::scatter_add(g, from.data(), t.other_row, expected.data(), t.table_row, 0, t.rows);
            const auto alike = [](T x, T y) { return x == y || (std::isnan(x) && std::isnan(y)); };
            const std::vector<T> before = to;
            for (const bool sorted : {false, true}) {
                if (sorted && (gathers || !device->sort_pays(1, 0))) continue;
                INFO("sorted " << sorted);
                to = before;
                kernels.run<T>(*device, i, {from, ids, to}, t.records, nullptr, sorted);
                REQUIRE(std::equal(to.begin(), to.end(), expected.begin(), alike));
            }
        }
}

}  // namespace

TEST_CASE("GPU text: rows of a table as on the processor, NaN where there is none") {
    examine<float>(detail::Operation::gather);
    examine<double>(detail::Operation::gather);
}
TEST_CASE("GPU text: sums into rows of a table have the bits of the processor") {
    examine<float>(detail::Operation::scatter_add);
    examine<double>(detail::Operation::scatter_add);
}
