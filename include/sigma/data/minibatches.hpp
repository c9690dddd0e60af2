// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/integer.hpp>
#include <sigma/core/shared_owner.hpp>
#include <sigma/data/dataset.hpp>
#include <sigma/data/transform/augmentation.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sigma {

namespace data {
class AliasTable;
class BlockOrder;
}  // namespace data

namespace detail {

/// Who wants to know which blocks are read.
class BlockWatch {
public:
    virtual ~BlockWatch() = default;
    /// Before the record at a position of the dataset is read.
    virtual void reading(std::uint64_t number_of_epoch, std::size_t position) = 0;
};

/// Some records of an epoch, and where they stand in the order of all of it.
struct BatchRecords {
    std::uint64_t epoch = 0, number = 0;
    std::span<const std::size_t> records{};  ///< positions in the dataset
    std::size_t first = 0;                   ///< of the first of them, in the order of the epoch
    BlockWatch* watch = nullptr;
};

}  // namespace detail

/// The records of a dataset in batches of `size`. In each epoch every record comes once; the last batch is shorter
/// where the size does not divide the record count. `>>` adds what is said otherwise, see data/batches/options.hpp. All
/// of it is a function of seed, epoch and batch, whatever was taken before and on whichever thread or machine.
struct Minibatches {
    Dataset dataset;
    std::size_t size;
    bool shuffling = true;              // a new random order for each epoch, else the dataset's order
    std::uint64_t seed = 0;             // of all that is random
    bool drops_last = false;            // only whole batches
    std::size_t prefetch = 0;           // batches that are made ahead, on a thread of their own
    std::size_t shard = 0, shards = 1;  // the part of one of several workers
    detail::SharedOwner<const data::AliasTable> weights{};  // records are drawn by these
    std::size_t draws = 0;                                  // so many in an epoch
    std::vector<data::Augmentation> augmentations{};        // of each input; empty where there are none at all
    detail::SharedOwner<const data::BlockOrder> blocks{};   // where the dataset is not in memory
    std::size_t window = 1;                                 // blocks whose records are mixed
    bool undivided = false;                                 // each block is a batch

    // Do records of several blocks, in random order, stand side by side?
    bool mixes() const { return blocks && (weights || (shuffling && !undivided)); }
    // Records of an epoch, in all shards.
    std::size_t records_per_epoch() const { return weights ? draws : dataset.size(); }

    // For shards, a round is the batches that all of them have at the same time; `shards · size` records.
    std::size_t batches_per_epoch() const;

    // The records of an epoch in their order. Allocates nothing where `records` has the capacity already.
    void order(std::uint64_t number, std::vector<std::size_t>& records) const;

    // The records of one batch of that order. All shards together have each record once, and equally many batches: each
    // gets an even part of a round. Where fewer records than shards are left at the end, the round before gives some of
    // its own.
    std::span<const std::size_t> batch(std::span<const std::size_t> order, std::size_t index) const;

    // Copies records to rows of `inputs` and `targets`, `*_stride` numbers apart; of several inputs and targets the
    // first.
    template <class T>
    void gather(std::span<const std::size_t> records, T* inputs, std::size_t input_stride, T* targets,
                std::size_t target_stride) const {
        dataset.copy_inputs(records, inputs, input_stride);
        dataset.copy_targets(records, targets, target_stride);
    }
    // The records of a batch as dense rows: to(which) is where those of an input go, of a target, which counts after
    // the inputs.
    template <class To>
    void copy_records(const detail::BatchRecords& of, To to) const {
        const auto copy = [&](std::size_t first, std::size_t count) {
            const auto positions = of.records.subspan(first, count);
            const std::size_t n = dataset.input_count();
            for (std::size_t i = 0; i < n; ++i)
                dataset.copy_inputs(positions, to(i) + first * dataset.input_size(i), dataset.input_size(i), i);
            for (std::size_t i = 0; i < dataset.target_count(); ++i)
                dataset.copy_targets(positions, to(n + i) + first * dataset.target_size(i), dataset.target_size(i), i);
        };
        if (dataset.in_memory()) return copy(0, of.records.size());
        // All sections of a block before the next one, which may take its place.
        for (std::size_t first = 0, end = 1; first < of.records.size(); first = end++) {
            const std::size_t block = dataset.block_of(of.records[first]);
            while (end < of.records.size() && dataset.block_of(of.records[end]) == block) ++end;
            if (of.watch != nullptr) of.watch->reading(of.epoch, of.records[first]);
            copy(first, end - first);
        }
    }
    // Changes dense rows of an input as its augmentation says. `scratch` keeps memory from call to call.
    template <class T>
    void augment(const detail::BatchRecords& of, T* to, std::size_t which, std::vector<float>& scratch) const;

    // What decides, beside dataset, size, seed and shuffling, which records come when and how: names and texts.
    std::vector<std::pair<const char*, std::string>> options() const;

    // Throws ArgumentError where there are no such batches: none at all, or not one for each shard.
    void check() const;

private:
    // Where a round begins in the order of the epoch.
    std::size_t round(std::size_t index) const;
    std::string of_each() const;
};

/// minibatches(training, 100). Throws ArgumentError unless `size` is from 1 to the record count, DataError for inputs
/// in memory with missing numbers.
Minibatches minibatches(Dataset dataset, detail::Integer size, std::uint64_t seed = 0);

/// Of arrays, as make_dataset(inputs, targets) takes them: minibatches(x, y, 100).
template <AnyArray Inputs, AnyArray Targets>
Minibatches minibatches(const Inputs& inputs, const Targets& targets, detail::Integer size, std::uint64_t seed = 0) {
    return minibatches(make_dataset(inputs, targets), size, seed);
}

/// The same without shuffling: for validation and prediction.
Minibatches minibatches_in_order(Dataset dataset, detail::Integer size);

/// All records in one batch, in their order; each block whole where the dataset has blocks.
Minibatches undivided(Dataset dataset);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/minibatches.ipp>
#endif
