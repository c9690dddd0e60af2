// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/philox.hpp>
#include <sigma/data/split.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace sigma::detail {

SIGMA_IMPL bool has_classes(const Dataset& dataset) {
    if (dataset.has_labels()) return true;
    const std::vector<std::string> columns = dataset.sections()[dataset.input_count()].columns;
    return columns.size() == 2 && columns[0] == weighted_class[0] && columns[1] == weighted_class[1];
}

SIGMA_IMPL std::vector<std::vector<std::size_t>> positions_by_class(const Dataset& dataset) {
    if (!has_classes(dataset)) check_has_labels(dataset);
    std::vector<float> labels(dataset.size());
    dataset.for_each_position([&](std::size_t position) { labels[position] = dataset.target(position)[0]; });
    std::map<float, std::vector<std::size_t>> classes;
    for (std::size_t position = 0; position < labels.size(); ++position) classes[labels[position]].push_back(position);
    std::vector<std::vector<std::size_t>> all;
    for (auto& [label, positions] : classes) all.push_back(std::move(positions));
    return all;
}

/// The part of each record where blocks are dealt out in rounds: `round` says whose turn it is.
SIGMA_IMPL std::vector<std::size_t> parts_of_blocks(const Dataset& dataset, const std::vector<std::size_t>& round) {
    std::map<std::size_t, std::size_t> blocks;  // what is there of them, and in which part it comes
    for (std::size_t position = 0; position < dataset.size(); ++position) blocks[dataset.block_of(position)];
    std::size_t turn = 0;
    for (auto& [number, to] : blocks) to = round[turn++ % round.size()];
    std::vector<std::size_t> parts(dataset.size());
    for (std::size_t position = 0; position < dataset.size(); ++position)
        parts[position] = blocks[dataset.block_of(position)];
    return parts;
}

/// Where the shares of `size` records end. The last end is `size` where the shares sum to 1.
SIGMA_IMPL std::vector<std::size_t> share_ends(const std::vector<double>& shares, std::size_t size) {
    constexpr double rounding = 1e-6;  // 0.9f + 0.1f is 1.00000002
    std::vector<std::size_t> ends(shares.size());
    double sum = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) {
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

SIGMA_IMPL void check_share(const Dataset& dataset, std::size_t part, bool empty) {
    if (empty)
        throw ArgumentError(sentence("split of dataset '", dataset.name(), "'"),
                            sentence("a share of at least one of its ", dataset.size(), " records"),
                            sentence("none in share ", part + 1));
}

SIGMA_IMPL std::vector<Dataset> select_each(const Dataset& dataset,
                                            const std::vector<std::vector<std::size_t>>& parts) {
    for (std::size_t part = 0; part < parts.size(); ++part) check_share(dataset, part, parts[part].empty());
    std::vector<Dataset> all;
    for (const auto& positions : parts) all.push_back(dataset.select(positions));
    return all;
}

SIGMA_IMPL Dataset take_of(const Dataset& dataset, std::size_t first, std::size_t count) {
    if (first > dataset.size() || count > dataset.size() - first || count == 0)
        throw ArgumentError(sentence("take from dataset '", dataset.name(), "'"),
                            sentence("one or more records within its ", dataset.size()),
                            sentence(count, " from record ", first));
    return dataset.range(first, count);
}

SIGMA_IMPL Dataset shuffled_of(const Dataset& dataset, std::uint64_t seed) {
    std::vector<std::size_t> positions(dataset.size());
    std::iota(positions.begin(), positions.end(), std::size_t{0});
    shuffle(std::span(positions), Philox(seed, RandomUse::split, 0));
    return dataset.select(positions);
}

SIGMA_IMPL std::vector<Dataset> split_of(const Dataset& dataset, const std::vector<double>& shares) {
    const auto ends = share_ends(shares, dataset.size());
    const auto first = [&](std::size_t part) { return part == 0 ? 0 : ends[part - 1]; };
    for (std::size_t part = 0; part < ends.size(); ++part) check_share(dataset, part, ends[part] == first(part));
    std::vector<Dataset> all;
    for (std::size_t part = 0; part < ends.size(); ++part)
        all.push_back(dataset.range(first(part), ends[part] - first(part)));
    return all;
}

SIGMA_IMPL std::vector<Dataset> stratified_split_of(const Dataset& dataset, const std::vector<double>& shares) {
    const std::size_t n = shares.size();
    std::vector<std::size_t> part_of(dataset.size(), n);
    for (const auto& positions : positions_by_class(dataset)) {
        const auto ends = share_ends(shares, positions.size());
        for (std::size_t part = 0, i = 0; part < n; ++part)
            while (i < ends[part]) part_of[positions[i++]] = part;
    }
    std::vector<std::vector<std::size_t>> parts(n);
    for (std::size_t position = 0; position < dataset.size(); ++position)
        if (part_of[position] < n) parts[part_of[position]].push_back(position);
    return select_each(dataset, parts);
}

SIGMA_IMPL std::vector<Dataset> split_blocks_of(const Dataset& dataset, const std::vector<long long>& counts) {
    std::vector<std::size_t> round;  // whose turn it is
    std::size_t part = 0;
    for (const long long count : counts) {
        if (count < 1) throw ArgumentError("split_blocks", "at least one block for each part", sentence(count));
        round.insert(round.end(), static_cast<std::size_t>(count), part++);
    }
    const std::vector<std::size_t> part_of = parts_of_blocks(dataset, round);
    std::vector<std::vector<std::size_t>> parts(counts.size());
    for (std::size_t position = 0; position < dataset.size(); ++position) parts[part_of[position]].push_back(position);
    return select_each(dataset, parts);
}

SIGMA_IMPL std::vector<Dataset> split_groups_of(const Dataset& dataset, std::size_t groups,
                                                const AnyFunction<bool(std::size_t, std::size_t)>& before,
                                                const std::vector<double>& shares) {
    if (groups != dataset.size())
        throw ArgumentError(sentence("groups of dataset '", dataset.name(), "'"),
                            sentence("one for each of its ", dataset.size(), " records"), sentence(groups));
    std::vector<std::size_t> sorted(dataset.size());
    std::iota(sorted.begin(), sorted.end(), std::size_t{0});
    std::ranges::sort(sorted, [&](std::size_t a, std::size_t b) { return before(a, b) || (!before(b, a) && a < b); });
    std::vector<std::vector<std::size_t>> members;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        if (i == 0 || before(sorted[i - 1], sorted[i])) members.emplace_back();
        members.back().push_back(sorted[i]);
    }
    std::sort(members.begin(), members.end());  // by their first records
    const auto ends = share_ends(shares, dataset.size());
    std::vector<std::vector<std::size_t>> parts(shares.size());
    std::size_t done = 0, part = 0;
    for (const auto& positions : members) {
        while (part < parts.size() && done + positions.size() / 2 >= ends[part])
            ++part;  // its middle lies in the next share
        if (part == parts.size()) break;
        parts[part].insert(parts[part].end(), positions.begin(), positions.end());
        done += positions.size();
    }
    for (auto& positions : parts) std::ranges::sort(positions);
    return select_each(dataset, parts);
}

}  // namespace sigma::detail
