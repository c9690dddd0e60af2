// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/network/summary.hpp>

namespace sigma::detail {

SIGMA_IMPL std::string cell(std::string text, std::size_t width, bool left) {
    if (text.size() >= width) return text;
    return left ? text + std::string(width - text.size(), ' ') : std::string(width - text.size(), ' ') + text;
}

}  // namespace sigma::detail
