// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/dataset.hpp>
#include <sigma/network/network.hpp>

#include <cmath>
#include <cstddef>
#include <string_view>

namespace sigma::detail {

/// Throws DataError where a number of this input names no row of the table of the embedding `layer`. Records in blocks
/// are not read for this: what they hold shows in the step.
[[gnu::cold]] inline void check_ids(const Dataset& data, std::size_t which, int rows, std::string_view layer) {
    if (!data.in_memory()) return;
    for (std::size_t r = 0; r < data.size(); ++r) {
        const Record ids = data.input(r, which);
        for (std::size_t i = 0; i < ids.size(); ++i) {
            if (ids[i] >= 0 && ids[i] < static_cast<float>(rows) && ids[i] == std::floor(ids[i])) continue;
            throw DataError::in_dataset(data.name(), sentence("record ", r, ", position ", i),
                                        sentence("a whole number from 0 to ", rows - 1, " for layer '", layer, "'"),
                                        sentence(ids[i]));
        }
    }
}

}  // namespace sigma::detail
