// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

namespace sigma::on_cpu {

// Largest number of terms in a block of sums over k, so that a packed strip of B stays in the first-level cache.
inline constexpr std::ptrdiff_t product_depth = 384;
inline constexpr std::size_t packed_a_bytes = 256 * 1024;  // half of a common second-level cache

/// The memory to which products copy parts of A and B, for all types and sets of instructions: a strip of B is at most
/// four vectors of 64 bytes wide. The system provides its pages at the first large product.
struct ProductScratch {
    alignas(64) std::byte a[packed_a_bytes];
    alignas(64) std::byte b[product_depth * 4 * 64];

    ProductScratch() {}  // not cleared
};

/// Returns the scratch memory of this thread, which is allocated for its first product. It is on the heap, because a
/// thread-local object would enlarge the stacks of all threads of a program. Throws std::bad_alloc.
ProductScratch& product_scratch();
/// Lets a thread without scratch memory use `scratch`, which must outlive the thread's products.
void use_product_scratch(ProductScratch& scratch) noexcept;

/// A guard that lets the calling thread use some scratch memory, if it has none of its own. So programs that were
/// prepared on another thread allocate nothing here.
class ScratchGuard {
public:
    explicit ScratchGuard(ProductScratch* scratch) noexcept;
    ScratchGuard(const ScratchGuard&) = delete;
    ScratchGuard& operator=(const ScratchGuard&) = delete;
    ~ScratchGuard();

private:
    const bool set_here_;
};

}  // namespace sigma::on_cpu

#ifndef SIGMA_COMPILED
#include <sigma/device/cpu/impl/product_scratch.ipp>
#endif
