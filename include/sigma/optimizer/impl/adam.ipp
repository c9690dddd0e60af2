// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/optimizer/adam.hpp>

#include <cmath>

namespace sigma {

namespace detail {

SIGMA_IMPL std::array<double, 6> adam_scalars(double rate, double beta1, double beta2, double epsilon,
                                              std::uint64_t step) {
    const double t = static_cast<double>(step);
    return {rate / (1 - std::pow(beta1, t)), 1 / std::sqrt(1 - std::pow(beta2, t)), beta1, beta2, 1 - beta2, epsilon};
}

}  // namespace detail

SIGMA_IMPL std::array<double, 6> Adam::scalars(std::uint64_t step) const {
    return detail::adam_scalars(learning_rate, beta1, beta2, epsilon, step);
}

SIGMA_IMPL std::array<double, 7> AdamW::scalars(std::uint64_t step) const {
    const auto a = detail::adam_scalars(learning_rate, beta1, beta2, epsilon, step);
    return {a[0], a[1], a[2], a[3], a[4], a[5], learning_rate * weight_decay};
}

namespace detail {

/// Returns ∏ β(1 − ½ · 0.96^(ψi)) for i from 1 to t, in constant time: the logarithm of each factor is a power series
/// in 0.96^(ψi), and the sums of powers over i are geometric. 0 if the product is negligible beside 1.
SIGMA_IMPL double product_of_momenta(double beta, double decay, double t) {
    if (beta == 0 || t * std::log(beta) < -40) return 0;
    double logarithm = t * std::log(beta), half = 1;
    for (int k = 1; k <= 54; ++k) {
        half /= 2;
        const double rate = k * decay * std::log(0.96);
        const double sum = rate == 0 ? t : std::exp(rate) * std::expm1(t * rate) / std::expm1(rate);
        logarithm -= half / k * sum;
    }
    return std::exp(logarithm);
}

}  // namespace detail

SIGMA_IMPL std::array<double, 8> NAdam::scalars(std::uint64_t step) const {
    const double t = static_cast<double>(step);
    const auto momentum = [&](double at) { return beta1 * (1 - 0.5 * std::pow(0.96, momentum_decay * at)); };
    const double product = detail::product_of_momenta(beta1, momentum_decay, t), next = product * momentum(t + 1);
    return {learning_rate * momentum(t + 1) / (1 - next),
            learning_rate * (1 - momentum(t)) / (1 - product),
            beta1,
            1 - beta1,
            beta2,
            1 - beta2,
            1 / std::sqrt(1 - std::pow(beta2, t)),
            epsilon};
}

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
