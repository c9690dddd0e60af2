// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/california_housing.hpp>
#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/csv.hpp>
#include <sigma/data/ready/published.hpp>
#include <sigma/data/source/unpack.hpp>
#include <sigma/data/transform/transforms.hpp>

namespace sigma::data::detail {

SIGMA_IMPL PublishedFile california_housing_file() {
    return {"california-housing",
            "housing.csv",
            "8a3727f4cf54ac1a327f69b1d5b4db54c5834ea81c6e4efc0d163300022a685e",
            {"https://raw.githubusercontent.com/ageron/handson-ml2/1e2115277b50f6c584cd668fa30e3af309a5b136/datasets/"
             "housing/housing.csv"}};
}

SIGMA_IMPL Columns<Extents<1>> proximity(std::string_view wanted) {
    const auto is = [&](std::string_view one) { return one == wanted ? 1.0 : 0.0; };
    return mapped("ocean_proximity", {{"INLAND", is("INLAND")},
                                      {"<1H OCEAN", is("<1H OCEAN")},
                                      {"NEAR OCEAN", is("NEAR OCEAN")},
                                      {"NEAR BAY", is("NEAR BAY")},
                                      {"ISLAND", is("ISLAND")}});
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL Supervised<Extents<13>, Extents<1>> california_housing(const std::string& directory) {
    return csv(unpacked(published(detail::california_housing_file(), directory)), {.header = true, .missing = {""}}) >>
           sections(inputs = columns<0, 7>() + detail::proximity("INLAND") + detail::proximity("<1H OCEAN") +
                             detail::proximity("NEAR OCEAN") + detail::proximity("NEAR BAY") +
                             detail::proximity("ISLAND"),
                    targets = column<8>()) >>
           impute(inputs, median) >> dataset("california-housing");
}

}  // namespace sigma::data
