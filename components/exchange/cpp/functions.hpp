// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/operation.hpp>

#include <string>
#include <string_view>

namespace sigma::detail {

/// Returns the C++ expression of an elementwise operation in terms of a, b, c and V, from its row in
/// tape/operation.hpp.
std::string_view value_text(Operation o);

/// Returns the C++17 code of all functions that a text calls, directly or indirectly: constant expressions for float
/// and double, which need only <stdint.h>. Errors are a few units in the last place; NaN and infinities are as in
/// <cmath>.
std::string called_functions(std::string_view text);

}  // namespace sigma::detail
