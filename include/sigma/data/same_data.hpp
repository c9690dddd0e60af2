// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/dataset.hpp>

namespace sigma::data::detail {

/// Throws ArgumentError if the numbers of another dataset's classes differ from those of the training data. The other
/// dataset may lack the last classes. Compares nothing if one of the two has no names.
void require_same_classes(const Dataset& training, const Dataset& other);

/// Throws ArgumentError if another dataset of a trainer has other preprocessing than its training data.
void require_same_preprocessing(const Dataset& training, const Dataset& other);
/// Throws ArgumentError if a dataset has other preprocessing than training data with the name `of`.
void require_same_preprocessing(const Preprocessing& wanted, const std::string& of, const Dataset& other);

/// Returns whether both have the same records in the same order, in sections of the same names and extents.
bool same_records(const Dataset& a, const Dataset& b);

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/same_data.ipp>
#endif
