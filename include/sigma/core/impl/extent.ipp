// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/extent.hpp>

namespace sigma::detail {

SIGMA_IMPL void throw_size_out_of_range() {
    throw ArgumentError("size", "a number that an int holds", "one that is greater or less");
}
SIGMA_IMPL void throw_size_without_number(const Text& name) {
    throw ArgumentError("size", sentence("a number for '", name.view(), "', dim<\"", name.view(), "\"> = …"), "none");
}

}  // namespace sigma::detail
