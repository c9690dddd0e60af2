// SPDX-License-Identifier: BSL-1.0
// The functions that nvcc compiles for devices, on the processor: with Thrust's C++ back end in one program, and with
// OpenMP's in another.
#include <sigma/device/gpu/algorithms.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace {

using sigma::on_gpu::algorithms::sort_bytes;
using sigma::on_gpu::algorithms::on_processor::sort;

/// Keys below `below`, and their order by std::stable_sort.
void examine(std::size_t count, std::uint32_t below) {
    INFO(count << " keys below " << below);
    std::mt19937 random(static_cast<unsigned>(count));
    std::vector<std::uint32_t> keys(count);
    for (std::uint32_t& key : keys)
        key = below ? static_cast<std::uint32_t>(random() % below) : static_cast<std::uint32_t>(random());
    std::vector<std::int32_t> values(count), order(count);
    std::iota(order.begin(), order.end(), 0);
    values = order;
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t i, std::int32_t j) {
        return keys[static_cast<std::size_t>(i)] < keys[static_cast<std::size_t>(j)];
    });
    const auto pairs = static_cast<long long>(count);
    std::vector<std::byte> memory(sort_bytes(pairs));
    REQUIRE(sort({keys.data(), values.data(), pairs, memory.data(), memory.size()}) == 0);
    CHECK(values == order);
    CHECK(std::is_sorted(keys.begin(), keys.end()));
}

}  // namespace

TEST_CASE("pairs are sorted by key, equal keys in their order") {
    for (const std::size_t count : {0u, 1u, 2u, 31u, 1000u, 100'000u})
        for (const std::uint32_t below : {0u, 1u, 7u, 50'000u}) examine(count, below);
}

#ifndef _OPENMP
TEST_CASE("a sort that lacks memory says so and allocates none") {
    std::vector<std::uint32_t> keys(100'000, 1);
    std::vector<std::int32_t> values(keys.size());
    std::vector<std::byte> memory(1000);
    CHECK(sort({keys.data(), values.data(), 100'000, memory.data(), memory.size()}) == 2);  // cudaErrorMemoryAllocation
}
#endif
