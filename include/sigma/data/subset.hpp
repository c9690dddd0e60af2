// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/split.hpp>

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <vector>

namespace sigma {

namespace detail {

Dataset subset_of(const Dataset& dataset, std::span<const std::size_t> positions);
/// In given order.
Dataset subset_in_order_of(const Dataset& dataset, std::vector<std::size_t> positions);

}  // namespace detail

/// The records at these positions, in this order; one may come several times. Throws ArgumentError.
template <AnyDataset D>
D subset(const D& dataset, std::span<const std::size_t> positions) {
    return detail::part_of(dataset, detail::subset_of(dataset, positions));
}
template <AnyDataset D>
D subset(const D& dataset, std::initializer_list<std::size_t> positions) {
    return subset(dataset, std::span<const std::size_t>(positions));
}

/// The records for whose positions `chosen` is true, in given order; it is called once for each, block by block.
///
///     subset(digits, [&](std::size_t record) { return digits.label(record) < 5; })
template <AnyDataset D, std::predicate<std::size_t> Chosen>
D subset(const D& dataset, Chosen chosen) {
    std::vector<std::size_t> positions;
    dataset.for_each_position([&](std::size_t position) {
        if (chosen(position)) positions.push_back(position);
    });
    return detail::part_of(dataset, detail::subset_in_order_of(dataset, std::move(positions)));
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/subset.ipp>
#endif
