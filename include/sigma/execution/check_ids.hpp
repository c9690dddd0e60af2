// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/dataset.hpp>
#include <sigma/network/network.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace sigma::detail {

/// What such a number is, and whether this one is.
std::string ids_wanted(int rows, std::string_view layer);
bool is_id(double number, int rows);
/// Throws DataError where a number of this input names no row of the table of the embedding `layer`. Records in blocks
/// are not read for this: what they hold shows in the step.
[[gnu::cold]] void check_ids(const Dataset& data, std::size_t which, int rows, std::string_view layer);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/execution/impl/check_ids.ipp>
#endif
