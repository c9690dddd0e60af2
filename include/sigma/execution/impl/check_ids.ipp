// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/execution/check_ids.hpp>

#include <array>
#include <cmath>
#include <vector>

namespace sigma::detail {

SIGMA_IMPL std::string ids_wanted(int rows, std::string_view layer) {
    return sentence("a whole number from 0 to ", rows - 1, " for layer '", layer, "'");
}
SIGMA_IMPL bool is_id(double number, int rows) { return number >= 0 && number < rows && number == std::floor(number); }

SIGMA_IMPL void check_ids(const Dataset& data, std::size_t which, int rows, std::string_view layer) {
    if (!data.in_memory()) return;
    std::vector<double> ids(data.input_size(which));  // exact, whatever the type of the data's numbers
    for (std::size_t r = 0; r < data.size(); ++r) {
        data.copy_inputs(std::array{r}, ids.data(), ids.size(), which);
        for (std::size_t i = 0; i < ids.size(); ++i) {
            if (is_id(ids[i], rows)) continue;
            throw DataError::in_dataset(data.name(), sentence("record ", r, ", position ", i), ids_wanted(rows, layer),
                                        sentence(static_cast<float>(ids[i])));
        }
    }
}

}  // namespace sigma::detail
