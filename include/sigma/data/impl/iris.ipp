// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/iris.hpp>
#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/csv.hpp>
#include <sigma/data/ready/published.hpp>
#include <sigma/data/source/unpack.hpp>

namespace sigma::data::detail {

SIGMA_IMPL PublishedFile iris_file() {
    return {"iris",
            "iris.data",
            "6f608b71a7317216319b4d27b4d9bc84e6abd734eda7872b71a458569e2656c0",
            {"https://archive.ics.uci.edu/ml/machine-learning-databases/iris/iris.data",
             "https://raw.githubusercontent.com/rasbt/python-machine-learning-book-3rd-edition/"
             "bf62496f44a92a21d23250d5ed13d2d2e617e0e2/ch02/iris.data"}};
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL Supervised<Extents<4>, Extents<>> iris(const std::string& directory) {
    return csv(unpacked(published(detail::iris_file(), directory))) >>
           sections(inputs = columns<0, 3>(),
                    targets = labels(4, {"Iris-setosa", "Iris-versicolor", "Iris-virginica"})) >>
           dataset("iris");
}

}  // namespace sigma::data
