// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/dataset.hpp>

namespace sigma::data::detail {

/// Throws ArgumentError where another dataset of a trainer did not go through what its training data went through.
void require_same_preprocessing(const Dataset& training, const Dataset& other);

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/same_preprocessing.ipp>
#endif
