// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// `minibatches` and what `>>` adds to them: drop_last, weighted, balanced, shard, prefetch, seeded, augment, mixup,
/// cutmix. Included by `<sigma/sigma.hpp>`.

#include <sigma/core/arguments.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/data/dataset.hpp>
#include <sigma/data/transform/augmentation.hpp>
#include <sigma/data/transform/mixing.hpp>

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma {

namespace data {
class AliasTable;
class BlockOrder;
}  // namespace data

namespace detail {

template <class Slot>
class BatchPrefetcher;

/// Receives the blocks that are read.
class BlockWatch {
public:
    virtual ~BlockWatch() = default;
    /// Called before the record at a position of the dataset is read.
    virtual void reading(std::uint64_t number_of_epoch, std::size_t position) = 0;
};

/// Some records of an epoch, and their place in the order of the whole epoch.
struct BatchRecords {
    std::uint64_t epoch = 0, number = 0;
    std::span<const std::size_t> records{};  ///< positions in the dataset
    std::size_t first = 0;                   ///< position of the first of them in the order of the epoch
    BlockWatch* watch = nullptr;
    std::span<const std::size_t> order{};  ///< all records of the epoch
};

}  // namespace detail

/// The records of a dataset in batches of `size`: in which order, with which changes.
///
/// Each epoch contains every record once. The last batch is shorter if `size` does not divide the number of records.
/// Add options with `>>`. All batches are a function of the seed, the epoch and the number of the batch: they do not
/// depend on earlier batches, on the thread, or on the machine.
///
/// @par Example
/// @code
/// const Minibatches batches = minibatches(training, 100) >> data::drop_last >> data::prefetch(3);
/// batches.batches_per_epoch();  // 600
/// @endcode
///
/// @see minibatches, epoch_of, BatchIterator, docs/minibatches.md
struct Minibatches {
    Dataset dataset;             ///< records to take batches of
    std::size_t size;            ///< records in a batch
    bool shuffling = true;       ///< draws a new order for each epoch; false: dataset's order
    std::uint64_t seed = 0;      ///< seed of everything random
    bool drops_last = false;     ///< leaves out a last, shorter batch
    std::size_t prefetch = 0;    ///< batches that a thread prepares ahead
    std::size_t shard = 0;       ///< number of this worker's part
    std::size_t shards = 1;      ///< number of parts for all workers
    std::size_t first_part = 0;  ///< first part of each batch to take, if the batch has at least `parts` records
    std::size_t end_part = 1;    ///< end of the parts to take
    std::size_t parts = 1;       ///< number of parts of each batch
    /// @cond internal
    detail::SharedOwner<const data::AliasTable> weights{};  ///< draws records by weight; null: every record once
    /// @endcond
    std::size_t draws = 0;                            ///< records in an epoch, if drawn by weight
    std::vector<data::Augmentation> augmentations{};  ///< random changes of each input; empty: none at all
    /// @cond internal
    detail::SharedOwner<const data::BlockOrder> blocks{};  ///< order of the blocks; null if the dataset is in memory
    /// @endcond
    std::size_t window = 1;  ///< number of blocks that are mixed with each other
    bool undivided = false;  ///< makes each block one batch
    data::Mixing mixing{};   ///< mixes each record with another one of its batch; empty: none

    /// Returns whether records of several blocks are mixed in random order.
    bool mixes() const { return blocks && (weights || (shuffling && !undivided)); }
    /// Returns the number of records of an epoch, in all shards.
    std::size_t records_per_epoch() const { return weights ? draws : dataset.size(); }

    /// Returns the number of batches of an epoch. With shards, each batch is one round: all shards have one at the same
    /// time, `shards · size` records together.
    std::size_t batches_per_epoch() const;

    /// @cond internal
    /// Writes the positions of the records of an epoch, in their order. Allocates nothing if `records` has the
    /// capacity.
    void order(std::uint64_t number, std::vector<std::size_t>& records) const;

    /// Returns the records of one batch of that order. All shards together have each record once, and equally many
    /// batches: each gets an even part of a round. If fewer records than shards are left at the end, the round before
    /// gives up some of its records.
    std::span<const std::size_t> batch(std::span<const std::size_t> order, std::size_t index) const;

    /// Returns the number of records of one batch.
    std::size_t records_in(std::size_t index) const;

    /// Copies records to rows of `inputs` and `targets`, `*_stride` numbers apart. Copies the first input and the first
    /// target.
    template <class T>
    void gather(std::span<const std::size_t> records, T* inputs, std::size_t input_stride, T* targets,
                std::size_t target_stride) const {
        dataset.copy_inputs(records, inputs, input_stride);
        dataset.copy_targets(records, targets, target_stride);
    }
    /// Copies the records of a batch as dense rows. `to(which)` returns the memory of an input, or of a target, which
    /// counts after the inputs.
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
        // Copy all sections of a block before the next block, which may take its memory.
        for (std::size_t first = 0, end = 1; first < of.records.size(); first = end++) {
            const std::size_t block = dataset.block_of(of.records[first]);
            while (end < of.records.size() && dataset.block_of(of.records[end]) == block) ++end;
            if (of.watch != nullptr) of.watch->reading(of.epoch, of.records[first]);
            copy(first, end - first);
        }
    }
    /// Changes dense rows of an input by its augmentation. `scratch` keeps memory from call to call.
    template <class T>
    void augment(const detail::BatchRecords& of, T* to, std::size_t which, std::vector<float>& scratch) const;
    /// Augments dense rows, and mixes each with the record that follows some places later in the batch of all shards
    /// and parts, or from its begin on. `to` is that of `copy_records`. `row` keeps memory from call to call.
    template <class T, class To>
    void change(const detail::BatchRecords& of, To to, std::vector<T>& row, std::vector<float>& scratch) const {
        const std::size_t n = dataset.input_count(), begin = round(of.number), count = round(of.number + 1) - begin;
        for (std::size_t which = 0; which < n; ++which) augment(of, to(which), which, scratch);
        if (mixing.empty() || count == 1) return;
        const Philox random(seed, RandomUse::mix, of.epoch);
        const std::size_t places = 1 + PhiloxSequence{Philox(random.bits(2 * begin))}.below(count - 1);
        for (std::size_t i = 0; i < of.records.size(); ++i) {
            const std::size_t own = of.first + i, at = begin + (own - begin + places) % count;
            const detail::BatchRecords other{of.epoch, of.number, of.order.subspan(at, 1), at};
            const data::Mixing::Blend blend = mixing.draw(dataset.input_shape(), Philox(random.bits(2 * own + 1)));
            for (std::size_t s = 0; s < n + dataset.target_count(); ++s) {
                row.resize(s < n ? dataset.input_size(s) : dataset.target_size(s - n));
                const std::span mixed(to(s) + i * row.size(), row.size());
                if (s < n) {
                    dataset.copy_inputs(other.records, row.data(), row.size(), s);
                    augment(other, row.data(), s, scratch);
                    blend.inputs(mixed, row.data());
                } else {
                    dataset.copy_targets(other.records, row.data(), row.size(), s - n);
                    blend.targets(mixed, row.data());
                }
            }
        }
    }

    /// Returns names and texts of all options, besides dataset, size, seed and shuffling, that determine the batches.
    std::vector<std::pair<const char*, std::string>> options() const;

    /// Throws ArgumentError if there is no batch, or not one for each shard.
    void examine() const;
    /// @endcond

private:
    // Returns where a round begins in the order of the epoch.
    std::size_t round(std::size_t index) const;
    std::string of_each() const;
};

