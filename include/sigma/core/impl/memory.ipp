// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/memory.hpp>

#include <cstdint>

namespace sigma::detail {

SIGMA_IMPL void refuse_memory(const std::string& what, std::size_t elements, std::size_t bytes_of_each) {
    throw MemoryError(what,
                      elements > SIZE_MAX / bytes_of_each
                          ? "memory for its elements"
                          : sentence(elements * bytes_of_each, " bytes of memory for ", elements, " elements"),
                      "less");
}

}  // namespace sigma::detail
