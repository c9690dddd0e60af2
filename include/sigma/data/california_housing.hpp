// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/not_included.hpp>
#include <sigma/data/pipeline/dataset_of.hpp>
#include <sigma/data/share_directory.hpp>

#include <string>

template <class W>
struct sigma::detail::Included<sigma::data::include_sigma_data_california_housing_hpp, W> {};

namespace sigma::data {

/// Districts of California in the census of 1990 (R. K. Pace and R. Barry, Statistics & Probability Letters 33, 1997,
/// with the column ocean_proximity and missing values added since): 20,640 records of 13 numbers. They are longitude,
/// latitude, median age of houses, rooms, bedrooms (207 are missing and become the median), population, households,
/// median income; then 1 for one of: INLAND, <1H OCEAN, NEAR OCEAN, NEAR BAY, ISLAND. The target is the median value of
/// a house in dollars, (records, 1), cut at 500,001. From `directory` if given, else as published() says.
Supervised<Extents<13>, Extents<1>> california_housing(const std::string& directory = "");

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/california_housing.ipp>
#endif