namespace detail {

/// Starts a thread that loads the blocks of the next window while records of the present one are read. Returns null if
/// memory has no room for two windows, or if no window follows another. Do not change the minibatches while it lives.
Owned<BlockWatch> blocks_ahead(const Minibatches& batches);

}  // namespace detail

/// Makes minibatches in random order, with a new order for each epoch.
///
/// A dataset in blocks is read window by window, and a thread prepares two batches ahead.
///
/// @param dataset  records to take batches of
/// @param size     records in a batch, from 1 to the number of records
/// @param seed     seed of the order: equal seeds give equal batches
/// @return the minibatches; add options with `>>`
/// @throws ArgumentError  if `size` is out of range
/// @throws DataError      if an input in memory has missing numbers
///
/// @par Example
/// @code
/// Trainer small("digits", Digits{}, Adam{}, minibatches(training, 100) >> data::drop_last);
/// @endcode
///
/// @see minibatches_in_order, data::augment, docs/minibatches.md
Minibatches minibatches(Dataset dataset, detail::Integer size, std::uint64_t seed = 0);

/// Makes minibatches of arrays, in random order.
/// @param inputs   an array of shape (records, features…) or (records)
/// @param targets  an array, or a `std::vector` of one number for each record
/// @param size     records in a batch, from 1 to the number of records
/// @param seed     seed of the order: equal seeds give equal batches
/// @return the minibatches; add options with `>>`
/// @throws ArgumentError  if `size` is out of range
/// @throws ShapeError     if an array has no axis
/// @throws DataError      if a number is not finite or the counts of records differ
///
/// @par Example
/// @code
/// const Minibatches batches = minibatches(images, std::vector<int>(100, 3), 10);
/// @endcode
template <AnyArray Inputs, AnyTargets Targets>
Minibatches minibatches(const Inputs& inputs, const Targets& targets, detail::Integer size, std::uint64_t seed = 0) {
    return minibatches(make_dataset(inputs, targets), size, seed);
}

