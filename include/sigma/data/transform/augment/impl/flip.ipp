// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/augment/flip.hpp>

#include <algorithm>
#include <memory>

namespace sigma::data::detail {

SIGMA_IMPL Flip::Flip(bool horizontal, double probability) : horizontal_(horizontal), probability_(probability) {
    require_augmentation("flip", probability >= 0 && probability <= 1, "a probability from 0 to 1", probability);
}

SIGMA_IMPL std::string Flip::text() const {
    return sentence(horizontal_ ? "flip_horizontal(" : "flip_vertical(", probability_, ")");
}

SIGMA_IMPL void Flip::apply(std::span<float> record, std::span<const std::size_t> shape, Philox random) const {
    if (!(random.uniform<double>(0) < probability_)) return;
    const ImageView image = ImageView::of(shape);
    if (horizontal_) {
        for (std::size_t y = 0; y < image.height; ++y)
            for (std::size_t a = 0, b = image.width; a + 1 < b; ++a) {
                --b;
                float* row = image.at(record, y);
                std::swap_ranges(row + a * image.channels, row + (a + 1) * image.channels, row + b * image.channels);
            }
    } else {
        for (std::size_t y = 0; y < image.height / 2; ++y)
            std::swap_ranges(image.at(record, y), image.at(record, y) + image.row(),
                             image.at(record, image.height - 1 - y));
    }
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL Augmentation flip_horizontal(double probability) {
    return Augmentation(std::make_shared<const detail::Flip>(true, probability));
}

SIGMA_IMPL Augmentation flip_vertical(double probability) {
    return Augmentation(std::make_shared<const detail::Flip>(false, probability));
}

}  // namespace sigma::data
