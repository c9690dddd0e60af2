// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/optimizer/radam.hpp>

#include <cmath>

namespace sigma {

SIGMA_IMPL std::array<double, 7> RAdam::scalars(std::uint64_t step) const {
    const double t = static_cast<double>(step), power = std::pow(beta2, t);
    const double longest = 2 / (1 - beta2) - 1, length = longest - 2 * t * power / (1 - power);
    const double corrected = learning_rate / (1 - std::pow(beta1, t));
    std::array<double, 7> all{0, corrected, beta1, 1 - beta1, beta2, 1 - beta2, epsilon};
    if (length > 5) {
        const double r = std::sqrt((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length));
        all[0] = corrected * r * std::sqrt(1 - power);
        all[1] = 0;
    }
    return all;
}

}  // namespace sigma
