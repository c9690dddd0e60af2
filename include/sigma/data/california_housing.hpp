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

inline PublishedFile california_housing_file() {
    return {"california-housing", "housing.csv", "8a3727f4cf54ac1a327f69b1d5b4db54c5834ea81c6e4efc0d163300022a685e",
            {"https://raw.githubusercontent.com/ageron/handson-ml2/1e2115277b50f6c584cd668fa30e3af309a5b136/datasets/housing/housing.csv"}};
}

/// 1 where a district has this proximity to the ocean.
inline Columns<Extents<1>> proximity(std::string_view wanted) {
    const auto is = [&](std::string_view one) { return one == wanted ? 1.0 : 0.0; };
    return mapped("ocean_proximity", {{"INLAND", is("INLAND")},
                                      {"<1H OCEAN", is("<1H OCEAN")},
                                      {"NEAR OCEAN", is("NEAR OCEAN")},
                                      {"NEAR BAY", is("NEAR BAY")},
                                      {"ISLAND", is("ISLAND")}});
}

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
