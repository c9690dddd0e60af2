// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/any_function.hpp>
#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>

namespace sigma::detail {

SIGMA_IMPL void throw_empty_function() { throw ArgumentError("function", "a function to call", "an empty one"); }

}  // namespace sigma::detail
