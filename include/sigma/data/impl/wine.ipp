// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/csv.hpp>
#include <sigma/data/ready/published.hpp>
#include <sigma/data/source/unpack.hpp>
#include <sigma/data/wine.hpp>

namespace sigma::data::detail {

SIGMA_IMPL PublishedFile wine_file() {
    return {"wine",
            "wine.data",
            "6be6b1203f3d51df0b553a70e57b8a723cd405683958204f96d23d7cd6aea659",
            {"https://archive.ics.uci.edu/ml/machine-learning-databases/wine/wine.data",
             "https://raw.githubusercontent.com/rasbt/python-machine-learning-book-3rd-edition/"
             "bf62496f44a92a21d23250d5ed13d2d2e617e0e2/ch04/wine.data"}};
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL Supervised<Extents<13>, Extents<>> wine(const std::string& directory) {
    return csv(unpacked(published(detail::wine_file(), directory))) >>
           sections(inputs = columns<1, 13>(), targets = labels(0, {"1", "2", "3"})) >> dataset("wine");
}

}  // namespace sigma::data
