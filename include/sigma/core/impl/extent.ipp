// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/extent.hpp>

namespace sigma::detail {

SIGMA_IMPL void throw_size_out_of_range(bool negative, unsigned long long magnitude) {
    throw ArgumentError("size", "a number from -2147483647 to 2147483647", sentence(negative ? "-" : "", magnitude));
}
SIGMA_IMPL void throw_size_without_number(const Text& name) {
    throw ArgumentError(sentence("size '", name.view(), "'"), sentence("a value, dim<\"", name.view(), "\"> = …"),
                        "no value");
}

}  // namespace sigma::detail
