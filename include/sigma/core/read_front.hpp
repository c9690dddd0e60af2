// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>
#include <string_view>

namespace sigma::detail {

/// How many characters a number takes that a text begins with, as std::from_chars reads it, 0 where it begins with
/// none. What is too large or too small for the type is told, and leaves x.
struct NumberInFront {
    std::size_t length = 0;
    bool out_of_range = false;
};
NumberInFront read_front(std::string_view text, double& x);
NumberInFront read_front(std::string_view text, float& x);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/read_front.ipp>
#endif
