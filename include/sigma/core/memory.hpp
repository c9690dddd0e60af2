// SPDX-License-Identifier: BSL-1.0
#pragma once
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

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/memory.ipp>
#endif