/// Makes minibatches in the order of the dataset, for validation and prediction.
///
/// @param dataset  records to take batches of
/// @param size     records in a batch, from 1 to the number of records
/// @return the minibatches; add options with `>>`
/// @throws ArgumentError  if `size` is out of range
/// @throws DataError      if an input in memory has missing numbers
///
/// @par Example
/// @code
/// for (const Batch& batch : epoch_of(minibatches_in_order(testing, 100), 0)) batch.records();
/// @endcode
///
/// @see minibatches, undivided
Minibatches minibatches_in_order(Dataset dataset, detail::Integer size);

/// @cond internal
/// The remedy for `minibatches(data, 0.1)`.
struct use_the_number_of_records;
template <class Write>
struct error_batch_size_is_no_share_of_the_records;
template <class... X>
error_batch_size_is_no_share_of_the_records<use_the_number_of_records> minibatches(const Dataset&,
                                                                                   std::floating_point auto,
                                                                                   const X&...);
template <AnyArray Inputs, AnyTargets Targets, class... X>
error_batch_size_is_no_share_of_the_records<use_the_number_of_records> minibatches(const Inputs&, const Targets&,
                                                                                   std::floating_point auto,
                                                                                   const X&...);
error_batch_size_is_no_share_of_the_records<use_the_number_of_records> minibatches_in_order(const Dataset&,
                                                                                            std::floating_point auto);

/// @endcond

/// Makes one batch of all records, in their order. In a dataset in blocks, each block is one batch.
///
/// @param dataset  records to take batches of
/// @return the minibatches
/// @throws DataError  if an input in memory has missing numbers
///
/// @par Example
/// @code
/// Trainer whole_batch("iris", Network<Input(4) + Dense(3) + SoftmaxCE()>{}, Adam{}, undivided(data::iris()));
/// @endcode
///
/// @see minibatches
Minibatches undivided(Dataset dataset);

/// The epoch and the number of a minibatch. With the seed and the same minibatches, it determines the batch, so it is
/// all that you need to store to resume with bit-identical batches.
///
/// @par Example
/// @code
/// BatchIterator batches(minibatches(training, 100));
/// batches.restore(BatchPosition::from_text("3/17"));
/// @endcode
///
/// @see BatchIterator
struct BatchPosition {
    std::uint64_t epoch = 0;   ///< number of the epoch, from 0
    std::uint64_t number = 0;  ///< number of the batch within the epoch, from 0

    /// Compares epochs, then numbers.
    /// @return the order of the two positions
    friend auto operator<=>(const BatchPosition&, const BatchPosition&) = default;
    /// Returns the position as a text: "3/17" is batch 17 of epoch 3.
    std::string text() const { return sentence(epoch, "/", number); }
    /// Returns the position that a text of `text()` stands for.
    /// @param text  epoch and number, such as "3/17"
    /// @throws ArgumentError  if the text is not of this form
    static BatchPosition from_text(std::string_view text);
};

}  // namespace sigma

