// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/fold.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace sigma::detail {

SIGMA_IMPL std::pair<std::size_t, std::size_t> check_fold(const Dataset& dataset, Integer k, Integer fold) {
    if (!k.within(2, dataset.size()))
        throw ArgumentError(sentence("folds of dataset '", dataset.name(), "'"),
                            sentence("from 2 to ", dataset.size(), " folds"), sentence(k.text()));
    if (!fold.within(0, k.value() - 1))
        throw ArgumentError(sentence("folds of dataset '", dataset.name(), "'"),
                            sentence("a fold from 0 to ", k.value() - 1), sentence(fold.text()));
    return {static_cast<std::size_t>(k.value()), static_cast<std::size_t>(fold.value())};
}

SIGMA_IMPL std::vector<Dataset> fold_parts(const Dataset& dataset, const std::vector<std::size_t>& held_out) {
    std::vector<std::vector<std::size_t>> parts(2);
    for (std::size_t position = 0, next = 0; position < dataset.size(); ++position) {
        const bool out = next < held_out.size() && held_out[next] == position;
        next += out;
        parts[out ? 1 : 0].push_back(position);
    }
    return select_each(dataset, parts);
}

SIGMA_IMPL std::vector<Dataset> k_fold_of(const Dataset& dataset, Integer k, Integer fold) {
    const auto [folds, number] = check_fold(dataset, k, fold);
    const std::size_t share = dataset.size() / folds, more = dataset.size() % folds;  // the first folds have one more
    std::vector<std::size_t> held_out(share + (number < more ? 1 : 0));
    std::iota(held_out.begin(), held_out.end(), number * share + std::min(number, more));
    return fold_parts(dataset, held_out);
}

SIGMA_IMPL std::vector<Dataset> stratified_k_fold_of(const Dataset& dataset, Integer k, Integer fold) {
    const auto [folds, number] = check_fold(dataset, k, fold);
    std::vector<std::size_t> held_out;
    std::size_t dealt = 0;  // goes on from class to class, so that the rounds are of equal size too
    for (const auto& positions : positions_by_class(dataset))
        for (const std::size_t position : positions)
            if (dealt++ % folds == number) held_out.push_back(position);
    std::ranges::sort(held_out);
    return fold_parts(dataset, held_out);
}

}  // namespace sigma::detail
