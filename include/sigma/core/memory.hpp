// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>
#include <new>
#include <stdexcept>
#include <string>

namespace sigma::detail {

/// Throws the MemoryError of so many elements of so many bytes.
[[noreturn]] void refuse_memory(const std::string& what, std::size_t elements, std::size_t bytes_of_each);

/// f(), which asks for memory for so many elements. Where there is none, a MemoryError says for what: what().
template <class What, class F>
decltype(auto) in_memory(std::size_t elements, std::size_t bytes_of_each, What what, F f) {
    try {
        return f();
    } catch (const std::bad_alloc&) {
        refuse_memory(what(), elements, bytes_of_each);
    } catch (const std::length_error&) {  // of standard containers: more than there are addresses
        refuse_memory(what(), elements, bytes_of_each);
    }
}

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/memory.ipp>
#endif
