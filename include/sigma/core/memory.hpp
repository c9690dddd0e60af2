// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/config.hpp>

#include <cstddef>

namespace sigma::detail {

/// Rethrows the exception that is being handled. If it reports a lack of memory, throws a MemoryError about the
/// elements instead.
[[noreturn]] void refuse_memory(const char* what, std::size_t elements, std::size_t bytes_of_each);

/// Returns f(), which allocates memory. If it throws, calls refuse(), which throws a MemoryError if memory was lacking.
template <class Refuse, class F>
decltype(auto) in_memory(Refuse refuse, F f) {
    try {
        return f();
    } catch (...) {
        refuse();
        throw;
    }
}

/// Asks the system to back untouched memory by pages of 2 MB. The first touch of each page of 4 KB costs 1 to 20
/// microseconds, so that it takes as long as a kernel that fills the memory, or up to fifty times as long. Does nothing
/// for small memory and on systems without such pages.
void prefer_huge_pages(void* memory, std::size_t bytes);
/// Returns the whole pages of this memory to the system; they then read as zeros. Does nothing if the system cannot.
void release_memory(void* memory, std::size_t bytes);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/huge_pages.ipp>
#include <sigma/core/impl/memory.ipp>
#endif
