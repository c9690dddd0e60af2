// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/philox.hpp>
#include <sigma/data/dataset.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sigma {

/// Records first, first + 1, ... first + count - 1.
inline Dataset take(const Dataset& dataset, std::size_t first, std::size_t count) {
    if (first > dataset.size() || count > dataset.size() - first || count == 0)
        throw ArgumentError(sentence("take from dataset '", dataset.name(), "'"),
                            sentence("one or more records within its ", dataset.size()),
                            sentence(count, " from record ", first));
    std::vector<std::size_t> positions(count);
    std::iota(positions.begin(), positions.end(), first);
    return dataset.select(positions);
}

/// All records in a random order.
inline Dataset shuffled(const Dataset& dataset, std::uint64_t seed) {
    std::vector<std::size_t> positions(dataset.size());
    std::iota(positions.begin(), positions.end(), std::size_t{0});
    shuffle(std::span(positions), Philox(seed, RandomUse::split, 0));
    return dataset.select(positions);
}

namespace detail {

/// Where the shares of `size` records end. The last end is `size` where the shares sum to 1.
template <std::size_t n>
std::array<std::size_t, n> share_ends(const std::array<double, n>& shares, std::size_t size) {
    constexpr double rounding = 1e-6;  // 0.9f + 0.1f is 1.00000002
    std::array<std::size_t, n> ends{};
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        sum += shares[i];
        if (!(shares[i] > 0) || !(sum <= 1 + rounding)) {
            std::string found;
            for (const double share : shares) found += sentence(found.empty() ? "" : ", ", share);
            throw ArgumentError("split", "shares above 0 that sum to at most 1", found);
        }
        ends[i] = sum > 1 - rounding ? size : static_cast<std::size_t>(sum * static_cast<double>(size) + 0.5);
    }
    return ends;
}

template <std::size_t n, std::size_t... i>
std::array<Dataset, n> select_each(const Dataset& dataset, const std::array<std::vector<std::size_t>, n>& parts,
                                   std::index_sequence<i...>) {
    for (std::size_t part = 0; part < n; ++part)
        if (parts[part].empty())
            throw ArgumentError(sentence("split of dataset '", dataset.name(), "'"),
                                sentence("a share of at least one of its ", dataset.size(), " records"),
                                sentence("none in share ", part + 1));
    return {dataset.select(parts[i])...};
}

}  // namespace detail

/// Cuts the records in given order: auto [training, validation] = split(digits, 0.9, 0.1).
/// Sort them randomly before, with shuffled(), where the file sorts them by class.
template <std::floating_point... Shares>
std::array<Dataset, sizeof...(Shares)> split(const Dataset& dataset, Shares... shares) {
    constexpr std::size_t n = sizeof...(Shares);
    const auto ends = detail::share_ends<n>({static_cast<double>(shares)...}, dataset.size());
    std::array<std::vector<std::size_t>, n> parts;
    for (std::size_t part = 0, position = 0; part < n; ++part)
        while (position < ends[part]) parts[part].push_back(position++);
    return detail::select_each(dataset, parts, std::make_index_sequence<n>{});
}

/// As split, but cuts the records of each class on their own, so that every part has the classes in the same
/// proportion.
template <std::floating_point... Shares>
std::array<Dataset, sizeof...(Shares)> stratified_split(const Dataset& dataset, Shares... shares) {
    constexpr std::size_t n = sizeof...(Shares);
    check_has_labels(dataset);
    std::map<float, std::vector<std::size_t>> classes;
    for (std::size_t position = 0; position < dataset.size(); ++position)
        classes[dataset.target(position)[0]].push_back(position);

    std::vector<std::size_t> part_of(dataset.size(), n);
    for (const auto& [label, positions] : classes) {
        const auto ends = detail::share_ends<n>({static_cast<double>(shares)...}, positions.size());
        for (std::size_t part = 0, i = 0; part < n; ++part)
            while (i < ends[part]) part_of[positions[i++]] = part;
    }
    std::array<std::vector<std::size_t>, n> parts;
    for (std::size_t position = 0; position < dataset.size(); ++position)
        if (part_of[position] < n) parts[part_of[position]].push_back(position);
    return detail::select_each(dataset, parts, std::make_index_sequence<n>{});
}

}  // namespace sigma
