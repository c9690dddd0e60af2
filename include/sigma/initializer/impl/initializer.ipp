// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/initializer/initializer.hpp>

#include <cmath>

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

}  // namespace sigma::detail
