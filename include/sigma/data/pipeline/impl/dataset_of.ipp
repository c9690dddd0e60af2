// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/pipeline/dataset_of.hpp>

#include <algorithm>

namespace sigma::data::detail {

SIGMA_IMPL void check_extents_of(const Dataset& dataset, std::string_view section, bool is_target, std::size_t which,
                                 const std::vector<std::size_t>& expected) {
    const auto found = is_target ? dataset.target_shape(which) : dataset.input_shape(which);
    if (!std::ranges::equal(found, expected))
        throw ShapeError(sentence("section '", section, "' of dataset '", dataset.name(), "'"),
                         sentence("records of ", sigma::detail::shape_text(expected)),
                         sigma::detail::shape_text(found));
}

}  // namespace sigma::data::detail
