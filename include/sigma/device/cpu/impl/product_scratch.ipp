// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/config.hpp>
#include <sigma/device/cpu/product_scratch.hpp>

namespace sigma::on_cpu {
namespace detail {

inline constinit thread_local ProductScratch* scratch_of_thread = nullptr;
inline constinit thread_local bool scratch_is_gone = false;

/// Frees the scratch memory when the thread ends.
struct ScratchOwner {
    ProductScratch* const own;
    ~ScratchOwner() {
        delete own;
        scratch_of_thread = nullptr;
        scratch_is_gone = true;
    }
};

inline void make_scratch() {
    scratch_of_thread = new ProductScratch;
    // A product in a destructor that runs even later, such as a global object's, gets memory that is never freed.
    if (scratch_is_gone) return;
    [[maybe_unused]] thread_local const ScratchOwner owner{scratch_of_thread};
}

}  // namespace detail

SIGMA_IMPL ProductScratch& product_scratch() {
    if (!detail::scratch_of_thread) detail::make_scratch();
    return *detail::scratch_of_thread;
}
SIGMA_IMPL ScratchGuard::ScratchGuard(ProductScratch* scratch) noexcept
    : set_here_(scratch != nullptr && detail::scratch_of_thread == nullptr) {
    if (set_here_) detail::scratch_of_thread = scratch;
}
SIGMA_IMPL ScratchGuard::~ScratchGuard() {
    if (set_here_) detail::scratch_of_thread = nullptr;
}
SIGMA_IMPL void use_product_scratch(ProductScratch& scratch) noexcept { detail::scratch_of_thread = &scratch; }

}  // namespace sigma::on_cpu
