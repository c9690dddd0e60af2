// SPDX-License-Identifier: BSL-1.0
// The rates of one core that limit kernels: multiply-adds, and copies in each cache and in memory.
#include <sigma/benchmark.hpp>

#include <cstddef>
#include <cstdio>

int main() {
    std::printf("| limit | rate |\n|---|---|\n");
    std::printf("| multiply-adds, GFLOP/s | %.4g |\n", 1e-9 * sigma::multiply_add_rate());
    const struct {
        const char* name;
        std::size_t bytes;
    } copies[] = {
        {"16 KB", std::size_t{16} << 10}, {"256 KB", std::size_t{256} << 10}, {"memory", std::size_t{256} << 20}};
    for (const auto& c : copies)
        std::printf("| copies in %s, GB/s | %.4g |\n", c.name, 1e-9 * sigma::copy_rate(c.bytes));
}
