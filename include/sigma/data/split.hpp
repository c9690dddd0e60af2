// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/philox.hpp>
#include <sigma/data/dataset.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sigma {

/// A Dataset, or one that knows more of its sections: parts of it are of the same type.
template <class D>
concept AnyDataset = std::derived_from<D, Dataset>;

namespace detail {
template <AnyDataset D>
D part_of(const D&, Dataset part) {
    return D(std::move(part));
}
}  // namespace detail

/// Records first, first + 1, ... first + count - 1.
template <AnyDataset D>
D take(const D& dataset, std::size_t first, std::size_t count) {
    if (first > dataset.size() || count > dataset.size() - first || count == 0)
        throw ArgumentError(sentence("take from dataset '", dataset.name(), "'"),
                            sentence("one or more records within its ", dataset.size()),
                            sentence(count, " from record ", first));
    return detail::part_of(dataset, dataset.range(first, count));
}

/// All records in a random order. Records in blocks are then read from all over them: minibatches in random order need
/// no shuffled dataset.
template <AnyDataset D>
D shuffled(const D& dataset, std::uint64_t seed) {
    std::vector<std::size_t> positions(dataset.size());
    std::iota(positions.begin(), positions.end(), std::size_t{0});
    shuffle(std::span(positions), Philox(seed, RandomUse::split, 0));
    return detail::part_of(dataset, dataset.select(positions));
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

template <AnyDataset D>
void check_share(const D& dataset, std::size_t part, bool empty) {
    if (empty)
        throw ArgumentError(sentence("split of dataset '", dataset.name(), "'"),
                            sentence("a share of at least one of its ", dataset.size(), " records"),
                            sentence("none in share ", part + 1));
}

template <AnyDataset D, std::size_t n, std::size_t... i>
std::array<D, n> select_each(const D& dataset, const std::array<std::vector<std::size_t>, n>& parts,
                             std::index_sequence<i...>) {
    for (std::size_t part = 0; part < n; ++part) check_share(dataset, part, parts[part].empty());
    return {part_of(dataset, dataset.select(parts[i]))...};
}

/// Positions by the class of their records, those of the lowest label first.
std::vector<std::vector<std::size_t>> positions_by_class(const Dataset& dataset);
/// The part of each record where blocks are dealt out in rounds: `round` says whose turn it is.
std::vector<std::size_t> parts_of_blocks(const Dataset& dataset, const std::vector<std::size_t>& round);

}  // namespace detail

/// Cuts the records in given order: auto [training, validation] = split(digits, 0.9, 0.1).
/// Sort them randomly before, with shuffled(), where the file sorts them by class.
template <AnyDataset D, std::floating_point... Shares>
std::array<D, sizeof...(Shares)> split(const D& dataset, Shares... shares) {
    constexpr std::size_t n = sizeof...(Shares);
    const auto ends = detail::share_ends<n>({static_cast<double>(shares)...}, dataset.size());
    const auto first = [&](std::size_t part) { return part == 0 ? 0 : ends[part - 1]; };
    for (std::size_t part = 0; part < n; ++part) detail::check_share(dataset, part, ends[part] == first(part));
    return [&]<std::size_t... i>(std::index_sequence<i...>)->std::array<D, n> {
        return {detail::part_of(dataset, dataset.range(first(i), ends[i] - first(i)))...};
    }
    (std::make_index_sequence<n>{});
}

/// As split, but cuts the records of each class on their own, so that every part has the classes in the same
/// proportion.
template <AnyDataset D, std::floating_point... Shares>
std::array<D, sizeof...(Shares)> stratified_split(const D& dataset, Shares... shares) {
    constexpr std::size_t n = sizeof...(Shares);
    std::vector<std::size_t> part_of(dataset.size(), n);
    for (const auto& positions : detail::positions_by_class(dataset)) {
        const auto ends = detail::share_ends<n>({static_cast<double>(shares)...}, positions.size());
        for (std::size_t part = 0, i = 0; part < n; ++part)
            while (i < ends[part]) part_of[positions[i++]] = part;
    }
    std::array<std::vector<std::size_t>, n> parts;
    for (std::size_t position = 0; position < dataset.size(); ++position)
        if (part_of[position] < n) parts[part_of[position]].push_back(position);
    return detail::select_each(dataset, parts, std::make_index_sequence<n>{});
}

/// Deals the blocks out in rounds: of every five blocks, split_blocks(dataset, 4, 1) gives four to the first part and
/// one to the second, so that no two parts read the same block. A dataset in memory is one block. Throws ArgumentError
/// where a part would get none.
template <AnyDataset D, std::integral... Counts>
std::array<D, sizeof...(Counts)> split_blocks(const D& dataset, Counts... counts) {
    constexpr std::size_t n = sizeof...(Counts);
    std::vector<std::size_t> round;  // whose turn it is
    std::size_t part = 0;
    for (const auto count : {static_cast<long long>(counts)...}) {
        if (count < 1) throw ArgumentError("split_blocks", "at least one block for each part", sentence(count));
        round.insert(round.end(), static_cast<std::size_t>(count), part++);
    }
    const std::vector<std::size_t> part_of = detail::parts_of_blocks(dataset, round);
    std::array<std::vector<std::size_t>, n> parts;
    for (std::size_t position = 0; position < dataset.size(); ++position) parts[part_of[position]].push_back(position);
    return detail::select_each(dataset, parts, std::make_index_sequence<n>{});
}

/// Splits by whole groups, the records of one person for instance, so that no group is in two parts: `groups` holds one
/// value for each record, or is a function of the position. Groups go to the parts in the order of their first records;
/// shares are met as closely as whole groups allow.
template <AnyDataset D, class Groups, std::floating_point... Shares>
std::array<D, sizeof...(Shares)> split_groups(const D& dataset, const Groups& groups, Shares... shares) {
    constexpr std::size_t n = sizeof...(Shares);
    const auto group_of = [&](std::size_t position) -> decltype(auto) {
        if constexpr (std::invocable<const Groups&, std::size_t>)
            return groups(position);
        else
            return groups[position];
    };
    if constexpr (!std::invocable<const Groups&, std::size_t>)
        if (std::size(groups) != dataset.size())
            throw ArgumentError(sentence("groups of dataset '", dataset.name(), "'"),
                                sentence("one for each of its ", dataset.size(), " records"),
                                sentence(std::size(groups)));
    std::vector<std::pair<std::remove_cvref_t<decltype(group_of(0))>, std::size_t>> sorted;
    sorted.reserve(dataset.size());
    for (std::size_t position = 0; position < dataset.size(); ++position) sorted.emplace_back(group_of(position), position);
    std::sort(sorted.begin(), sorted.end());
    std::vector<std::vector<std::size_t>> members;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        if (i == 0 || sorted[i - 1].first < sorted[i].first) members.emplace_back();
        members.back().push_back(sorted[i].second);
    }
    std::sort(members.begin(), members.end());  // by their first records
    const auto ends = detail::share_ends<n>({static_cast<double>(shares)...}, dataset.size());
    std::array<std::vector<std::size_t>, n> parts;
    std::size_t before = 0, part = 0;
    for (const auto& positions : members) {
        while (part < n && before + positions.size() / 2 >= ends[part]) ++part;  // its middle lies in the next share
        if (part == n) break;
        parts[part].insert(parts[part].end(), positions.begin(), positions.end());
        before += positions.size();
    }
    for (auto& positions : parts) std::ranges::sort(positions);
    return detail::select_each(dataset, parts, std::make_index_sequence<n>{});
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/split.ipp>
#endif
