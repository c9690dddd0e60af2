// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/data/minibatches.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace sigma {

/// A minibatch in memory: dense rows, one for each record.
class Batch {
public:
    std::uint64_t epoch() const { return epoch_; }
    /// Which batch of its epoch, from 0.
    std::uint64_t number() const { return number_; }
    /// What its records are of.
    const Dataset& dataset() const { return *dataset_; }
    std::size_t size() const { return records_.size(); }
    /// Positions in the dataset.
    std::span<const std::size_t> records() const&;
    std::vector<std::size_t> records() && { return std::move(records_); }
    /// size() · Dataset::input_size(which) numbers, and the same for targets. ArgumentError where there is no such one.
    std::span<const float> inputs(std::size_t which = 0) const&;
    std::span<const float> targets(std::size_t which = 0) const&;
    std::vector<float> inputs(std::size_t which = 0) &&;
    std::vector<float> targets(std::size_t which = 0) &&;

    // What BatchPrefetcher wants of a slot.
    void make_room(const Minibatches& batches);
    void fill(const Minibatches& batches, const detail::BatchRecords& of);

private:
    const Dataset* dataset_ = nullptr;
    std::uint64_t epoch_ = 0, number_ = 0;
    std::size_t inputs_ = 0;
    std::vector<std::size_t> records_, sizes_;
    std::vector<std::vector<float>> values_;
    std::vector<float> scratch_;

    std::span<const float> rows(const char* what, std::size_t which, std::size_t first, std::size_t count) const;
};

/// Minibatches one after the other, epoch after epoch without end.
///     BatchIterator iterator(minibatches(training, 100));
///     const Batch& first = iterator.next();
/// To be used by one thread.
class BatchIterator {
public:
    /// Begins at this batch, the first of all unless given.
    explicit BatchIterator(Minibatches batches, BatchPosition begin = {});

    const Minibatches& minibatches() const&;
    Minibatches minibatches() &&;
    /// The next batch, there until the one after it is asked for. Throws what reading it throws, DataError above all;
    /// then the position stays, and another call tries again. Allocates nothing after the first batches.
    const Batch& next() &;
    /// Of the batch that `next` will give. With the same minibatches, `restore` goes on from there bit by bit, in
    /// another program too.
    BatchPosition position() const { return position_; }
    /// Throws ArgumentError for a batch that an epoch does not have.
    void restore(BatchPosition position);

private:
    detail::Owned<detail::BatchPrefetcher<Batch>> feed_;  // does not move
    BatchPosition position_{};
};

/// The batches of one epoch, for a loop: `for (const Batch& batch : epoch_of(batches, 3))`. A batch is there until the
/// next one.
class EpochOfBatches {
public:
    struct End {};
    class Iterator {
    public:
        using value_type = Batch;
        using difference_type = std::ptrdiff_t;
        using pointer = const Batch*;
        using reference = const Batch&;

        explicit Iterator(detail::BatchPrefetcher<Batch>* feed = nullptr, BatchPosition at = {});
        const Batch& operator*() const;
        const Batch* operator->() const { return &**this; }
        Iterator& operator++();
        void operator++(int) { ++*this; }
        friend bool operator==(const Iterator& i, End) { return i.at_end(); }

    private:
        detail::BatchPrefetcher<Batch>* feed_;
        BatchPosition at_;

        void take();
        bool at_end() const;
    };

    EpochOfBatches(Minibatches batches, std::uint64_t number);
    /// Takes the first batch; throws what reading it throws.
    Iterator begin() { return Iterator(feed_.get(), {number_, 0}); }
    End end() const { return {}; }

private:
    detail::Owned<detail::BatchPrefetcher<Batch>> feed_;
    std::uint64_t number_;
};

EpochOfBatches epoch_of(Minibatches batches, std::uint64_t number);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/iterate.ipp>
#endif
