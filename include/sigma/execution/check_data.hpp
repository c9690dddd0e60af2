// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/dataset.hpp>
#include <sigma/network/table.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace sigma::detail {

/// Which array of a dataset each input of a network is, then which each of its targets is: first by name, then what is
/// left, in order. Throws DataError or ShapeError where the data do not fit the network: shapes, something missing, ids
/// of an Embedding or labels out of their ranges, targets of which the losses make no sense.
[[gnu::cold]] std::vector<std::size_t> check_data(const NetworkTable& network, const Dataset& data);
/// Which array each is, where there are as many.
[[gnu::cold]] std::vector<std::size_t> arrays_of(const NetworkTable& network, const Dataset& data);
/// The same checks of numbers for the dense rows of a batch: a DataError of dataset 'batch'.
template <class T>
void check_numbers_of_batch(const NetworkTable& network, std::span<const T* const> inputs,
                            std::span<const T* const> targets, std::ptrdiff_t count);

}  // namespace sigma::detail

#ifdef SIGMA_COMPILED
extern template void sigma::detail::check_numbers_of_batch(const NetworkTable&, std::span<const float* const>,
                                                           std::span<const float* const>, std::ptrdiff_t);
extern template void sigma::detail::check_numbers_of_batch(const NetworkTable&, std::span<const double* const>,
                                                           std::span<const double* const>, std::ptrdiff_t);
#else
#include <sigma/execution/impl/check_data.ipp>
#endif
