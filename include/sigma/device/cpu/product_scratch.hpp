// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>

namespace sigma::on_cpu {

// Sums over k are cut into blocks of at most this many terms: a packed strip of B stays in the first-level cache.
inline constexpr std::ptrdiff_t product_depth = 384;
inline constexpr std::size_t packed_a_bytes = 256 * 1024;  // half of a common second-level cache

// Belongs to the thread, for all products of any type; its pages exist from the first large product on. Static, so
// that no training step allocates, and not on the stack, which some systems keep small for threads. One for all sets of
// instructions: a strip of B is at most four vectors of 64 bytes wide.
struct ProductScratch {
    alignas(64) std::byte a[packed_a_bytes];
    alignas(64) std::byte b[product_depth * 4 * 64];
};
inline constinit thread_local ProductScratch product_scratch{};

}  // namespace sigma::on_cpu
