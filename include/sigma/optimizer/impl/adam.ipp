// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/optimizer/adam.hpp>

#include <cmath>

namespace sigma::detail {

SIGMA_IMPL std::array<double, 6> adam_scalars(double rate, double beta1, double beta2, double epsilon,
                                              std::uint64_t step) {
    const double t = static_cast<double>(step);
    return {rate / (1 - std::pow(beta1, t)), 1 / std::sqrt(1 - std::pow(beta2, t)), beta1, beta2, 1 - beta2, epsilon};
}

}  // namespace sigma::detail

namespace sigma {

SIGMA_IMPL std::array<double, 6> Adam::scalars(std::uint64_t step) const {
    return detail::adam_scalars(learning_rate, beta1, beta2, epsilon, step);
}

}  // namespace sigma
