// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/config.hpp>

#include <cstddef>

namespace sigma::detail {

/// Of an exception that is being handled: throws the MemoryError of so many elements of so many bytes where it says
/// that there is no memory, else the exception.
[[noreturn]] void refuse_memory(const char* what, std::size_t elements, std::size_t bytes_of_each);

/// f(), which asks for memory. refuse() says what was asked for, by a MemoryError.
template <class Refuse, class F>
decltype(auto) in_memory(Refuse refuse, F f) {
    try {
        return f();
    } catch (...) {
        refuse();
        throw;
    }
}

/// Asks the system to back memory that nobody has touched yet by pages of 2 MB: where every first touch of a page of
/// 4 KB costs 1 to 20 microseconds, new memory takes as long as a kernel that fills it, or fifty times as long. Nothing
/// happens to memory that is small, or where there are no such pages.
void prefer_huge_pages(void* memory, std::size_t bytes);
/// Gives back what backs whole pages of this memory, in which are zeros then. Where the system cannot, nothing happens.
void release_memory(void* memory, std::size_t bytes);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/huge_pages.ipp>
#include <sigma/core/impl/memory.ipp>
#endif
