// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/augment/image.hpp>

namespace sigma::data {

namespace detail {

class Crop final : public ImageAugmenter {
public:
    explicit Crop(int pixels);
    std::string text() const override { return sentence("crop(", pixels_, ")"); }
    void check(std::span<const std::size_t> shape) const override;
    void apply(std::span<float> record, std::span<const std::size_t> shape, Philox random) const override;

private:
    int pixels_;
};

}  // namespace detail

/// Cuts a part out of images that is so many pixels less high and less wide, at any place, and enlarges it to the size
/// of the image, bilinear. Throws ArgumentError for less than 0 pixels, ShapeError for images that are not larger.
Augmentation crop(int pixels);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/augment/impl/crop.ipp>
#endif
