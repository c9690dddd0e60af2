// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Parts of data sets: split, take, subset, shuffled, folds, concatenate, bucketed. Included by `<sigma/sigma.hpp>`.

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

/// A Dataset, or a class derived from it such as `data::DatasetOf`. Parts of a dataset have the type of the dataset.
///
/// @see split
template <class D>
concept AnyDataset = std::derived_from<D, Dataset>;

/// @cond internal
/// The remedy for `split(data, 8, 2)` and `split(data, 120, 30)`: shares of 1, not counts.
struct use_0_8_and_0_2;
template <class Write>
struct error_parts_are_shares;
/// @endcond

namespace detail {

template <AnyDataset D>
D part_of(const D&, Dataset part) {
    return D(std::move(part));
}
/// Converts the first n of these parts to the type of the dataset.
template <std::size_t n, AnyDataset D>
std::array<D, n> parts_of(const D&, std::same_as<std::vector<Dataset>> auto parts) {
    return [&]<std::size_t... i>(std::index_sequence<i...>) -> std::array<D, n> {
        return {D(std::move(parts[i]))...};
    }(std::make_index_sequence<n>{});
}

Dataset take_of(const Dataset& dataset, std::size_t first, std::size_t count);
Dataset shuffled_of(const Dataset& dataset, std::uint64_t seed);
std::vector<Dataset> split_of(const Dataset& dataset, const std::vector<double>& shares);
/// Splits by the values of a target of one number a record, or of one number and its weight.
std::vector<Dataset> stratified_split_of(const Dataset& dataset, const std::vector<double>& shares, std::size_t which);
std::vector<Dataset> split_blocks_of(const Dataset& dataset, const std::vector<long long>& counts);
/// Splits by groups.
/// @param groups  number of group values; throws ArgumentError unless it is the number of records
/// @param before  returns whether the group of one record is less than the group of another
std::vector<Dataset> split_groups_of(const Dataset& dataset, std::size_t groups,
                                     const AnyFunction<bool(std::size_t, std::size_t)>& before,
                                     const std::vector<double>& shares);
/// Names that with_weights gives to the columns of a class and of its weight.
inline constexpr std::array<const char*, 2> weighted_class{"class", "weight"};
/// Returns the number of the target with the class numbers: the first target, with or without weights of records.
/// @throws DataError  if the first target has other numbers
std::size_t target_of_classes(const Dataset& dataset);
/// Returns the position at which each share of `size` records ends. The last is `size` if the shares sum to 1.
std::vector<std::size_t> share_ends(const std::vector<double>& shares, std::size_t size);

}  // namespace detail

/// Returns the dataset of records `first` to `first + count - 1`. Copies no numbers.
///
/// @param dataset  the dataset to take from
/// @param first    position of the first record, from 0
/// @param count    number of records, at least 1
/// @return a dataset of the same type
/// @throws ArgumentError  if the range is empty or exceeds the dataset
///
/// @par Example
/// @code
/// const auto some = take(training, 0, 1000);
/// @endcode
///
/// @see split, subset
template <AnyDataset D>
D take(const D& dataset, std::size_t first, std::size_t count) {
    return detail::part_of(dataset, detail::take_of(dataset, first, count));
}

/// Returns all records in a random order. Copies no numbers.
///
/// Minibatches in random order need no shuffled dataset. Shuffling a dataset in blocks makes readers jump between all
/// its blocks.
///
/// @param dataset  the dataset to shuffle
/// @param seed     seed of the order: equal seeds give equal orders
/// @return a dataset of the same type
///
/// @par Example
/// @code
/// const auto [some, others] = split(shuffled(training, 1), 0.9, 0.1);
/// @endcode
///
/// @see minibatches
template <AnyDataset D>
D shuffled(const D& dataset, std::uint64_t seed) {
    return detail::part_of(dataset, detail::shuffled_of(dataset, seed));
}

/// Cuts a dataset into parts, in the order of its records. Copies no numbers.
///
/// If the file sorts the records by class, shuffle them first.
///
/// @param dataset  the dataset to split
/// @param shares   floating-point shares above 0 that sum to at most 1. If they sum to less, the last records are left
/// out
/// @return a `std::array` with one dataset for each share
/// @throws ArgumentError  if a share is not above 0, the sum is above 1, or a part gets no record
///
/// @par Example
/// @code
/// const auto [fitting, validation] = split(shuffled(training, 1), 0.9, 0.1);
/// @endcode
///
/// @see stratified_split, split_groups, k_fold
template <AnyDataset D, std::floating_point... Shares>
std::array<D, sizeof...(Shares)> split(const D& dataset, Shares... shares) {
    return detail::parts_of<sizeof...(Shares)>(dataset, detail::split_of(dataset, {static_cast<double>(shares)...}));
}
/// @cond internal
template <AnyDataset D, std::integral... Counts>
    requires(sizeof...(Counts) > 0)
error_parts_are_shares<use_0_8_and_0_2> split(const D&, Counts...);
/// @endcond

