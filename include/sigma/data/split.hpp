// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/any_function.hpp>
#include <sigma/core/arguments.hpp>
#include <sigma/data/dataset.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
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
std::array<D, n> parts_of(const D&, std::same_as<std::vector<Dataset>> auto parts) {
    return [&]<std::size_t... i>(std::index_sequence<i...>) -> std::array<D, n> {
        return {D(std::move(parts[i]))...};
    }(std::make_index_sequence<n>{});
}

Dataset take_of(const Dataset& dataset, std::size_t first, std::size_t count);
Dataset shuffled_of(const Dataset& dataset, std::uint64_t seed);
std::vector<Dataset> split_of(const Dataset& dataset, const std::vector<double>& shares);
/// By the values of a target of one number a record, or of one and its weight.
std::vector<Dataset> stratified_split_of(const Dataset& dataset, const std::vector<double>& shares, std::size_t which);
std::vector<Dataset> split_blocks_of(const Dataset& dataset, const std::vector<long long>& counts);
/// `groups` counts the values of groups, or is not that of the records; is the value of record a before that of b?
std::vector<Dataset> split_groups_of(const Dataset& dataset, std::size_t groups,
                                     const AnyFunction<bool(std::size_t, std::size_t)>& before,
                                     const std::vector<double>& shares);
/// What with_weights calls the columns of a class and its weight.
inline constexpr std::array<const char*, 2> weighted_class{"class", "weight"};
/// Which target has the class numbers: the first, with weights of records behind them or without. Throws DataError
/// where it has others.
std::size_t target_of_classes(const Dataset& dataset);
/// Where the shares of `size` records end. The last end is `size` where the shares sum to 1.
std::vector<std::size_t> share_ends(const std::vector<double>& shares, std::size_t size);

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

/// Parts as large as those of split (where there are many, up to one record), each with the classes in the same
/// proportion: of each class as many records as that makes, up to one.
template <AnyDataset D, std::floating_point... Shares>
std::array<D, sizeof...(Shares)> stratified_split(const D& dataset, Shares... shares) {
    return detail::parts_of<sizeof...(Shares)>(
        dataset,
        detail::stratified_split_of(dataset, {static_cast<double>(shares)...}, detail::target_of_classes(dataset)));
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

namespace detail {

/// Training and validation part, each in the order of the dataset.
std::vector<Dataset> k_fold_of(const Dataset& dataset, Integer k, Integer fold);
std::vector<Dataset> stratified_k_fold_of(const Dataset& dataset, Integer k, Integer fold, std::size_t which);

}  // namespace detail

/// Training and validation data of round `fold` of k (from 0) in cross-validation: each record is in the validation
/// part of one round. The records are cut in given order; give a shuffled() dataset where the file sorts them.
///
///     for (int fold = 0; fold < 5; ++fold) auto [training, validation] = k_fold(shuffled(iris, 1), 5, fold);
template <AnyDataset D>
std::array<D, 2> k_fold(const D& dataset, std::integral auto k, std::integral auto fold) {
    return detail::parts_of<2>(dataset, detail::k_fold_of(dataset, k, fold));
}

/// The same with as many of each class in each round, up to one.
template <AnyDataset D>
std::array<D, 2> stratified_k_fold(const D& dataset, std::integral auto k, std::integral auto fold) {
    return detail::parts_of<2>(dataset,
                               detail::stratified_k_fold_of(dataset, k, fold, detail::target_of_classes(dataset)));
}

namespace detail {

[[gnu::cold]] Dataset concatenated(const std::vector<Dataset>& all);

}  // namespace detail

/// The records of the first, then those of the second and so on, under the name of the first. Parts of one dataset are
/// put together without a copy; arrays in memory are copied; where a dataset lies in blocks, so does the result, which
/// reads them when it needs them. Throws ShapeError or ArgumentError where sections, classes or preprocessing differ.
template <AnyDataset D, AnyDataset... More>
    requires(sizeof...(More) > 0)
auto concatenate(const D& first, const More&... more) {
    Dataset all = detail::concatenated({first, more...});
    if constexpr ((std::same_as<D, More> && ...)) return D(std::move(all));
    else return all;
}

/// Padded sequences put together by their lengths: of each width, which grow, a dataset of the records whose length is
/// at most that and more than the width before, cut to it, so that there is less padding to compute. `lengths` are
/// those of the records, in their order. Sections whose records have as many positions along their first axis as the
/// first input are sequences and are cut; others, such as one label, stay. What a record went through before is kept.
/// The result is in memory.
///
///     const auto buckets = bucketed(spoken, lengths, {8, 16, 32});
///
/// Throws ShapeError where the first input has no axis, and ArgumentError where there is not one length for each
/// record, the widths do not grow or the last is above that of the records, a sequence is longer than the last width,
/// or a width has no records.
std::vector<Dataset> bucketed(const Dataset& dataset, std::span<const std::size_t> lengths,
                              std::span<const std::size_t> widths);
std::vector<Dataset> bucketed(const Dataset& dataset, std::span<const std::size_t> lengths,
                              std::initializer_list<std::size_t> widths);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/split.ipp>
#endif
