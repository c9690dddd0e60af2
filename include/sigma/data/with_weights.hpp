// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// `with_weights`: weights of records for the loss. Include it yourself.

#include <sigma/core/any_array.hpp>
#include <sigma/core/words.hpp>
#include <sigma/data/split.hpp>

#include <cstddef>
#include <ranges>
#include <vector>

/// @cond internal
SIGMA_INCLUDED(sigma, include_sigma_data_with_weights_hpp);
/// @endcond

namespace sigma {

namespace detail {

[[gnu::cold]] Dataset with_weights(const Dataset& dataset, const std::vector<std::size_t>& shape,
                                   const std::vector<double>& weights, std::size_t which);

}  // namespace detail

/// Appends a weight to the targets of each record, for a network with `weighted_records(loss)`.
///
/// Do this last: transforms and statistics of targets must not include the weights. Compact inputs stay compact.
///
/// @param dataset  a dataset in memory. A dataset in blocks may have a column of weights among its targets instead
/// @param weights  an array or a range with one number for each record, finite and at least 0
/// @param which    number of the target, from 0; default 0
/// @return the dataset with weights
/// @throws ArgumentError  if the dataset is in blocks, the counts of weights and records differ, or a weight is
/// negative
///                        or not finite
///
/// @par Example
/// @code
/// const std::vector<float> weights(training.size(), 1.0f);
/// const Dataset weighed = with_weights(training, weights);
/// @endcode
///
/// @see weighted_records, data::weighted (which draws records by weight instead)
template <AnyDataset D, class Weights>
    requires(AnyArray<Weights> || std::ranges::input_range<const Weights>)
Dataset with_weights(const D& dataset, const Weights& weights, std::size_t which = 0) {
    std::vector<double> numbers;
    const auto add = [&](const auto& w) { numbers.push_back(static_cast<double>(w)); };
    if constexpr (AnyArray<Weights>) {
        detail::for_each_element(weights, add);
        return detail::with_weights(dataset, detail::shape_of(weights), numbers, which);
    } else {
        for (const auto& w : weights) add(w);
        return detail::with_weights(dataset, {numbers.size()}, numbers, which);
    }
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/with_weights.ipp>
#endif
