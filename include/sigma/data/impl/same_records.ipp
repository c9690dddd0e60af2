// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/same_records.hpp>

#include <algorithm>
#include <cstddef>

namespace sigma::detail {

SIGMA_IMPL bool same_records(const Dataset& a, const Dataset& b) {
    if (a.size() != b.size() || a.input_count() != b.input_count() || a.target_count() != b.target_count()) return false;
    for (std::size_t i = 0; i < a.input_count(); ++i)
        if (a.input_name(i) != b.input_name(i) || !std::ranges::equal(a.input_shape(i), b.input_shape(i))) return false;
    for (std::size_t i = 0; i < a.target_count(); ++i)
        if (a.target_name(i) != b.target_name(i) || !std::ranges::equal(a.target_shape(i), b.target_shape(i))) return false;
    for (std::size_t r = 0; r < a.size(); ++r) {
        for (std::size_t i = 0; i < a.input_count(); ++i)
            if (!std::ranges::equal(a.input(r, i), b.input(r, i))) return false;
        for (std::size_t i = 0; i < a.target_count(); ++i)
            if (!std::ranges::equal(a.target(r, i), b.target(r, i))) return false;
    }
    return true;
}

}  // namespace sigma::detail
