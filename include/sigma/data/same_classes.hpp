// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/dataset.hpp>

namespace sigma::data::detail {

/// Throws ArgumentError where the numbers of another dataset's classes are not those of the training data. It may lack
/// some at the end; where one of the two has no names there is nothing to compare.
void require_same_classes(const Dataset& training, const Dataset& other);

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/same_classes.ipp>
#endif
