// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/operation.hpp>

#include <string>
#include <string_view>

namespace sigma::detail {

/// The value of an elementwise operation in terms of a, b, c and V, as its row in tape/operation.hpp has it.
std::string_view value_text(Operation o);

/// The C++17 of all functions that a text calls, and of those that they call: constant expressions for float and
/// double that need no other header than <stdint.h>. A few units in the last place; NaN and infinities as in <cmath>.
std::string called_functions(std::string_view text);

}  // namespace sigma::detail
