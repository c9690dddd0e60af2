// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/memory.hpp>

#include <new>
#include <stdexcept>

namespace sigma::detail {

SIGMA_IMPL void refuse_memory(const char* what, std::size_t elements, std::size_t bytes_of_each) {
    const auto refuse = [&] {
        throw MemoryError(what, elements > SIZE_MAX / bytes_of_each
                                    ? "its elements"
                                    : sentence(elements * bytes_of_each, " bytes for ", elements, " elements"));
    };
    try {
        throw;
    } catch (const std::bad_alloc&) {
        refuse();
    } catch (const std::length_error&) {  // of standard containers: more than there are addresses
        refuse();
    }
    throw;
}

}  // namespace sigma::detail
