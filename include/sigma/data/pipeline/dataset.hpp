// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// `dataset`: the end of a pipeline, which reads records into memory or blocks. Included by `<sigma/data/data.hpp>`.

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

/// The storage of blocks that are not in use.
///
/// @see DatasetOptions::cache, docs/datasets.md
enum class Cache : std::uint8_t {
    automatic,  ///< Disk for data in blocks, none for data in memory.
    none,       ///< Keeps only the blocks in use.
    memory,     ///< Keeps blocks in memory as far as `DatasetOptions::memory` allows.
    disk        ///< Keeps blocks in a file of the cache directory, also for the next run.
};
/// A short name: `cache::disk` is `Cache::disk`.
///
/// @see Cache
using cache = Cache;

/// The number of records in a block: `automatic`, `whole` or `fixed(n)`.
///
/// @see DatasetOptions::blocks
struct BlockSize {
    std::size_t records = 0;  ///< Records in a block; 0: automatic.
    /// Compares both numbers.
    friend bool operator==(const BlockSize&, const BlockSize&) = default;
};
/// The block size that reads everything into memory if it fits, else blocks of about 4 MiB.
///
/// @see DatasetOptions::blocks
inline constexpr BlockSize automatic{};
/// The block size that reads everything into memory.
///
/// @see DatasetOptions::blocks
inline constexpr BlockSize whole{std::numeric_limits<std::size_t>::max()};
/// Returns a block size of a fixed number of records, whether all records fit into memory or not.
///
/// @param count  records in a block, at least 1
/// @return the block size
/// @throws ArgumentError  if `count` is less than 1
///
/// @par Example
/// @code
/// const data::DatasetOptions options{.blocks = data::fixed(10'000), .active = 8};
/// @endcode
///
/// @see DatasetOptions::blocks
BlockSize fixed(std::integral auto count) {
    if (std::cmp_less(count, 1)) throw ArgumentError("fixed", "blocks of at least one record", sentence(count));
    return {static_cast<std::size_t>(count)};
}

/// Options of `dataset`: memory, blocks and caches.
///
/// @see dataset, docs/datasets.md
struct DatasetOptions {
    BlockSize blocks = automatic;    ///< Records in a block.
    std::size_t active = 0;          ///< Blocks in memory at once; 0: 24, or with cache::memory as many as fit.
    std::size_t memory = 0;          ///< Bytes that the records may take in memory; 0: half of the free memory.
    Cache cache = Cache::automatic;  ///< Storage of blocks that are not in use.
    std::string directory = {};      ///< Directory of the cache; empty: cache_directory() + "/blocks".
    std::uint64_t disk = 0;          ///< Bytes that the cache directory may hold; 0: half of the free space.
    bool missing = false;            ///< Accepts missing numbers (NaN) in inputs, for a transform to replace.
};

/// The end of a pipeline, which `dataset` returns.
///
/// @see dataset
struct DatasetWord {
    std::string name;        ///< Name of the dataset.
    DatasetOptions options;  ///< Memory, blocks and caches.
};
/// Reads the records of a pipeline: the end of each pipeline.
///
/// Reads everything into memory if it fits, else into blocks of which some are in memory at a time. Transforms learn
/// from all records: to keep some for validation, split first and transform then.
///
/// @param name     name in errors and reports
/// @param options  memory, blocks, caches and missing numbers
/// @return the end of a pipeline, to add with `>>`
///
/// @par Errors
/// `error_dataset_needs_inputs_and_targets` at compile time for a pipeline without inputs or targets.
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// auto big = csv(file("big.csv")) >> sections(inputs = columns(0, 3), targets = labels(4)) >> standardize(inputs) >>
///            dataset("big", {.blocks = fixed(10'000), .active = 8});
/// @endcode
///
/// @see Dataset, make_dataset, docs/datasets.md
DatasetWord dataset(std::string name, DatasetOptions options = {});

namespace detail {
Dataset read_dataset(std::shared_ptr<RecordReader> reader, const std::vector<TransformStep>& steps, DatasetWord word);
}

/// Reads the records of a pipeline into a dataset.
/// @param pipeline  the pipeline, with at least one input and one target
/// @param word      the result of `dataset("name")`
/// @return the dataset, with sections that the compiler knows
/// @throws DataError      if the data cannot be read, or a number is not finite
/// @throws ArgumentError  if a transform names an unknown section, or a block does not fit into the memory
/// @throws StorageError   if the cache cannot be written
///
/// @see dataset
template <class S>
    requires(S::has_inputs_and_targets())
DatasetOf<S> operator>>(const Pipeline<S>& pipeline, DatasetWord word) {
    return DatasetOf<S>(detail::read_dataset(pipeline.reader, pipeline.steps, std::move(word)));
}
/// @cond internal
template <class... F>
    requires(!Schema<F...>::has_inputs_and_targets())
error_dataset_needs_inputs_and_targets<sections_are<section<F::name>...>> operator>>(const Pipeline<Schema<F...>>&,
                                                                                     DatasetWord);
template <class Extents>
error_array_needs_a_name<Extents> operator>>(const ArrayOf<Extents>&, DatasetWord);
/// Rejects a table without sections: `csv(…) >> sections(inputs = columns(0, 3), targets = labels(4)) >>
/// dataset("iris")`.
error_table_needs_sections operator>>(const Table&, const DatasetWord&);
/// @endcond

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/pipeline/impl/dataset.ipp>
#endif
