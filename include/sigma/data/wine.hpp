// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/csv.hpp>

#include <string>

namespace sigma::data {

/// Wines of three growers in one region of Italy (M. Forina et al., UCI): 178 records sorted by class, 59, 71 and 48; 13
/// chemical measurements of very different size, so standardize(inputs).
/// From `directory` if given, else the copy that comes with the library.
inline Dataset wine(const std::string& directory = "") {
    return read_csv(require_file(search_directories("wine", directory, false), "wine.data"),
                    {.target_column = 0, .classes = {"1", "2", "3"}, .name = "wine"});
}

}  // namespace sigma::data
