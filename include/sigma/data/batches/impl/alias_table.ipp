// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/batches/alias_table.hpp>
#include <sigma/storage/hash.hpp>

#include <algorithm>
#include <cmath>

namespace sigma::data {

SIGMA_IMPL AliasTable::AliasTable(std::span<const double> weights, const std::string& where)
    : cells_(weights.size()), digest_(storage::fnv1a(std::as_bytes(weights))) {
    double largest = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (!(weights[i] >= 0) || !std::isfinite(weights[i]))
            throw ArgumentError(where, "finite weights of at least 0", sentence(weights[i], " for record ", i));
        largest = std::max(largest, weights[i]);
    }
    if (!(largest > 0)) throw ArgumentError(where, "a weight above 0", weights.empty() ? "none" : "0 for every record");
    double sum = 0;
    for (const double w : weights) sum += w / largest;  // so that it stays finite

    // A cell keeps its own number for a part of the draws and gives the rest of them to another, which had too many.
    std::vector<double> share(weights.size());
    std::vector<std::size_t> small, large;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        share[i] = weights[i] / largest / sum * static_cast<double>(weights.size());
        (share[i] < 1 ? small : large).push_back(i);
    }
    while (!small.empty() && !large.empty()) {
        const std::size_t less = small.back(), more = large.back();
        small.pop_back();
        cells_[less] = {share[less], more};
        share[more] -= 1 - share[less];
        if (share[more] < 1) {
            large.pop_back();
            small.push_back(more);
        }
    }
    // What rounding has left over has a share of 1; a weight of 0 is never among it unless it is the largest left.
    const auto heaviest = static_cast<std::size_t>(std::ranges::max_element(weights) - weights.begin());
    for (const auto* left : {&small, &large})
        for (const std::size_t i : *left) cells_[i] = {weights[i] > 0 ? 1.0 : 0.0, weights[i] > 0 ? i : heaviest};
}

SIGMA_IMPL std::size_t AliasTable::draw(const Philox& random, std::uint64_t number) const {
    const auto cell = static_cast<std::size_t>(random.uniform<double>(2 * number) * static_cast<double>(cells_.size()));
    const Cell& c = cells_[cell];
    return random.uniform<double>(2 * number + 1) < c.kept ? cell : c.other;
}

}  // namespace sigma::data
