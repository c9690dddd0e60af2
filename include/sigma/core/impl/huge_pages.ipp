// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/memory.hpp>

#include <cstdint>

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace sigma::detail {

#ifdef __linux__
/// Gives the system an advice about all whole pages in this memory.
inline void advise_pages(void* memory, std::size_t bytes, std::uintptr_t page, int what) {
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    const std::uintptr_t first = (begin + page - 1) / page * page, end = (begin + bytes) / page * page;
    if (first < end) madvise(reinterpret_cast<void*>(first), end - first, what);
}
#endif

SIGMA_IMPL void prefer_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
    advise_pages(memory, bytes, 2 * 1024 * 1024, MADV_HUGEPAGE);
#endif
}
SIGMA_IMPL void release_memory([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef __linux__
    advise_pages(memory, bytes, static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE)), MADV_DONTNEED);
#endif
}

}  // namespace sigma::detail
