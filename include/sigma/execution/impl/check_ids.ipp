// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/execution/check_ids.hpp>

#include <array>
#include <cmath>
#include <vector>

namespace sigma::detail {

SIGMA_IMPL void check_ids(const Dataset& data, std::size_t which, int rows, std::string_view layer) {
    if (!data.in_memory()) return;
    std::vector<double> ids(data.input_size(which));  // exact, whatever the type of the data's numbers
    for (std::size_t r = 0; r < data.size(); ++r) {
        data.copy_inputs(std::array{r}, ids.data(), ids.size(), which);
        for (std::size_t i = 0; i < ids.size(); ++i) {
            if (ids[i] >= 0 && ids[i] < rows && ids[i] == std::floor(ids[i])) continue;
            throw DataError::in_dataset(data.name(), sentence("record ", r, ", position ", i),
                                        sentence("a whole number from 0 to ", rows - 1, " for layer '", layer, "'"),
                                        sentence(static_cast<float>(ids[i])));
        }
    }
}

}  // namespace sigma::detail
