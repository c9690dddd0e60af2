// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/optimizer/adamw.hpp>

#include <array>

namespace sigma {

SIGMA_IMPL std::array<double, 7> AdamW::scalars(std::uint64_t step) const {
    const auto a = detail::adam_scalars(learning_rate, beta1, beta2, epsilon, step);
    return {a[0], a[1], a[2], a[3], a[4], a[5], learning_rate * weight_decay};
}

}  // namespace sigma