/// Splits a dataset so that each part has the classes in the same proportion. Copies no numbers.
///
/// The parts have the sizes of `split`, within one record. Each part gets its share of each class, within one record.
///
/// @param dataset  a dataset with one class index a record as its first target
/// @param shares   floating-point shares above 0 that sum to at most 1
/// @return a `std::array` with one dataset for each share
/// @throws ArgumentError  if a share is not above 0, the sum is above 1, or a part gets no record
/// @throws DataError      if the first target is no class index
///
/// @par Example
/// @code
/// const auto [fitting, validation] = stratified_split(training, 0.8, 0.2);
/// @endcode
///
/// @see split, stratified_k_fold
template <AnyDataset D, std::floating_point... Shares>
std::array<D, sizeof...(Shares)> stratified_split(const D& dataset, Shares... shares) {
    return detail::parts_of<sizeof...(Shares)>(
        dataset,
        detail::stratified_split_of(dataset, {static_cast<double>(shares)...}, detail::target_of_classes(dataset)));
}
/// @cond internal
template <AnyDataset D, std::integral... Counts>
    requires(sizeof...(Counts) > 0)
error_parts_are_shares<use_0_8_and_0_2> stratified_split(const D&, Counts...);
/// @endcond

/// Splits a dataset by whole blocks, so that no two parts read the same block.
///
/// Deals the blocks out in rounds: of every five blocks, `split_blocks(dataset, 4, 1)` gives four to the first part
/// and one to the second. A dataset in memory is one block.
///
/// @param dataset  the dataset to split
/// @param counts   blocks for each part in a round, each at least 1
/// @return a `std::array` with one dataset for each count
/// @throws ArgumentError  if a count is below 1 or a part gets no block
///
/// @par Example
/// @code
/// const auto numbers = data::csv(data::file("big.csv")) >>
///                      data::sections(data::inputs = data::columns(0, 3), data::targets = data::labels(4)) >>
///                      data::dataset("big", {.blocks = data::fixed(10'000)});
/// const auto [fitting, validation] = split_blocks(numbers, 4, 1);
/// @endcode
///
/// @see split, data::dataset
template <AnyDataset D, std::integral... Counts>
std::array<D, sizeof...(Counts)> split_blocks(const D& dataset, Counts... counts) {
    return detail::parts_of<sizeof...(Counts)>(dataset,
                                               detail::split_blocks_of(dataset, {static_cast<long long>(counts)...}));
}

/// Splits a dataset by whole groups, for example by persons, so that no group is in two parts.
///
/// Groups go to the parts in the order of their first records. The parts meet the shares as closely as whole groups
/// allow.
///
/// @param dataset  the dataset to split
/// @param groups   a range with one value for each record, or a function from a position to a value. Values need `<`
/// @param shares   floating-point shares above 0 that sum to at most 1
/// @return a `std::array` with one dataset for each share
/// @throws ArgumentError  if the counts of values and records differ, or the shares are invalid
///
/// @par Example
/// @code
/// const auto [fitting, validation] = split_groups(data::parkinsons(), data::parkinsons_persons(), 0.8, 0.2);
/// @endcode
///
/// @see split, stratified_split
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
/// Returns the subset of the sorted positions.
Dataset subset_in_order_of(const Dataset& dataset, std::vector<std::size_t> positions);

}  // namespace detail

/// Returns the records at these positions, in this order. A position may occur several times. Copies no numbers.
///
/// @param dataset    the dataset to select from
/// @param positions  at least one position, each below the number of records
/// @return a dataset of the same type
/// @throws ArgumentError  if there is no position or one is out of range
///
/// @par Example
/// @code
/// const auto some = subset(training, {0, 2, 4});
/// @endcode
///
/// @see take, split
template <AnyDataset D>
D subset(const D& dataset, std::span<const std::size_t> positions) {
    return detail::part_of(dataset, detail::subset_of(dataset, positions));
}
/// Returns the records at these positions: `subset(training, {0, 2, 4})`.
/// @param dataset    the dataset to select from
/// @param positions  at least one position, each below the number of records
/// @return a dataset of the same type
/// @throws ArgumentError  if there is no position or one is out of range
template <AnyDataset D>
D subset(const D& dataset, std::initializer_list<std::size_t> positions) {
    return subset(dataset, std::span<const std::size_t>(positions));
}

/// Returns the records for which a function of their position returns true, in the order of the dataset.
///
/// @param dataset  the dataset to select from
/// @param chosen   called once for each position, block by block
/// @return a dataset of the same type
/// @throws ArgumentError  if no record is selected
///
/// @par Example
/// @code
/// const auto& digits = training;
/// const auto small = subset(digits, [&](std::size_t record) { return digits.label(record) < 5; });
/// @endcode
///
/// @see take, split
template <AnyDataset D, std::predicate<std::size_t> Chosen>
D subset(const D& dataset, Chosen chosen) {
    std::vector<std::size_t> positions;
    dataset.for_each_position([&](std::size_t position) {
        if (chosen(position)) positions.push_back(position);
    });
    return detail::part_of(dataset, detail::subset_in_order_of(dataset, std::move(positions)));
}