/// Sources, readers, transforms and data sets.
namespace sigma::data {

namespace detail {
struct DropLast {};
struct Prefetch {
    std::size_t batches;
};
struct Shard {
    std::size_t number, count;
};
struct Weighted {
    std::vector<double> weights;
    std::size_t draws;  ///< records in an epoch; 0: as many as the dataset has
};
struct Balanced {};
struct Seeded {
    std::uint64_t seed;
};

}  // namespace detail

/// Leaves out a last batch that is shorter than the others. Each epoch leaves out other records.
///
/// @par Example
/// @code
/// const auto batches = minibatches(training, 100) >> data::drop_last;
/// @endcode
inline constexpr detail::DropLast drop_last{};

/// Prepares batches ahead on another thread while the training step runs.
///
/// @param batches  number of batches, from 0 (none) to 1000. Default without `prefetch`: 0, or 2 for a dataset in
/// blocks
/// @return an option to add to minibatches with `>>`
/// @throws ArgumentError  if `batches` is out of range
///
/// @par Example
/// @code
/// const auto batches = minibatches(training, 100) >> data::prefetch(3);
/// @endcode
detail::Prefetch prefetch(sigma::detail::Integer batches);

/// Selects one part of the minibatches, for one of several workers or machines that share an epoch.
///
/// All parts have the same order of the whole dataset. Batch b of part i is the i-th even part of round b, which has
/// count · size records. Parts are disjoint, together complete, and have equally many batches.
///
/// @param number  number of this part, from 0 to count - 1
/// @param count   number of parts, from 1 to 1,000,000
/// @return an option to add to minibatches with `>>`. Only one `shard` can be added
/// @throws ArgumentError  if an argument is out of range
///
/// @par Example
/// @code
/// const auto second_of_four = minibatches(training, 100) >> data::shard(1, 4);
/// @endcode
detail::Shard shard(sigma::detail::Integer number, sigma::detail::Integer count);

/// Draws records with replacement, in proportion to weights, instead of taking each record once.
///
/// @param weights  one weight for each record of the dataset, finite and at least 0, not all 0
/// @param draws    records in an epoch; 0 (the default): as many as the dataset has
/// @return an option to add to minibatches with `>>`; `>>` throws ArgumentError if the weights are invalid
///
/// @par Example
/// @code
/// std::vector<double> weights(training.size(), 1);
/// weights[7] = 10;  // ten times as often as another record
/// const auto batches = minibatches(training, 100) >> data::weighted(weights);
/// @endcode
///
/// @see balanced, with_weights (which weighs the loss instead)
template <std::ranges::input_range Weights>
    requires std::convertible_to<std::ranges::range_value_t<Weights>, double>
detail::Weighted weighted(const Weights& weights, std::size_t draws = 0) {
    detail::Weighted all{{}, draws};
    for (const auto w : weights) all.weights.push_back(static_cast<double>(w));
    return all;
}

/// Draws records with replacement so that all classes are equally frequent on average.
///
/// `>>` throws DataError if the first target is no class index. A label that the loss ignores counts as a class, too.
/// To leave out its records, use `weighted` with a weight of 0 for them.
///
/// @par Example
/// @code
/// const auto batches = minibatches(data::wdbc(), 32) >> data::balanced;
/// @endcode
///
/// @see weighted
inline constexpr detail::Balanced balanced{};

/// Sets the seed of everything random in the minibatches: order, draws and augmentation.
///
/// @param seed  equal seeds give equal batches
/// @return an option to add to minibatches with `>>`
///
/// @par Example
/// @code
/// const auto batches = minibatches(training, 100) >> data::seeded(7);
/// @endcode
inline detail::Seeded seeded(std::uint64_t seed) { return {seed}; }

}  // namespace sigma::data

namespace sigma {

/// Adds `data::drop_last`: leaves out a last batch that is shorter than the others.
/// @param batches  the minibatches
/// @param option   always `data::drop_last`
/// @return the minibatches with this option
Minibatches operator>>(Minibatches batches, data::detail::DropLast option);
/// Adds `data::prefetch`: prepares batches ahead on another thread.
/// @param batches   the minibatches
/// @param prefetch  how many batches
/// @return the minibatches with this option
Minibatches operator>>(Minibatches batches, data::detail::Prefetch prefetch);
/// Adds `data::shard`: selects one part of each round.
/// @param batches  minibatches that are no part yet
/// @param shard    number of the part and of all parts
/// @return the minibatches with this option
/// @throws ArgumentError  if the minibatches are a part already
Minibatches operator>>(Minibatches batches, data::detail::Shard shard);
/// Adds `data::weighted`: draws records by weight.
/// @param batches   the minibatches
/// @param weighted  one weight for each record
/// @return the minibatches with this option
/// @throws ArgumentError  if the counts of weights and records differ, or a weight is negative, not finite, or all are
/// 0
Minibatches operator>>(Minibatches batches, data::detail::Weighted weighted);
/// Adds `data::balanced`: draws all classes equally often.
/// @param batches  the minibatches
/// @param option   always `data::balanced`
/// @return the minibatches with this option
/// @throws DataError  if the first target is no class index
Minibatches operator>>(Minibatches batches, data::detail::Balanced option);
/// Adds `data::seeded`: sets the seed.
/// @param batches  the minibatches
/// @param seeded   the seed
/// @return the minibatches with this option
Minibatches operator>>(Minibatches batches, data::detail::Seeded seeded);
/// Adds `data::augment`: changes the copies of records at random, in a new way in each epoch.
/// @param batches  the minibatches
/// @param step     the augmentation and its input
/// @return the minibatches with this option
/// @throws ArgumentError  if the dataset has no such input
/// @throws ShapeError     if the augmentation cannot change records of this shape
///
/// @par Example
/// @code
/// const auto batches = minibatches(training, 100) >> data::augment(data::inputs, data::shift(2));
/// @endcode
Minibatches operator>>(Minibatches batches, const data::AugmentStep& step);
/// Adds `data::mixup` or `data::cutmix`: mixes each record with another one of its batch.
/// @param batches  the minibatches
/// @param mixing   how to mix
/// @return the minibatches with this option
/// @throws ShapeError  if `cutmix` is added, and not all inputs are images of one height and width
Minibatches operator>>(Minibatches batches, data::Mixing mixing);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/minibatches.ipp>
#endif
