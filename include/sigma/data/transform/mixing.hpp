// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// `mixup`, `cutmix`, and their result `Mixing`. Included by `<sigma/sigma.hpp>`.

#include <sigma/core/philox.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace sigma::data {

/// The way in which minibatches mix each record with another record of the same minibatch.
///
/// @see mixup, cutmix
struct Mixing {
    double mixup = 0;   ///< parameter of the beta distribution of `mixup`; 0 (the default): no mixup
    double cutmix = 0;  ///< parameter of the beta distribution of `cutmix`; 0 (the default): no cutmix

    /// Returns whether it mixes nothing.
    bool empty() const { return mixup == 0 && cutmix == 0; }
    /// Returns the names with their parameters, "mixup(0.2) >> cutmix(1)".
    std::string text() const;

    /// @cond internal
    /// The share of another record in a mixed record, and the rectangle that comes from it.
    struct Blend {
        double share = 0;                                      ///< share of the other record
        std::size_t height = 0, width = 0;                     ///< extents of the images; 0: all numbers are mixed
        std::size_t top = 0, bottom = 0, left = 0, right = 0;  ///< rectangle of pixels from the other image

        template <class T>
        void targets(std::span<T> own, const T* other) const {
            for (std::size_t i = 0; i < own.size(); ++i) own[i] += static_cast<T>(share) * (other[i] - own[i]);
        }
        template <class T>
        void inputs(std::span<T> own, const T* other) const {
            if (height == 0) return targets(own, other);
            const std::size_t row = own.size() / height, channels = row / width;
            for (std::size_t y = top; y < bottom; ++y)
                for (std::size_t i = y * row + left * channels; i < y * row + right * channels; ++i) own[i] = other[i];
        }
    };
    /// Draws the share and the rectangle for a record of this shape.
    Blend draw(std::span<const std::size_t> shape, Philox random) const;
    /// @endcond
};

/// Replaces each record by a weighted mean of two: λ·record + (1-λ)·other, for all inputs and all targets.
///
/// The other record is one of the same minibatch. λ is drawn for each record, from the beta distribution
/// Beta(alpha, alpha). Records are augmented before they are mixed (H. Zhang et al., "mixup: beyond empirical risk
/// minimization", ICLR 2018).
///
/// Targets must be numbers that can be mixed, such as probabilities: use `one_hot(targets, n)` and
/// `SoftmaxDistributionCE`. A trainer throws ArgumentError for losses that take class numbers.
///
/// @param alpha  from 0.001 to 1000, default 0.2; larger numbers mix more
/// @return an option to add to minibatches with `>>`
/// @throws ArgumentError  if `alpha` is out of range
///
/// @par Example
/// @code
/// const auto batches = minibatches(training >> data::one_hot<10>(data::targets), 64) >> data::mixup(0.2);
/// @endcode
///
/// @see cutmix, augment, docs/minibatches.md
Mixing mixup(double alpha = 0.2);

/// Replaces a rectangle of each image by that of another image, and mixes the targets in proportion to the areas.
///
/// The rectangle has the share 1-λ of the area and the form of the image. λ is drawn for each record, from the beta
/// distribution Beta(alpha, alpha). The center is a random pixel, and parts outside of the image are cut off (S. Yun et
/// al., "CutMix: regularization strategy to train strong classifiers with localizable features", ICCV 2019). Other
/// records, augmentation and targets: as for `mixup`. With both, each record gets one of them, with probability 1/2.
///
/// @param alpha  from 0.001 to 1000, default 1: each λ from 0 to 1 is equally likely
/// @return an option to add to minibatches with `>>`
/// @throws ArgumentError  if `alpha` is out of range
/// @throws ShapeError     by `>>` to minibatches, if not all inputs are images (height, width) or (height, width,
///                        channels) of one height and width. Images (channels, height, width) are cut wrongly.
///
/// @par Example
/// @code
/// const auto batches = minibatches(training >> data::one_hot<10>(data::targets), 64) >> data::cutmix();
/// @endcode
///
/// @see mixup, erase, docs/minibatches.md
Mixing cutmix(double alpha = 1);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/mixing.ipp>
#endif
