// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/digits.hpp>

namespace sigma::detail {

SIGMA_IMPL std::string fixed_text(double x, int decimals, std::size_t width) {
    std::array<char, 336> digits;  // the largest double has 309 digits before the point
    const char* const end =
        std::to_chars(digits.data(), digits.data() + digits.size(), x, std::chars_format::fixed, decimals).ptr;
    const auto size = static_cast<std::size_t>(end - digits.data());
    return std::string(size < width ? width - size : 0, ' ').append(digits.data(), size);
}

}  // namespace sigma::detail
