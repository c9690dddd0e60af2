// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Random changes of images and other records: shift, crop, flip, rotate, erase, noise. Included by
/// `<sigma/data/data.hpp>`.

#include <sigma/core/any_function.hpp>
#include <sigma/data/transform/augmentation.hpp>

#include <string_view>

namespace sigma::data {

/// The extents of a record that is an image: (height, width) or (height, width, channels).
///
/// @see augment_by
struct ImageView {
    std::size_t height;    ///< rows
    std::size_t width;     ///< columns
    std::size_t channels;  ///< numbers of each pixel, 1 for (height, width)

    /// Returns the extents of a record.
    /// @param shape  (height, width) or (height, width, channels)
    static ImageView of(std::span<const std::size_t> shape) {
        return {shape[0], shape[1], shape.size() > 2 ? shape[2] : 1};
    }
    /// Returns the count of numbers in one row.
    std::size_t row() const { return width * channels; }
    /// Returns the first number of a row.
    /// @param record  numbers of the image
    /// @param y       number of the row, from 0
    float* at(std::span<float> record, std::size_t y) const { return record.data() + y * row(); }

    /// Checks that records are images.
    /// @param name   name of the augmentation, for the error
    /// @param shape  extents of a record
    /// @throws ShapeError  if records have another number of axes
    static void examine(std::string_view name, std::span<const std::size_t> shape);
};

namespace detail {

using AugmentFunction =
    sigma::detail::AnyFunction<void(std::span<float>, std::span<const std::size_t>, PhiloxSequence&)>;

/// Moves an image by `down` rows and `right` columns. Fills the uncovered pixels with `fill`.
void move_image(std::span<float> record, const ImageView& image, std::ptrdiff_t down, std::ptrdiff_t right, float fill);
/// Rotates an image around its center by radians, counterclockwise as you see it (rows go down).
void turn_image(std::span<float> record, const ImageView& image, double radians, float fill);

}  // namespace detail

/// Changes records with a function of yours. Several threads may call the function.
///
/// @param name      name of the augmentation, in checkpoints and errors
/// @param function  called with the numbers of one record, its extents, and random numbers
/// @return an augmentation, for `augment`
/// @throws ArgumentError  if `function` is empty
///
/// @par Example
/// @code
/// const auto darker = data::augment_by("darker", [](std::span<float> record, std::span<const std::size_t>,
///                                                   PhiloxSequence& random) {
///     const float by = random.uniform();
///     for (float& x : record) x *= by;
/// });
/// const auto batches = minibatches(training, 100) >> data::augment(data::inputs, darker);
/// @endcode
///
/// @see augment, docs/minibatches.md
Augmentation augment_by(std::string name, detail::AugmentFunction function);

/// Crops images at a random place by `pixels` rows and columns, and resizes them to their old size (bilinear).
///
/// @param pixels  how many rows and columns to cut off, at least 0
/// @return an augmentation, for `augment`
/// @throws ArgumentError  if `pixels` is negative
/// @throws ShapeError     by `>>` to minibatches whose records are not images (height, width) or (height, width,
///                        channels) of more than `pixels` rows and columns
///
/// @par Example
/// @code
/// const auto batches = minibatches(training, 100) >> data::augment(data::inputs, data::crop(4));
/// @endcode
///
/// @see augment, shift
Augmentation crop(int pixels);

/// Changes brightness, contrast and saturation of images at random, in this order.
///
/// Each factor is uniform in [1 - x, 1 + x], where x is the value of the option. Brightness multiplies each number.
/// Contrast keeps the mean brightness of the image, and multiplies the distance from it. Saturation keeps the
/// brightness of each pixel, and multiplies the distance from gray. Brightness of a pixel is 0.299 red + 0.587 green +
/// 0.114 blue (ITU-R BT.601), or the number of an image in gray. Results are limited to the range [0, most].
///
/// @see color_jitter
struct ColorJitter {
    double brightness = 0;  ///< largest change of brightness, from 0 (the default: none) to 1
    double contrast = 0;    ///< largest change of contrast, from 0 (the default: none) to 1
    double saturation = 0;  ///< largest change of saturation, from 0 (the default: none) to 1; for three channels
    double most = 1;        ///< largest number of a pixel, default 1
};

/// Changes brightness, contrast and saturation of images at random.
///
/// Apply it to pixels from 0 to `options.most`, before they are standardized.
///
/// @param options  largest changes, and the range of numbers
/// @return an augmentation, for `augment`
/// @throws ArgumentError  if a change is not from 0 to 1, or `most` is not positive and finite
/// @throws ShapeError     by `>>` to minibatches whose records are not images (height, width) or (height, width,
///                        channels) of one or three channels; of three, if `options.saturation` is not 0
///
/// @par Example
/// @code
/// const auto [photos, photos_to_test] = data::cifar10();
/// const auto batches = minibatches(photos, 100) >>
///                      data::augment(data::inputs, data::color_jitter({.brightness = 0.2, .saturation = 0.3}));
/// @endcode
///
/// @see augment, ColorJitter
Augmentation color_jitter(ColorJitter options);

/// Crops images to a random part of their area and form, and resizes it to the old size (bilinear).
///
/// The part has a share of the area that is uniform in [least, 1], and a ratio of width to height whose logarithm is
/// uniform between those of 3/4 and 4/3, relative to the image. If a side does not fit ten times in a row, the part is
/// the whole image (C. Szegedy et al., "Going deeper with convolutions", CVPR 2015).
///
/// @param least  smallest share of the area, above 0 and at most 1, default 0.08
/// @return an augmentation, for `augment`
/// @throws ArgumentError  if `least` is out of range
/// @throws ShapeError     by `>>` to minibatches whose records are not images (height, width) or (height, width,
///                        channels)
///
/// @par Example
/// @code
/// const auto batches = minibatches(training, 100) >> data::augment(data::inputs, data::crop_resized(0.5));
/// @endcode
///
/// @see augment, crop
Augmentation crop_resized(double least = 0.08);

/// Fills a square with one value, centered at a random pixel (cutout).
///
/// T. DeVries, G. W. Taylor, "Improved regularization of convolutional neural networks with cutout", 2017.
///
/// @param pixels  side of the square, at least 1
/// @param fill    value of the filled pixels, default 0
/// @return an augmentation, for `augment`
/// @throws ArgumentError  if `pixels` is below 1
/// @throws ShapeError     by `>>` to minibatches whose records are not images (height, width) or (height, width,
///                        channels)
///
/// @par Example
/// @code
/// const auto batches = minibatches(training, 100) >> data::augment(data::inputs, data::erase(8));
/// @endcode
///
/// @see augment
Augmentation erase(int pixels, float fill = 0);

/// Mirrors images left to right with a probability.
///
/// @param probability  from 0 to 1, default 0.5
/// @return an augmentation, for `augment`
/// @throws ArgumentError  if `probability` is out of range
/// @throws ShapeError     by `>>` to minibatches whose records are not images (height, width) or (height, width,
///                        channels)
///
/// @par Example
/// @code
/// const auto batches = minibatches(training, 100) >>
///                      data::augment(data::inputs, data::shift(2), data::flip_horizontal());
/// @endcode
///
/// @see augment, flip_vertical
Augmentation flip_horizontal(double probability = 0.5);
/// Mirrors images top to bottom with a probability.
///
/// @param probability  from 0 to 1, default 0.5
/// @return an augmentation, for `augment`
/// @throws ArgumentError  if `probability` is out of range
/// @throws ShapeError     by `>>` to minibatches whose records are not images (height, width) or (height, width,
///                        channels)
///
/// @see augment, flip_horizontal
Augmentation flip_vertical(double probability = 0.5);

/// Adds normally distributed noise of mean 0 to each number. Works with records of any shape.
///
/// @param deviation  standard deviation, at least 0
/// @return an augmentation, for `augment`
/// @throws ArgumentError  if `deviation` is negative
///
/// @par Example
/// @code
/// const auto batches = minibatches(data::iris(), 30) >> data::augment(data::noise(0.1));
/// @endcode
///
/// @see augment, GaussianNoise (which is a layer)
Augmentation noise(double deviation);

/// Rotates images around their center by a random angle up to `degrees` either way, uniformly distributed (bilinear).
///
/// @param degrees  largest angle, from 0 to 180
/// @param fill     value of pixels from outside of the image, default 0
/// @return an augmentation, for `augment`
/// @throws ArgumentError  if `degrees` is out of range
/// @throws ShapeError     by `>>` to minibatches whose records are not images (height, width) or (height, width,
///                        channels)
///
/// @par Example
/// @code
/// const auto batches = minibatches(training, 100) >> data::augment(data::inputs, data::rotate(10));
/// @endcode
///
/// @see augment
Augmentation rotate(double degrees, float fill = 0);

/// Moves images by up to `pixels` rows and columns, each whole number equally likely.
///
/// @param pixels  largest distance in each direction, at least 0
/// @param fill    value of pixels from outside of the image, default 0
/// @return an augmentation, for `augment`
/// @throws ArgumentError  if `pixels` is negative
/// @throws ShapeError     by `>>` to minibatches whose records are not images (height, width) or (height, width,
///                        channels)
///
/// @par Example
/// @code
/// const auto batches = minibatches(training, 100) >> data::augment(data::inputs, data::shift(2));
/// @endcode
///
/// @see augment, shift_by, crop
Augmentation shift(int pixels, float fill = 0);
/// Moves images by up to `rows` up or down and up to `columns` left or right.
///
/// @param rows     largest vertical distance, at least 0
/// @param columns  largest horizontal distance, at least 0
/// @param fill     value of pixels from outside of the image, default 0
/// @return an augmentation, for `augment`
/// @throws ArgumentError  if a distance is negative
/// @throws ShapeError     by `>>` to minibatches whose records are not images (height, width) or (height, width,
///                        channels)
///
/// @see augment, shift
Augmentation shift_by(int rows, int columns, float fill = 0);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/augmentations.ipp>
#endif
