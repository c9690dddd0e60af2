// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
#include <sigma/data/pipeline/dataset_of.hpp>
#include <sigma/data/pipeline/pipeline.hpp>
#include <sigma/data/pipeline/schema.hpp>
#include <sigma/storage/error.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

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

/// The end of a pipeline: `… >> dataset("mnist")`.
struct DatasetWord {
    std::string name;
    DatasetOptions options;
};
/// Reads a pipeline into memory, or into blocks of which some are in memory:
///
///     csv(file("big.csv")) >> sections(…) >> standardize(inputs) >> dataset("big", {.blocks = fixed(10000), .active =
///     8})
///
/// Transforms learn from all of the data: where parts of it are for validation, split first and transform then. Throws
/// DataError for what cannot be read or is not finite (missing numbers of inputs are held with `.missing = true`, so
/// that impute can learn from the training part), ArgumentError where a transform names a section that is not there or
/// a block does not fit into `memory`, StorageError where the cache cannot be written.
DatasetWord dataset(std::string name, DatasetOptions options = {});

namespace detail {
Dataset read_dataset(std::shared_ptr<RecordReader> reader, const std::vector<TransformStep>& steps, DatasetWord word);
}

template <class S>
    requires(S::has_inputs_and_targets())
DatasetOf<S> operator>>(const Pipeline<S>& pipeline, DatasetWord word) {
    return DatasetOf<S>(detail::read_dataset(pipeline.reader, pipeline.steps, std::move(word)));
}
template <class... F>
    requires(!Schema<F...>::has_inputs_and_targets())
error_dataset_needs_inputs_and_targets<sections_are<section<F::name>...>> operator>>(const Pipeline<Schema<F...>>&,
                                                                                     DatasetWord);
template <class Extents>
error_array_needs_a_name<Extents> operator>>(const ArrayOf<Extents>&, DatasetWord);
/// `csv(…) >> sections(inputs = columns(0, 3), targets = labels(4)) >> dataset("iris")`
error_table_needs_sections operator>>(const Table&, const DatasetWord&);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/pipeline/impl/dataset.ipp>
#endif
