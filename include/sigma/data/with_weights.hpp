// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/any_array.hpp>
#include <sigma/core/words.hpp>
#include <sigma/data/split.hpp>

#include <cstddef>
#include <ranges>
#include <vector>

SIGMA_INCLUDED(sigma, include_sigma_data_with_weights_hpp);

namespace sigma {

namespace detail {

[[gnu::cold]] Dataset with_weights(const Dataset& dataset, const std::vector<std::size_t>& shape,
                                   const std::vector<double>& weights, std::size_t which);

}  // namespace detail

/// The same records, each with a weight behind the numbers of its targets, as a network with `weighted_records(loss)`
/// takes them; `weights` is an array or a range of numbers of any type, a number for each record. Of several targets
/// `which` is said. The last to be done to a dataset: what is learned from targets is to be learned without weights.
/// Inputs that are compact stay so. Throws ArgumentError where weights are not one a record, or not 0 or more and
/// finite, and of a dataset in blocks, which may have a column of weights among its targets.
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
