// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/any_function.hpp>
#include <sigma/data/transform/augmentation.hpp>

#include <string_view>

namespace sigma::data {

/// A record as an image: (height, width) or (height, width, channels), as the layers have them.
struct ImageView {
    std::size_t height, width, channels;

    static ImageView of(std::span<const std::size_t> shape) {
        return {shape[0], shape[1], shape.size() > 2 ? shape[2] : 1};
    }
    std::size_t row() const { return width * channels; }
    float* at(std::span<float> record, std::size_t y) const { return record.data() + y * row(); }

    static void examine(std::string_view who, std::span<const std::size_t> shape);
};

namespace detail {

using AugmentFunction =
    sigma::detail::AnyFunction<void(std::span<float>, std::span<const std::size_t>, PhiloxSequence&)>;

/// Moves an image by `down` rows and `right` columns; what comes in from outside is `fill`.
void move_image(std::span<float> record, const ImageView& image, std::ptrdiff_t down, std::ptrdiff_t right, float fill);
/// Turns an image about its middle, by radians, anticlockwise as it is seen (rows go down).
void turn_image(std::span<float> record, const ImageView& image, double radians, float fill);

}  // namespace detail

/// A change of the user's. It gets the numbers of one record, their shape, and random numbers; it may be called from
/// several threads.
///
///     augment_by("darker", [](std::span<float> record, std::span<const std::size_t>, PhiloxSequence& random) {
///         const float by = random.uniform();
///         for (float& x : record) x *= by;
///     })
Augmentation augment_by(std::string name, detail::AugmentFunction function);

/// Cuts a part out of images that is so many pixels less high and less wide, at any place, and enlarges it to the size
/// of the image, bilinear. Throws ArgumentError for less than 0 pixels, ShapeError for images that are not larger.
Augmentation crop(int pixels);

/// Fills a square of so many pixels a side, with its centre at any pixel: T. DeVries, G. W. Taylor, "Improved
/// regularization of convolutional neural networks with cutout", 2017. Throws ArgumentError for less than 1 pixel.
Augmentation erase(int pixels, float fill = 0);

/// Mirrors images, left and right change places, with this probability. Throws ArgumentError for none from 0 to 1.
Augmentation flip_horizontal(double probability = 0.5);
/// Mirrors images, top and bottom change places.
Augmentation flip_vertical(double probability = 0.5);

/// Adds a normally distributed number of mean 0 and this deviation to each number, of records of any shape. Throws
/// ArgumentError for a deviation below 0.
Augmentation noise(double deviation);

/// Turns images about their middle by up to so many degrees either way, each angle equally likely; bilinear, and what
/// comes in from outside is `fill`. Throws ArgumentError for none from 0 to 180.
Augmentation rotate(double degrees, float fill = 0);

/// Moves images by up to so many pixels up or down and left or right, each whole number equally likely. What comes in
/// from outside is `fill`. Throws ArgumentError for less than 0 pixels.
Augmentation shift(int pixels, float fill = 0);
/// The same with up to `rows` up or down and `columns` left or right.
Augmentation shift_by(int rows, int columns, float fill = 0);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/augmentations.ipp>
#endif
