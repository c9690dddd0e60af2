// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/any_function.hpp>
#include <sigma/data/dataset.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace sigma {

/// A Dataset, or one that knows more of its sections: parts of it are of the same type.
template <class D>
concept AnyDataset = std::derived_from<D, Dataset>;

/// split(data, 8, 2), split(data, 120, 30)
struct write_0_8_and_0_2;
template <class Write>
struct error_parts_are_shares;

namespace detail {

template <AnyDataset D>
D part_of(const D&, Dataset part) {
    return D(std::move(part));
}
/// The first n of these parts.
template <std::size_t n, AnyDataset D>
std::array<D, n> parts_of(const D&, std::vector<Dataset> parts) {
    return [&]<std::size_t... i>(std::index_sequence<i...>) -> std::array<D, n> {
        return {D(std::move(parts[i]))...};
    }(std::make_index_sequence<n>{});
}

Dataset take_of(const Dataset& dataset, std::size_t first, std::size_t count);
Dataset shuffled_of(const Dataset& dataset, std::uint64_t seed);
std::vector<Dataset> split_of(const Dataset& dataset, const std::vector<double>& shares);
std::vector<Dataset> stratified_split_of(const Dataset& dataset, const std::vector<double>& shares);
std::vector<Dataset> split_blocks_of(const Dataset& dataset, const std::vector<long long>& counts);
/// `groups` counts the values of groups, or is not that of the records; is the value of record a before that of b?
std::vector<Dataset> split_groups_of(const Dataset& dataset, std::size_t groups,
                                     const AnyFunction<bool(std::size_t, std::size_t)>& before,
                                     const std::vector<double>& shares);
/// The chosen positions of each part. Throws ArgumentError where there are none.
std::vector<Dataset> select_each(const Dataset& dataset, const std::vector<std::vector<std::size_t>>& parts);
/// What with_weights calls the columns of a class and its weight.
inline constexpr std::array<const char*, 2> weighted_class{"class", "weight"};
/// Are the first targets class numbers, with weights of records behind them or without?
bool has_classes(const Dataset& dataset);
/// Positions by the class of their records, those of the lowest label first.
std::vector<std::vector<std::size_t>> positions_by_class(const Dataset& dataset);

}  // namespace detail

/// Records first, first + 1, ... first + count - 1.
template <AnyDataset D>
D take(const D& dataset, std::size_t first, std::size_t count) {
    return detail::part_of(dataset, detail::take_of(dataset, first, count));
}

/// All records in a random order. Records in blocks are then read from all over them: minibatches in random order need
/// no shuffled dataset.
template <AnyDataset D>
D shuffled(const D& dataset, std::uint64_t seed) {
    return detail::part_of(dataset, detail::shuffled_of(dataset, seed));
}

/// Cuts the records in given order: auto [training, validation] = split(digits, 0.9, 0.1).
/// Sort them randomly before, with shuffled(), where the file sorts them by class.
template <AnyDataset D, std::floating_point... Shares>
std::array<D, sizeof...(Shares)> split(const D& dataset, Shares... shares) {
    return detail::parts_of<sizeof...(Shares)>(dataset, detail::split_of(dataset, {static_cast<double>(shares)...}));
}
template <AnyDataset D, std::integral... Counts>
    requires(sizeof...(Counts) > 0)
error_parts_are_shares<write_0_8_and_0_2> split(const D&, Counts...);

/// As split, but cuts the records of each class on their own, so that every part has the classes in the same
/// proportion.
template <AnyDataset D, std::floating_point... Shares>
std::array<D, sizeof...(Shares)> stratified_split(const D& dataset, Shares... shares) {
    return detail::parts_of<sizeof...(Shares)>(dataset,
                                               detail::stratified_split_of(dataset, {static_cast<double>(shares)...}));
}
template <AnyDataset D, std::integral... Counts>
    requires(sizeof...(Counts) > 0)
error_parts_are_shares<write_0_8_and_0_2> stratified_split(const D&, Counts...);

/// Deals the blocks out in rounds: of every five blocks, split_blocks(dataset, 4, 1) gives four to the first part and
/// one to the second, so that no two parts read the same block. A dataset in memory is one block. Throws ArgumentError
/// where a part would get none.
template <AnyDataset D, std::integral... Counts>
std::array<D, sizeof...(Counts)> split_blocks(const D& dataset, Counts... counts) {
    return detail::parts_of<sizeof...(Counts)>(dataset,
                                               detail::split_blocks_of(dataset, {static_cast<long long>(counts)...}));
}

/// Splits by whole groups, the records of one person for instance, so that no group is in two parts: `groups` holds one
/// value for each record, or is a function of the position. Groups go to the parts in the order of their first records;
/// shares are met as closely as whole groups allow.
template <AnyDataset D, class Groups, std::floating_point... Shares>
std::array<D, sizeof...(Shares)> split_groups(const D& dataset, const Groups& groups, Shares... shares) {
    const auto split_by = [&](std::size_t count, const auto& values) {
        const auto before = [&](std::size_t a, std::size_t b) { return values[a] < values[b]; };
        return detail::parts_of<sizeof...(Shares)>(
            dataset, detail::split_groups_of(dataset, count, before, {static_cast<double>(shares)...}));
    };
    if constexpr (std::invocable<const Groups&, std::size_t>) {
        std::vector<std::remove_cvref_t<std::invoke_result_t<const Groups&, std::size_t>>> values;
        values.reserve(dataset.size());
        for (std::size_t position = 0; position < dataset.size(); ++position) values.push_back(groups(position));
        return split_by(values.size(), values);
    } else {
        return split_by(std::size(groups), groups);
    }
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/split.ipp>
#endif
