// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/initializer/orthogonal.hpp>

#include <cmath>
#include <span>

namespace sigma::detail {

SIGMA_IMPL std::vector<double> orthonormal(std::size_t count, std::size_t length, const Philox& random) {
    std::vector<double> all(count * length);
    random.fill_normal(std::span<double>(all));
    for (std::size_t i = 0; i < count; ++i) {
        double* const v = all.data() + i * length;
        const auto dot = [&](const double* u) {
            double sum = 0;
            for (std::size_t k = 0; k < length; ++k) sum += u[k] * v[k];
            return sum;
        };
        for (int round = 0; round < 2; ++round)
            for (std::size_t j = 0; j < i; ++j) {
                const double* const u = all.data() + j * length;
                const double along = dot(u);
                for (std::size_t k = 0; k < length; ++k) v[k] -= along * u[k];
            }
        const double norm = std::sqrt(dot(v));
        for (std::size_t k = 0; k < length; ++k) v[k] /= norm;
    }
    return all;
}

}  // namespace sigma::detail
