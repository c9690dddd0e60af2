// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/augment/crop.hpp>

#include <memory>

namespace sigma::data::detail {

SIGMA_IMPL Crop::Crop(int pixels) : pixels_(pixels) {
    require_augmentation("crop", pixels >= 0, "at least 0 pixels", pixels);
}

SIGMA_IMPL void Crop::check(std::span<const std::size_t> shape) const {
    ImageAugmenter::check(shape);
    const auto least = static_cast<std::size_t>(pixels_) + 1;
    if (shape[0] < least || shape[1] < least)
        throw ShapeError(text(), sentence("images of at least ", least, " pixels a side"),
                         sigma::detail::shape_text(shape));
}

SIGMA_IMPL void Crop::apply(std::span<float> record, std::span<const std::size_t> shape, Philox random) const {
    const ImageView image = ImageView::of(shape);
    const auto from = copy_of(record);
    PhiloxSequence drawn{random};
    const auto less = static_cast<std::size_t>(pixels_);
    const auto top = static_cast<float>(drawn.below(less + 1)), left = static_cast<float>(drawn.below(less + 1));
    // Corners of the part that is kept become corners of the image.
    const auto step = [&](std::size_t extent) {
        return extent > 1 ? static_cast<float>(extent - less - 1) / static_cast<float>(extent - 1) : 0.0f;
    };
    const float down = step(image.height), right = step(image.width);
    float* to = record.data();
    for (std::size_t y = 0; y < image.height; ++y)
        for (std::size_t x = 0; x < image.width; ++x, to += image.channels)
            between(from.data(), image, top + down * static_cast<float>(y), left + right * static_cast<float>(x), 0,
                    to);
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL Augmentation crop(int pixels) { return Augmentation(std::make_shared<const detail::Crop>(pixels)); }

}  // namespace sigma::data
