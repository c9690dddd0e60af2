// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/pipeline/dataset_of.hpp>
#include <sigma/data/share_directory.hpp>

namespace sigma::data {

/// Labelled images of 28 x 28 pixels from 0 to 1.
using Images28 = Supervised<Extents<28, 28>, Extents<>>;

/// A set that is published in two parts: auto [training, testing, whole] = data::mnist().
struct ImageParts {
    Images28 training, testing;
    /// Are these all the records that are published? Else they are parts of the sample that comes with the library,
    /// with no record in common, or of an edition of the user's.
    bool whole;
};

namespace detail {
struct LabelledFiles;  // ready/published.hpp
}  // namespace detail

}  // namespace sigma::data
