// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/dataset.hpp>

namespace sigma::detail {

/// Do both have the same records, in the same order, in sections of the same names and extents?
bool same_records(const Dataset& a, const Dataset& b);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/same_records.ipp>
#endif
