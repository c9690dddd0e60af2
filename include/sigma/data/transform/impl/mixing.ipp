// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/data/transform/mixing.hpp>

#include <algorithm>
#include <cmath>

namespace sigma::data::detail {

SIGMA_IMPL double mixing_parameter(const char* where, double alpha) {
    if (!(alpha >= 0.001 && alpha <= 1000)) throw ArgumentError(where, "a number from 0.001 to 1000", sentence(alpha));
    return alpha;
}

/// Returns the logarithm of a gamma distributed number (G. Marsaglia, W. W. Tsang, "A simple method for generating
/// gamma variables", 2000). The number itself may be too small for a double if `shape` is small.
SIGMA_IMPL double log_of_gamma(double shape, PhiloxSequence& numbers) {
    const auto log_uniform = [&] { return std::log(1 - numbers.uniform<double>()); };
    const double lifted = shape < 1 ? log_uniform() / shape : 0;
    const double d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3, c = 1 / std::sqrt(9 * d);
    for (;;) {
        const double x = numbers.normal<double>(), root = 1 + c * x, v = root * root * root;
        if (root > 0 && log_uniform() < 0.5 * x * x + d * (1 - v + std::log(v))) return lifted + std::log(d * v);
    }
}

SIGMA_IMPL double beta(double alpha, PhiloxSequence& numbers) {
    const double first = log_of_gamma(alpha, numbers), second = log_of_gamma(alpha, numbers);
    return 1 / (1 + std::exp(second - first));
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL Mixing mixup(double alpha) { return {.mixup = detail::mixing_parameter("mixup", alpha)}; }
SIGMA_IMPL Mixing cutmix(double alpha) { return {.cutmix = detail::mixing_parameter("cutmix", alpha)}; }

SIGMA_IMPL std::string Mixing::text() const {
    const std::string first = mixup > 0 ? sentence("mixup(", mixup, ")") : "";
    return cutmix == 0 ? first : sentence(first, first.empty() ? "" : " >> ", "cutmix(", cutmix, ")");
}

SIGMA_IMPL Mixing::Blend Mixing::draw(std::span<const std::size_t> shape, Philox random) const {
    PhiloxSequence numbers{random};
    const bool cuts = cutmix > 0 && (mixup == 0 || numbers.uniform() < 0.5f);
    Blend all{.share = 1 - detail::beta(cuts ? cutmix : mixup, numbers)};
    if (!cuts) return all;
    const auto side = [&, part = std::sqrt(all.share)](std::size_t extent, std::size_t& first, std::size_t& end) {
        const auto half = static_cast<std::size_t>(static_cast<double>(extent) * part) / 2;
        const std::size_t center = numbers.below(extent);
        first = center - std::min(center, half);
        end = std::min(center + half, extent);
    };
    all.height = shape[0];
    all.width = shape[1];
    side(all.height, all.top, all.bottom);
    side(all.width, all.left, all.right);
    all.share = static_cast<double>((all.bottom - all.top) * (all.right - all.left)) /
                static_cast<double>(all.height * all.width);
    return all;
}

}  // namespace sigma::data
