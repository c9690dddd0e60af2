// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// `Batch`, `BatchIterator` and `epoch_of`, to loop over minibatches yourself. Included by `<sigma/sigma.hpp>`.

#include <sigma/core/owners.hpp>
#include <sigma/data/minibatches.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace sigma {

/// A minibatch in memory: dense rows, one for each record.
///
/// @par Example
/// @code
/// for (const Batch& batch : epoch_of(minibatches(training, 100), 0)) {
///     const auto pixels = batch.inputs();   // 100 · 784 floats
///     const auto labels = batch.targets();  // 100 floats
/// }
/// @endcode
///
/// @see epoch_of, BatchIterator, docs/custom-loops.md
class Batch {
public:
    /// Returns the number of its epoch, from 0.
    std::uint64_t epoch() const { return epoch_; }
    /// Returns its number within the epoch, from 0.
    std::uint64_t number() const { return number_; }
    /// Returns the dataset that its records belong to.
    const Dataset& dataset() const { return *dataset_; }
    /// Returns the number of its records.
    std::size_t size() const { return records_.size(); }
    /// Returns the positions of its records in the dataset.
    std::span<const std::size_t> records() const&;
    /// @copydoc records
    std::vector<std::size_t> records() && { return std::move(records_); }
    /// Returns the numbers of an input: `size() · dataset().input_size(which)` floats, one row for each record.
    /// @param which  number of the input, from 0
    /// @throws ArgumentError  if the dataset has no such input
    std::span<const float> inputs(std::size_t which = 0) const&;
    /// Returns the numbers of a target: `size() · dataset().target_size(which)` floats, one row for each record.
    /// @param which  number of the target, from 0
    /// @throws ArgumentError  if the dataset has no such target
    std::span<const float> targets(std::size_t which = 0) const&;
    /// @copydoc inputs
    std::vector<float> inputs(std::size_t which = 0) &&;
    /// @copydoc targets
    std::vector<float> targets(std::size_t which = 0) &&;

    /// @cond internal  (BatchPrefetcher calls these)
    void make_room(const Minibatches& batches);
    void fill(const Minibatches& batches, const detail::BatchRecords& of);
    const data::Mixing& mixing() const { return mixing_; }
    /// @endcond

private:
    const Dataset* dataset_ = nullptr;
    std::uint64_t epoch_ = 0, number_ = 0;
    std::size_t inputs_ = 0;
    std::vector<std::size_t> records_, sizes_;
    std::vector<std::vector<float>> values_;
    std::vector<float> scratch_, row_;
    data::Mixing mixing_{};

    std::span<const float> rows(const char* what, std::size_t which, std::size_t first, std::size_t count) const;
};

/// Minibatches one after the other, epoch after epoch without end. Use an iterator from one thread at a time.
///
/// @par Example
/// @code
/// BatchIterator iterator(minibatches(training, 100));
/// const Batch& first = iterator.next();
/// @endcode
///
/// @see epoch_of, BatchPosition
class BatchIterator {
public:
    /// Constructs an iterator.
    /// @param batches  the minibatches
    /// @param begin    the first batch; default: batch 0 of epoch 0
    /// @throws ArgumentError  if the minibatches have no batch
    explicit BatchIterator(Minibatches batches, BatchPosition begin = {});

    /// Returns the minibatches.
    const Minibatches& minibatches() const&;
    /// @copydoc minibatches
    Minibatches minibatches() &&;
    /// Returns the next batch, which stays valid until the next call. Allocates nothing after the first batches.
    ///
    /// If it throws, the position stays: call `next` again to retry.
    /// @throws DataError  if the records cannot be read
    const Batch& next() &;
    /// Returns the position of the batch that `next` returns. With the same minibatches, `restore` continues from there
    /// with bit-identical batches, also in another program.
    BatchPosition position() const { return position_; }
    /// Continues at a position.
    /// @param position  epoch and number of the next batch
    /// @throws ArgumentError  if an epoch has no batch of that number
    void restore(BatchPosition position);

private:
    detail::Owned<detail::BatchPrefetcher<Batch>> feed_;  // does not move
    BatchPosition position_{};
};

/// The batches of one epoch, for a loop. A batch stays valid until the next one.
///
/// @see epoch_of
class EpochOfBatches {
public:
    /// @cond internal
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
    /// @endcond

    /// Constructs the batches of an epoch.
    /// @param batches  the minibatches
    /// @param number   number of the epoch, from 0
    EpochOfBatches(Minibatches batches, std::uint64_t number);
    /// Returns an iterator at the first batch.
    /// @throws DataError  if its records cannot be read
    Iterator begin() { return Iterator(feed_.get(), {number_, 0}); }
    /// Returns the end of the epoch.
    End end() const { return {}; }

private:
    detail::Owned<detail::BatchPrefetcher<Batch>> feed_;
    std::uint64_t number_;
};

/// Returns the batches of one epoch, for a `for` loop.
///
/// @param batches  the minibatches
/// @param number   number of the epoch, from 0; it determines the random order
/// @return a range of `Batch`
/// @throws ArgumentError  if the minibatches have no batch
///
/// @par Example
/// @code
/// for (const Batch& batch : epoch_of(minibatches(training, 100), 3)) batch.number();
/// @endcode
///
/// @see BatchIterator
EpochOfBatches epoch_of(Minibatches batches, std::uint64_t number);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/iterate.ipp>
#endif
