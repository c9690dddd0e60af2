// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/reinitialize.hpp>

namespace sigma::detail {

SIGMA_IMPL std::string initializer_text(const Initializer& i) {
    constexpr const char* kinds[] = {"constant", "gaussian", "uniform", "truncated", "orthogonal", "custom"};
    constexpr const char* fans[] = {"", " by fan in", " by fan average"};
    return sentence(kinds[static_cast<int>(i.kind)], "(", i.first, ", ", i.second, ")", fans[static_cast<int>(i.fan)]);
}

}  // namespace sigma::detail
