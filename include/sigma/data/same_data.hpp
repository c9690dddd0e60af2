// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/dataset.hpp>

namespace sigma::data::detail {

/// Throws ArgumentError where the numbers of another dataset's classes are not those of the training data. It may lack
/// some at the end; where one of the two has no names there is nothing to compare.
void require_same_classes(const Dataset& training, const Dataset& other);

/// Throws ArgumentError where another dataset of a trainer did not go through what its training data went through.
void require_same_preprocessing(const Dataset& training, const Dataset& other);
/// The same of what is known of training data that are called so.
void require_same_preprocessing(const Preprocessing& wanted, const std::string& of, const Dataset& other);

/// Do both have the same records, in the same order, in sections of the same names and extents?
bool same_records(const Dataset& a, const Dataset& b);

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/same_data.ipp>
#endif
