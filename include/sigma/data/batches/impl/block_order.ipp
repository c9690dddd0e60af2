// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/batches/block_order.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace sigma::data {

SIGMA_IMPL BlockOrder::BlockOrder(const std::vector<std::size_t>& blocks)
    : positions_(blocks.size()), rank_(blocks.size()) {
    std::iota(positions_.begin(), positions_.end(), std::size_t{0});
    std::ranges::sort(positions_, {}, [&](std::size_t i) { return std::pair(blocks[i], i); });
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (i == 0 || blocks[positions_[i]] != blocks[positions_[i - 1]]) begin_.push_back(i);
        rank_[positions_[i]] = begin_.size() - 1;
    }
    begin_.push_back(blocks.size());
}

SIGMA_IMPL bool BlockOrder::sequential() const { return std::ranges::is_sorted(positions_); }

SIGMA_IMPL std::size_t BlockOrder::largest() const {
    std::size_t most = 0;
    for (std::size_t b = 0; b < count(); ++b) most = std::max(most, begin_[b + 1] - begin_[b]);
    return most;
}

SIGMA_IMPL void BlockOrder::shuffle(std::uint64_t seed, std::uint64_t number, std::size_t window,
                                    std::vector<std::size_t>& to) const {
    const std::size_t n = positions_.size();
    to.resize(n + count());
    const std::span<std::size_t> records = std::span(to).first(n), order = std::span(to).subspan(n);
    shuffled_blocks(seed, number, order);
    PhiloxSequence random{Philox(seed, RandomUse::shuffle, number)};
    for (std::size_t first = 0, at = 0; first < order.size(); first += window) {
        const std::size_t from = at;
        for (std::size_t i = first; i < std::min(first + window, order.size()); ++i)
            for (std::size_t k = begin_[order[i]]; k < begin_[order[i] + 1]; ++k) records[at++] = positions_[k];
        sigma::detail::shuffle(records.subspan(from, at - from), random);
    }
    to.resize(n);
}

SIGMA_IMPL void BlockOrder::arrange(std::uint64_t seed, std::uint64_t number, std::size_t window,
                                    std::vector<std::size_t>& drawn) const {
    const std::size_t n = drawn.size(), windows = (count() + window - 1) / window;
    drawn.resize(2 * n + 2 * count() + windows + 1);
    const std::span<std::size_t> records = std::span(drawn).first(n), copies = std::span(drawn).subspan(n, n);
    const std::span<std::size_t> order = std::span(drawn).subspan(2 * n, count());
    const std::span<std::size_t> window_of = std::span(drawn).subspan(2 * n + count(), count());
    const std::span<std::size_t> ends = std::span(drawn).subspan(2 * n + 2 * count());
    shuffled_blocks(seed, number, order);
    for (std::size_t i = 0; i < order.size(); ++i) window_of[order[i]] = i / window;
    std::ranges::copy(records, copies.begin());
    std::ranges::fill(ends, std::size_t{0});
    for (const std::size_t record : copies) ++ends[window_of[rank_[record]] + 1];
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    for (const std::size_t record : copies) records[ends[window_of[rank_[record]]]++] = record;
    PhiloxSequence random{Philox(seed, RandomUse::shuffle, number)};
    for (std::size_t w = 0, at = 0; w < windows; at = ends[w++])
        sigma::detail::shuffle(records.subspan(at, ends[w] - at), random);
    drawn.resize(n);
}

SIGMA_IMPL void BlockOrder::shuffled_blocks(std::uint64_t seed, std::uint64_t number, std::span<std::size_t> order) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    sigma::detail::shuffle(order, Philox(seed, RandomUse::blocks, number));
}

}  // namespace sigma::data
