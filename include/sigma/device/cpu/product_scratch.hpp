// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

namespace sigma::on_cpu {

// Sums over k are cut into blocks of at most this many terms: a packed strip of B stays in the first-level cache.
inline constexpr std::ptrdiff_t product_depth = 384;
inline constexpr std::size_t packed_a_bytes = 256 * 1024;  // half of a common second-level cache

/// Where products copy parts of A and B to. One for all types and sets of instructions: a strip of B is at most four
/// vectors of 64 bytes wide. Its pages exist from the first large product on.
struct ProductScratch {
    alignas(64) std::byte a[packed_a_bytes];
    alignas(64) std::byte b[product_depth * 4 * 64];

    ProductScratch() {}  // not cleared
};

/// That of this thread, which has it from its first product on: on the heap, since the stacks of all threads of a
/// program, whatever they do, would have to be larger by a static one. Throws std::bad_alloc.
ProductScratch& product_scratch();
/// For a thread that has none yet: `scratch`, which outlives the thread's products.
void lend_product_scratch(ProductScratch& scratch) noexcept;

/// Lends the calling thread a scratch while it lives, if the thread has none: so that what has been prepared on another
/// thread allocates nothing here.
class ScratchLoan {
public:
    explicit ScratchLoan(ProductScratch* scratch) noexcept;
    ScratchLoan(const ScratchLoan&) = delete;
    ScratchLoan& operator=(const ScratchLoan&) = delete;
    ~ScratchLoan();

private:
    const bool lent_;
};

}  // namespace sigma::on_cpu

#ifndef SIGMA_COMPILED
#include <sigma/device/cpu/impl/product_scratch.ipp>
#endif
