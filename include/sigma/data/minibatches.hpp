// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/arguments.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/data/dataset.hpp>
#include <sigma/data/transform/augmentation.hpp>

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
/// where the size does not divide the record count. `>>` adds what is said otherwise, see below. All
/// of it is a function of seed, epoch and batch, whatever was taken before and on whichever thread or machine.
struct Minibatches {
    Dataset dataset;
    std::size_t size;
    bool shuffling = true;                                // a new random order for each epoch, else the dataset's order
    std::uint64_t seed = 0;                               // of all that is random
    bool drops_last = false;                              // only whole batches
    std::size_t prefetch = 0;                             // batches that are made ahead, on a thread of their own
    std::size_t shard = 0, shards = 1;                    // the part of one of several workers
    std::size_t first_part = 0, end_part = 1, parts = 1;  // of each batch that can be cut in so many, only these
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

    // How many these are.
    std::size_t records_in(std::size_t index) const;

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
    void examine() const;

private:
    // Where a round begins in the order of the epoch.
    std::size_t round(std::size_t index) const;
    std::string of_each() const;
};

namespace detail {

/// Loads the blocks of the next window on a thread of its own while records are read from the present one; null where
/// there is no room for two windows, or none comes after the other. The minibatches must not change while it lives.
Owned<BlockWatch> blocks_ahead(const Minibatches& batches);

}  // namespace detail

/// minibatches(training, 100). Throws ArgumentError unless `size` is from 1 to the record count, DataError for inputs
/// in memory with missing numbers.
Minibatches minibatches(Dataset dataset, detail::Integer size, std::uint64_t seed = 0);

/// Of arrays, as make_dataset(inputs, targets) takes them: minibatches(x, y, 100).
template <AnyArray Inputs, AnyTargets Targets>
Minibatches minibatches(const Inputs& inputs, const Targets& targets, detail::Integer size, std::uint64_t seed = 0) {
    return minibatches(make_dataset(inputs, targets), size, seed);
}

/// The same without shuffling: for validation and prediction.
Minibatches minibatches_in_order(Dataset dataset, detail::Integer size);

/// minibatches(data, 0.1)
struct write_the_number_of_records;
template <class Write>
struct error_batch_size_is_no_share_of_the_records;
template <class... X>
error_batch_size_is_no_share_of_the_records<write_the_number_of_records> minibatches(const Dataset&,
                                                                                     std::floating_point auto,
                                                                                     const X&...);
template <AnyArray Inputs, AnyTargets Targets, class... X>
error_batch_size_is_no_share_of_the_records<write_the_number_of_records> minibatches(const Inputs&, const Targets&,
                                                                                     std::floating_point auto,
                                                                                     const X&...);
error_batch_size_is_no_share_of_the_records<write_the_number_of_records> minibatches_in_order(const Dataset&,
                                                                                              std::floating_point auto);

/// All records in one batch, in their order; each block whole where the dataset has blocks.
Minibatches undivided(Dataset dataset);

/// Which minibatch: both count from 0. All of a batch follows from it, the seed and what the minibatches are, so it is
/// all that has to be stored to go on exactly.
struct BatchPosition {
    std::uint64_t epoch = 0;
    std::uint64_t number = 0;  ///< within the epoch

    friend auto operator<=>(const BatchPosition&, const BatchPosition&) = default;
    /// "3/17": batch 17 of epoch 3.
    std::string text() const { return sentence(epoch, "/", number); }
    /// Back from text. Throws ArgumentError.
    static BatchPosition from_text(std::string_view text);
};

}  // namespace sigma

/// What `>>` adds to minibatches:
///     minibatches(training, 100) >> drop_last >> weighted(w) >> shard(i, n) >> prefetch(3) >> augment(inputs,
///     shift(2))
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
    std::size_t draws;  // 0: as many as records
};
struct Balanced {};
struct Seeded {
    std::uint64_t seed;
};

}  // namespace detail

/// Only whole batches: what is left over at the end of an epoch, other records in each, is left out.
inline constexpr detail::DropLast drop_last{};

/// So many batches are made ahead on a thread of their own while the step runs, from 0 (none are) to 1000.
detail::Prefetch prefetch(sigma::detail::Integer batches);

/// Part `number`, from 0, of `count`, for one of several workers or machines that share an epoch. All have the same
/// order of the whole dataset, of which batch b of part i is the i-th even part of a round of count · size records:
/// disjoint, together complete, with equally many batches for all.
detail::Shard shard(sigma::detail::Integer number, sigma::detail::Integer count);

/// Records are drawn, with replacement, in proportion to weights, one for each record of the dataset: as many as it has
/// records, or `draws`, in an epoch.
template <std::ranges::input_range Weights>
    requires std::convertible_to<std::ranges::range_value_t<Weights>, double>
detail::Weighted weighted(const Weights& weights, std::size_t draws = 0) {
    detail::Weighted all{{}, draws};
    for (const auto w : weights) all.weights.push_back(static_cast<double>(w));
    return all;
}

/// Records are drawn so that each class comes equally often on average. A label that a loss ignores is a class here,
/// since data do not know of losses: `weighted`, with 0 for such records, leaves them out.
inline constexpr detail::Balanced balanced{};

/// Another seed of all that is random.
inline detail::Seeded seeded(std::uint64_t seed) { return {seed}; }

}  // namespace sigma::data

namespace sigma {

Minibatches operator>>(Minibatches batches, data::detail::DropLast);
Minibatches operator>>(Minibatches batches, data::detail::Prefetch p);
/// Of a part, a part: shard(1, 2) >> shard(0, 3) would not be one of an even 6, so it is refused.
Minibatches operator>>(Minibatches batches, data::detail::Shard s);
/// Throws ArgumentError where there are not as many weights as records, and for weights below 0, not finite, or all 0.
Minibatches operator>>(Minibatches batches, data::detail::Weighted w);
/// Throws DataError where targets are no class numbers.
Minibatches operator>>(Minibatches batches, data::detail::Balanced);
Minibatches operator>>(Minibatches batches, data::detail::Seeded s);
/// Records are changed at random after they were copied, in each epoch in another way. Throws ArgumentError for an
/// input that there is not, ShapeError for records that cannot be changed so.
Minibatches operator>>(Minibatches batches, const data::AugmentStep& step);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/minibatches.ipp>
#endif
