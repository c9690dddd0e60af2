// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/data/minibatches.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace sigma::detail {

/// A ring of numbered slots, which a thread of its own fills for the next batches, at most `depth` ahead of the one in
/// use. Holds no lock while a slot is filled. One thread takes batches.
class AheadRing {
public:
    using Fill = AnyFunction<void(std::size_t, BatchPosition)>;

    /// Constructs a ring. `fill` runs on the other thread, which the first `get` starts.
    AheadRing(std::size_t depth, std::uint64_t batches_per_epoch, Fill fill);
    ~AheadRing();
    AheadRing(const AheadRing&) = delete;
    AheadRing& operator=(const AheadRing&) = delete;

    /// Returns the slot in use.
    std::size_t current() const { return current_; }
    /// Returns the slot of the batch at this position, in use until the next call. Prepares no batch of epoch `end` or
    /// later ahead. If the batch is not the one after the last, discards prepared batches. Throws what filling the slot
    /// threw; then the slot before stays in use, and another call tries again.
    std::size_t get(BatchPosition at, std::uint64_t end);
    /// Discards prepared batches. After it returns, no slot is being filled until the next `get`.
    void halt();

private:
    struct State;
    State* const state_;
    std::size_t current_ = 0;  ///< read and written by the thread that takes batches
};

/// Batches one after the other in slots, prepared ahead if the minibatches have `prefetch`.
///     void Slot::make_room(const Minibatches&)  once; copies are slots with as much room
///     void Slot::fill(const Minibatches&, const BatchRecords&)
template <class Slot>
class BatchPrefetcher {
public:
    /// Constructs the slots, as copies of `first` after `make_room`.
    explicit BatchPrefetcher(Minibatches minibatches, Slot first = {})
        : batches((minibatches.examine(), std::move(minibatches))),
          ring_(batches.prefetch, batches.batches_per_epoch(),
                [this](std::size_t slot, BatchPosition at) { fill(slots_[slot], at); }) {
        slots_.reserve(batches.prefetch + 1);
        slots_.push_back(std::move(first));
        slots_[0].make_room(batches);
        for (std::size_t i = 1; i <= batches.prefetch; ++i) slots_.push_back(slots_[0]);
    }

    /// The minibatches. Change them only between `halt` and the next `get`.
    Minibatches batches;

    Slot& current() { return slots_[ring_.current()]; }
    /// Returns the slot of the batch at this position; see AheadRing::get.
    Slot& get(BatchPosition at, std::uint64_t end = std::numeric_limits<std::uint64_t>::max()) {
        if (batches.prefetch > 0) return slots_[ring_.get(at, end)];
        fill(current(), at);
        return current();
    }
    /// Discards prepared batches and the order of records.
    void halt() {
        ring_.halt();
        blocks_.reset();
        order_epoch_.reset();
    }

private:
    // Used by the thread that fills slots, whichever it is.
    std::vector<Slot> slots_;
    std::optional<std::uint64_t> order_epoch_;
    std::vector<std::size_t> order_;
    Owned<BlockWatch> blocks_;
    AheadRing ring_;  // last, so that it is destroyed first: its thread uses the others

    void fill(Slot& slot, BatchPosition at) {
        if (order_epoch_ != at.epoch) {
            order_epoch_.reset();
            batches.order(at.epoch, order_);
            order_epoch_ = at.epoch;
        }
        const auto records = batches.batch(order_, at.number);
        if (batches.prefetch > 0 && !blocks_) blocks_ = blocks_ahead(batches);
        slot.fill(batches, {at.epoch, at.number, records, static_cast<std::size_t>(records.data() - order_.data()),
                            blocks_.get(), order_});
    }
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/prefetcher.ipp>
#endif
