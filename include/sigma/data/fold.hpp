// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/split.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace sigma {

namespace detail {

template <AnyDataset D>
std::pair<std::size_t, std::size_t> check_fold(const D& dataset, std::integral auto k, std::integral auto fold) {
    if (std::cmp_less(k, 2) || std::cmp_greater(k, dataset.size()))
        throw ArgumentError(sentence("folds of dataset '", dataset.name(), "'"),
                            sentence("from 2 to ", dataset.size(), " folds"), sentence(k));
    if (std::cmp_less(fold, 0) || std::cmp_greater_equal(fold, k))
        throw ArgumentError(sentence("folds of dataset '", dataset.name(), "'"), sentence("a fold from 0 to ", k - 1),
                            sentence(fold));
    return {static_cast<std::size_t>(k), static_cast<std::size_t>(fold)};
}

/// Training and validation part, in the order of the dataset.
template <AnyDataset D>
std::array<D, 2> fold_parts(const D& dataset, const std::vector<std::size_t>& held_out) {
    std::array<std::vector<std::size_t>, 2> parts;
    for (std::size_t position = 0, next = 0; position < dataset.size(); ++position) {
        const bool out = next < held_out.size() && held_out[next] == position;
        next += out;
        parts[out ? 1 : 0].push_back(position);
    }
    return select_each(dataset, parts, std::make_index_sequence<2>{});
}

}  // namespace detail

/// Training and validation data of round `fold` of k (from 0) in cross-validation: each record is in the validation
/// part of one round. The records are cut in given order; give a shuffled() dataset where the file sorts them.
///
///     for (int fold = 0; fold < 5; ++fold) auto [training, validation] = k_fold(shuffled(iris, 1), 5, fold);
template <AnyDataset D>
std::array<D, 2> k_fold(const D& dataset, std::integral auto k, std::integral auto fold) {
    const auto [folds, number] = detail::check_fold(dataset, k, fold);
    const std::size_t share = dataset.size() / folds, more = dataset.size() % folds;  // the first folds have one more
    std::vector<std::size_t> held_out(share + (number < more ? 1 : 0));
    std::iota(held_out.begin(), held_out.end(), number * share + std::min(number, more));
    return detail::fold_parts(dataset, held_out);
}

/// The same with as many of each class in each round, up to one.
template <AnyDataset D>
std::array<D, 2> stratified_k_fold(const D& dataset, std::integral auto k, std::integral auto fold) {
    const auto [folds, number] = detail::check_fold(dataset, k, fold);
    std::vector<std::size_t> held_out;
    std::size_t dealt = 0;  // goes on from class to class, so that the rounds are of equal size too
    for (const auto& positions : detail::positions_by_class(dataset))
        for (const std::size_t position : positions)
            if (dealt++ % folds == number) held_out.push_back(position);
    std::ranges::sort(held_out);
    return detail::fold_parts(dataset, held_out);
}

}  // namespace sigma
