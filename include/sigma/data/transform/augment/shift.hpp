// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/augment/image.hpp>

namespace sigma::data {

namespace detail {

/// Moves an image by `down` rows and `right` columns; what comes in from outside is `fill`.
void move_image(std::span<float> record, const ImageView& image, std::ptrdiff_t down, std::ptrdiff_t right, float fill);

class Shift final : public ImageAugmenter {
public:
    Shift(int rows, int columns, float fill);
    std::string text() const override;
    void apply(std::span<float> record, std::span<const std::size_t> shape, Philox random) const override;

private:
    int rows_, columns_;
    float fill_;
};

}  // namespace detail

/// Moves images by up to so many pixels up or down and left or right, each whole number equally likely. What comes in
/// from outside is `fill`. Throws ArgumentError for less than 0 pixels.
Augmentation shift(int pixels, float fill = 0);
/// The same with up to `rows` up or down and `columns` left or right.
Augmentation shift_by(int rows, int columns, float fill = 0);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/augment/impl/shift.ipp>
#endif
