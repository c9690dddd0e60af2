// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/csv.hpp>

#include <string>

namespace sigma::data {

/// Wisconsin diagnostic breast cancer (W. H. Wolberg, W. N. Street, O. L. Mangasarian, UCI): 569 records, 357 benign
/// (class 0, "B") and 212 malignant (class 1, "M"); 30 measurements of cell nuclei, so standardize(inputs).
/// From `directory` if given, else the copy that comes with the library.
inline Dataset wdbc(const std::string& directory = "") {
    return read_csv(require_file(search_directories("wdbc", directory, false), "wdbc.data"),
                    {.target_column = 1, .classes = {"B", "M"}, .ignored_columns = {0}, .name = "wdbc"});
}

}  // namespace sigma::data
