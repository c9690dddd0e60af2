// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/dataset.hpp>
#include <sigma/network/table.hpp>

#include <cstddef>
#include <vector>

namespace sigma::detail {

/// Which array of a dataset each input of a network is, then which each of its targets is: first by name, then what is
/// left, in order. Throws DataError or ShapeError where the data do not fit the network: shapes, something missing, ids
/// of an Embedding or labels out of their ranges, targets of which the losses make no sense.
[[gnu::cold]] std::vector<std::size_t> check_data(const NetworkTable& network, const Dataset& data);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/execution/impl/check_data.ipp>
#endif