namespace detail {

/// Returns the training part and the validation part, each in the order of the dataset.
std::vector<Dataset> k_fold_of(const Dataset& dataset, Integer k, Integer fold);
std::vector<Dataset> stratified_k_fold_of(const Dataset& dataset, Integer k, Integer fold, std::size_t which);

}  // namespace detail

/// Returns the training and the validation data of one fold of a cross-validation. Copies no numbers.
///
/// Each record is in the validation part of exactly one fold. The records are cut in the order of the dataset: shuffle
/// them first if the file sorts them.
///
/// @param dataset  the dataset to split
/// @param k        number of folds, from 2 to the number of records
/// @param fold     number of this fold, from 0 to k - 1
/// @return a `std::array` of two datasets: training, validation
/// @throws ArgumentError  if `k` or `fold` is out of range
///
/// @par Example
/// @code
/// const auto mixed = shuffled(data::iris(), 1);
/// for (int fold = 0; fold < 5; ++fold) auto [fitting, validation] = k_fold(mixed, 5, fold);
/// @endcode
///
/// @see cross_validate, stratified_k_fold
template <AnyDataset D>
std::array<D, 2> k_fold(const D& dataset, std::integral auto k, std::integral auto fold) {
    return detail::parts_of<2>(dataset, detail::k_fold_of(dataset, k, fold));
}

/// Returns one fold of a cross-validation in which each fold has equally many records of each class, within one record.
///
/// @param dataset  a dataset with one class index a record as its first target
/// @param k        number of folds, from 2 to the number of records
/// @param fold     number of this fold, from 0 to k - 1
/// @return a `std::array` of two datasets: training, validation
/// @throws ArgumentError  if `k` or `fold` is out of range
/// @throws DataError      if the first target is no class index
///
/// @par Example
/// @code
/// const auto [fitting, validation] = stratified_k_fold(data::iris(), 5, 0);
/// @endcode
///
/// @see cross_validate, k_fold
template <AnyDataset D>
std::array<D, 2> stratified_k_fold(const D& dataset, std::integral auto k, std::integral auto fold) {
    return detail::parts_of<2>(dataset,
                               detail::stratified_k_fold_of(dataset, k, fold, detail::target_of_classes(dataset)));
}

namespace detail {

[[gnu::cold]] Dataset concatenated(const std::vector<Dataset>& all);

}  // namespace detail

/// Appends the records of data sets. The result has the name of the first.
///
/// Parts of one dataset are joined without a copy. Other arrays in memory are copied. If a dataset is in blocks, the
/// result is, too, and reads its blocks when it needs them.
///
/// @param first  the dataset with the first records
/// @param more   at least one dataset with the same sections, classes and preprocessing
/// @return a dataset of the type of `first`, or a Dataset if the types differ
/// @throws ShapeError     if the sections differ
/// @throws ArgumentError  if classes or preprocessing differ
///
/// @par Example
/// @code
/// const auto all = concatenate(training, testing);
/// @endcode
///
/// @see split
template <AnyDataset D, AnyDataset... More>
    requires(sizeof...(More) > 0)
auto concatenate(const D& first, const More&... more) {
    Dataset all = detail::concatenated({first, more...});
    if constexpr ((std::same_as<D, More> && ...)) return D(std::move(all));
    else return all;
}

/// Groups padded sequences by their length, so that a network computes less padding.
///
/// Makes one dataset for each width. It holds the records that are longer than the width before and at most as long as
/// this width, cut to this width. A section is a sequence, and is cut, if its first axis has as many positions as that
/// of the first input. Other sections, such as one label, stay. Preprocessing is kept. The results are in memory.
///
/// @param dataset  records with a first input of shape (time, …)
/// @param lengths  length of each record, in positions
/// @param widths   increasing widths; the last is at most the number of positions of a record
/// @return one dataset for each width
/// @throws ShapeError     if the first input has no axis
/// @throws ArgumentError  if the numbers of lengths and of records differ, or if a length exceeds the last width
/// @throws ArgumentError  if there is no width, or if the widths do not increase from 1 to the positions of a record
/// @throws ArgumentError  if no record belongs to a width
///
/// @par Example
/// @code
/// const auto sequences = Array<float>::from_shape({4, 6, 1});  // 4 sequences of up to 6 positions
/// const Dataset padded = make_dataset(sequences, std::vector<int>{0, 1, 0, 1}, "padded");
/// const auto buckets = bucketed(padded, std::vector<std::size_t>{2, 5, 3, 6}, {3, 6});
/// @endcode
///
/// @see subset
std::vector<Dataset> bucketed(const Dataset& dataset, std::span<const std::size_t> lengths,
                              std::span<const std::size_t> widths);
/// Groups padded sequences by their length: `bucketed(padded, lengths, {3, 6})`.
/// @param dataset  records with a first input of shape (time, …)
/// @param lengths  length of each record, in positions
/// @param widths   increasing widths; the last is at most the number of positions of a record
/// @return one dataset for each width
/// @throws ShapeError     if the first input has no axis
/// @throws ArgumentError  if a length or a width is invalid, or no record belongs to a width
std::vector<Dataset> bucketed(const Dataset& dataset, std::span<const std::size_t> lengths,
                              std::initializer_list<std::size_t> widths);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/split.ipp>
#endif
