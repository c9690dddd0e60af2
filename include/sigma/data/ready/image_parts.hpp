// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// The types of MNIST and Fashion-MNIST. Included by `<sigma/data/mnist.hpp>`.

#include <sigma/data/pipeline/dataset_of.hpp>
#include <sigma/data/share_directory.hpp>

namespace sigma::data {

/// Labelled images of 28 x 28 pixels from 0 to 1.
///
/// @see mnist
using Images28 = Supervised<Extents<28, 28>, Extents<>>;

/// A set that is published in two parts: `auto [training, testing, whole] = data::mnist()`.
///
/// @see mnist, fashion_mnist
struct ImageParts {
    Images28 training;  ///< images to train on
    Images28 testing;   ///< images to test with
    /// Whether both parts have all published records. If false, they are parts of the sample that comes with the
    /// library, with no record in common, or of your own edition of the files.
    bool whole;
};

namespace detail {
struct LabelledFiles;  // ready/published.hpp
}  // namespace detail

}  // namespace sigma::data
