// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/optimizer/nadam.hpp>

#include <cmath>

namespace sigma {

namespace detail {

/// ∏ β(1 − ½ qⁱ) for i from 1 to t, whatever t is: the logarithm of each factor is a power series in qⁱ, and the sums
/// of powers over i are geometric. Where the product does not matter beside 1, 0.
SIGMA_IMPL double product_of_momenta(double beta, double q, double t) {
    if (beta == 0 || t * std::log(beta) < -40) return 0;
    double logarithm = t * std::log(beta), half = 1;
    for (int k = 1; k <= 54; ++k) {
        half /= 2;
        const double power = std::pow(q, k);
        // qᵏ + q²ᵏ + … + qᵗᵏ
        const double sum = power == 1 ? t : power * std::expm1(t * std::log(power)) / (power - 1);
        logarithm -= half / k * sum;
    }
    return std::exp(logarithm);
}

}  // namespace detail

SIGMA_IMPL std::array<double, 8> NAdam::scalars(std::uint64_t step) const {
    const double t = static_cast<double>(step), q = std::pow(0.96, momentum_decay);
    const auto momentum = [&](double at) { return beta1 * (1 - 0.5 * std::pow(q, at)); };
    const double product = detail::product_of_momenta(beta1, q, t), next = product * momentum(t + 1);
    return {learning_rate * momentum(t + 1) / (1 - next),
            learning_rate * (1 - momentum(t)) / (1 - product),
            beta1,
            1 - beta1,
            beta2,
            1 - beta2,
            1 / std::sqrt(1 - std::pow(beta2, t)),
            epsilon};
}

}  // namespace sigma
