// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace sigma::data {

/// Where blocks are kept that are not in use: `cache::disk` in a file of the cache directory, also for the next run;
/// `cache::memory` in memory as far as `memory` allows; `cache::none` only as many as are in use. cache::automatic is
/// disk for data in blocks and none for what is in memory anyway.
enum class Cache : std::uint8_t { automatic, none, memory, disk };
using cache = Cache;

/// How many records a block has: `automatic`, `whole` or `fixed(n)`.
struct BlockSize {
    std::size_t records = 0;
    friend bool operator==(const BlockSize&, const BlockSize&) = default;
};
/// Everything in memory where it fits, else blocks of about 4 MiB.
inline constexpr BlockSize automatic{};
/// Everything in memory.
inline constexpr BlockSize whole{std::numeric_limits<std::size_t>::max()};
/// Blocks of n records, whether all fit into memory or not. Throws ArgumentError for none.
BlockSize fixed(std::integral auto n) {
    if (std::cmp_less(n, 1)) throw ArgumentError("fixed", "blocks of at least one record", sentence(n));
    return {static_cast<std::size_t>(n)};
}

struct DatasetOptions {
    BlockSize blocks = automatic;
    std::size_t active = 0;  ///< blocks in memory at once; 0: 24, with cache::memory as many as fit
    std::size_t memory = 0;  ///< bytes that the records may take in memory; 0: half of what is free now
    Cache cache = Cache::automatic;
    std::string directory = {};  ///< of the cache; cache_directory() + "/blocks" where empty
    std::uint64_t disk = 0;      ///< bytes that the cache directory may hold; 0: half of what is free there
    bool missing = false;  ///< inputs may hold missing numbers, NaN, which transforms must replace before training
};

}  // namespace sigma::data
