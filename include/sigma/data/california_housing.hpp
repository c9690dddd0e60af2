// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/csv.hpp>
#include <sigma/data/ready/published.hpp>
#include <sigma/data/source/unpack.hpp>
#include <sigma/data/transform/impute.hpp>

#include <string>
#include <string_view>

namespace sigma::data {

namespace detail {

PublishedFile california_housing_file();

/// 1 where a district has this proximity to the ocean.
Columns<Extents<1>> proximity(std::string_view wanted);

}  // namespace detail

/// Districts of California in the census of 1990 (R. K. Pace and R. Barry, Statistics & Probability Letters 33, 1997, with
/// the column ocean_proximity and missing values added since): 20,640 records of 13 numbers. They are longitude, latitude,
/// median age of houses, rooms, bedrooms (207 are missing and become the median), population, households, median income;
/// then 1 for one of: INLAND, <1H OCEAN, NEAR OCEAN, NEAR BAY, ISLAND. The target is the median value of a house in
/// dollars, (records, 1), cut at 500,001.
/// From `directory` if given, else as published() says.
inline auto california_housing(const std::string& directory = "") {
    return csv(unpacked(published(detail::california_housing_file(), directory)), {.header = true, .missing = {""}}) >>
           sections(inputs = columns<0, 7>() + detail::proximity("INLAND") + detail::proximity("<1H OCEAN") +
                             detail::proximity("NEAR OCEAN") + detail::proximity("NEAR BAY") + detail::proximity("ISLAND"),
                    targets = column<8>()) >>
           impute(inputs, median) >> dataset("california-housing");
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/california_housing.ipp>
#endif
