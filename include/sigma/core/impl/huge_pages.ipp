// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/memory.hpp>

#include <cstdint>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace sigma::detail {

SIGMA_IMPL void prefer_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
    constexpr std::uintptr_t page = 2 * 1024 * 1024;
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    const std::uintptr_t first = (begin + page - 1) / page * page, end = (begin + bytes) / page * page;
    if (first < end) madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
#endif
}

}  // namespace sigma::detail
