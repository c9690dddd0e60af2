// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/csv.hpp>

#include <string>

namespace sigma::data {

/// R. A. Fisher's iris flowers (1936): 150 records sorted by class, 50 of each of 3; 4 lengths in centimetres.
/// From `directory` if given, else the copy that comes with the library.
inline Dataset iris(const std::string& directory = "") {
    return read_csv(require_file(search_directories("iris", directory, false), "iris.data"),
                    {.classes = {"Iris-setosa", "Iris-versicolor", "Iris-virginica"}, .name = "iris"});
}

}  // namespace sigma::data
