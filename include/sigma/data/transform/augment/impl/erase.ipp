// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/augment/erase.hpp>

#include <algorithm>
#include <memory>

namespace sigma::data::detail {

SIGMA_IMPL Erase::Erase(int pixels, float fill) : pixels_(pixels), fill_(fill) {
    require_augmentation("erase", pixels >= 1, "a square of at least 1 pixel", pixels);
}

SIGMA_IMPL void Erase::apply(std::span<float> record, std::span<const std::size_t> shape, Philox random) const {
    const ImageView image = ImageView::of(shape);
    PhiloxSequence drawn{random};
    // The centre is any pixel, so that squares may stick out: those at the edges are smaller.
    const auto side = [&](std::size_t extent) {
        const auto first = static_cast<std::ptrdiff_t>(drawn.below(extent)) - pixels_ / 2;
        const auto end = std::min(first + pixels_, static_cast<std::ptrdiff_t>(extent));
        return std::pair(static_cast<std::size_t>(std::max<std::ptrdiff_t>(first, 0)), static_cast<std::size_t>(end));
    };
    if (record.empty()) return;
    const auto [top, bottom] = side(image.height);
    const auto [left, right] = side(image.width);
    for (std::size_t y = top; y < bottom; ++y)
        std::fill_n(image.at(record, y) + left * image.channels, (right - left) * image.channels, fill_);
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL Augmentation erase(int pixels, float fill) {
    return Augmentation(std::make_shared<const detail::Erase>(pixels, fill));
}

}  // namespace sigma::data
