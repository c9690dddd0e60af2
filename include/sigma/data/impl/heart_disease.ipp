// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/heart_disease.hpp>
#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/csv.hpp>
#include <sigma/data/ready/published.hpp>
#include <sigma/data/source/unpack.hpp>
#include <sigma/data/transform/transforms.hpp>

namespace sigma::data::detail {

SIGMA_IMPL PublishedFile heart_disease_file() {
    return {"heart-disease",
            "processed.cleveland.data",
            "a74b7efa387bc9d108d7d0115d831fe9b414b29ae7124f331b622b4efa0427c8",
            {"https://archive.ics.uci.edu/ml/machine-learning-databases/heart-disease/processed.cleveland.data"}};
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL Supervised<Extents<13>, Extents<>> heart_disease(const std::string& directory) {
    const Columns<Extents<>> ill{mapped(13, {{"0", 0}, {"1", 1}, {"2", 1}, {"3", 1}, {"4", 1}}).parts};
    return csv(unpacked(published(detail::heart_disease_file(), directory)), {.missing = {"?"}}) >>
           sections(inputs = columns<0, 12>(), targets = ill) >> impute(inputs, median) >> dataset("heart-disease");
}

}  // namespace sigma::data
