// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/augment/rotate.hpp>

#include <cmath>
#include <memory>
#include <numbers>

namespace sigma::data::detail {

SIGMA_IMPL void turn_image(std::span<float> record, const ImageView& image, double radians, float fill) {
    const auto from = copy_of(record);
    const auto c = static_cast<float>(std::cos(radians)), s = static_cast<float>(std::sin(radians));
    const float middle_y = (static_cast<float>(image.height) - 1) / 2,
                middle_x = (static_cast<float>(image.width) - 1) / 2;
    float* to = record.data();
    for (std::size_t y = 0; y < image.height; ++y)
        for (std::size_t x = 0; x < image.width; ++x, to += image.channels) {
            const float v = static_cast<float>(y) - middle_y, u = static_cast<float>(x) - middle_x;
            between(from.data(), image, middle_y + c * v + s * u, middle_x + c * u - s * v, fill, to);
        }
}

SIGMA_IMPL Rotate::Rotate(double degrees, float fill) : degrees_(degrees), fill_(fill) {
    require_augmentation("rotate", degrees >= 0 && degrees <= 180, "0 to 180 degrees", degrees);
}

SIGMA_IMPL void Rotate::apply(std::span<float> record, std::span<const std::size_t> shape, Philox random) const {
    const double degrees = degrees_ * (2 * random.uniform<double>(0) - 1);
    turn_image(record, ImageView::of(shape), degrees * std::numbers::pi / 180, fill_);
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL Augmentation rotate(double degrees, float fill) {
    return Augmentation(std::make_shared<const detail::Rotate>(degrees, fill));
}

}  // namespace sigma::data
