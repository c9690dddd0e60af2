// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/augment/image.hpp>

namespace sigma::data {

namespace detail {

class Erase final : public ImageAugmenter {
public:
    Erase(int pixels, float fill);
    std::string text() const override { return sentence("erase(", pixels_, ", ", fill_, ")"); }
    void apply(std::span<float> record, std::span<const std::size_t> shape, Philox random) const override;

private:
    std::ptrdiff_t pixels_;
    float fill_;
};

}  // namespace detail

/// Fills a square of so many pixels a side, with its centre at any pixel: T. DeVries, G. W. Taylor, "Improved
/// regularization of convolutional neural networks with cutout", 2017. Throws ArgumentError for less than 1 pixel.
Augmentation erase(int pixels, float fill = 0);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/augment/impl/erase.ipp>
#endif
