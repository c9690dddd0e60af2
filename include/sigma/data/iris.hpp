// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/csv.hpp>
#include <sigma/data/ready/published.hpp>
#include <sigma/data/source/unpack.hpp>

#include <string>

namespace sigma::data {

namespace detail {

PublishedFile iris_file();

}  // namespace detail

/// R. A. Fisher's iris flowers (1936): 150 records sorted by class, 50 of each of 3; 4 lengths in centimetres.
/// From `directory` if given, else as published() says; it comes with the library.
inline auto iris(const std::string& directory = "") {
    return csv(unpacked(published(detail::iris_file(), directory))) >>
           sections(inputs = columns<0, 3>(), targets = labels(4, {"Iris-setosa", "Iris-versicolor", "Iris-virginica"})) >> dataset("iris");
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/iris.ipp>
#endif
