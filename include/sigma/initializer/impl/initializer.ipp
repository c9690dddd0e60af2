// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/initializer/initializer.hpp>

#include <cmath>
#include <span>

namespace sigma::detail {

SIGMA_IMPL double Initializer::draw(const Shape& shape, const Philox& random, std::uint64_t i) const {
    const double s = scale(shape);
    switch (kind) {
        case Kind::gaussian: return first + s * second * random.normal<double>(i);
        case Kind::uniform: return s * (first + (second - first) * random.uniform<double>(i));
        case Kind::truncated: return first + s * second * within_two(random, i);
        case Kind::custom: {
            ElementRandom own(random, i);
            return custom->draw(ElementIndex(shape, i), shape, own);
        }
        default: return first;
    }
}

SIGMA_IMPL double Initializer::scale(const Shape& shape) const {
    if (fan == Fan::none || shape.rank == 0) return 1;
    const double out = shape.last(), in = shape.rank > 1 ? shape[shape.rank - 2] : 1;
    const double field = static_cast<double>(shape.count()) / (in * out);
    return 1 / std::sqrt(field * (fan == Fan::in ? in : (in + out) / 2));
}

SIGMA_IMPL double Initializer::within_two(const Philox& random, std::uint64_t i) {
    double x = random.normal<double>(i);
    for (std::uint64_t again = 1; !(std::abs(x) <= 2); ++again) x = random.normal<double>(i + (again << 40));
    return x;
}

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
