// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/augment/image.hpp>

namespace sigma::data {

namespace detail {

/// Turns an image about its middle, by radians, anticlockwise as it is seen (rows go down).
void turn_image(std::span<float> record, const ImageView& image, double radians, float fill);

class Rotate final : public ImageAugmenter {
public:
    Rotate(double degrees, float fill);
    std::string text() const override { return sentence("rotate(", degrees_, ", ", fill_, ")"); }
    void apply(std::span<float> record, std::span<const std::size_t> shape, Philox random) const override;

private:
    double degrees_;
    float fill_;
};

}  // namespace detail

/// Turns images about their middle by up to so many degrees either way, each angle equally likely; bilinear, and what
/// comes in from outside is `fill`. Throws ArgumentError for none from 0 to 180.
Augmentation rotate(double degrees, float fill = 0);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/augment/impl/rotate.ipp>
#endif
