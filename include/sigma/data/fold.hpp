// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/integer.hpp>
#include <sigma/data/split.hpp>

#include <array>
#include <vector>

namespace sigma {

namespace detail {

/// Training and validation part, each in the order of the dataset.
std::vector<Dataset> k_fold_of(const Dataset& dataset, Integer k, Integer fold);
std::vector<Dataset> stratified_k_fold_of(const Dataset& dataset, Integer k, Integer fold);

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
    return detail::parts_of<2>(dataset, detail::stratified_k_fold_of(dataset, k, fold));
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/fold.ipp>
#endif
