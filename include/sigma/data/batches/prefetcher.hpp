// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/batches/ahead.hpp>
#include <sigma/data/batches/block_ahead.hpp>
#include <sigma/data/minibatches.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace sigma::detail {

/// One batch after the other in slots, ahead of their use where the minibatches say so.
///     void Slot::make_room(const Minibatches&)  once; copies are slots with as much room
///     void Slot::fill(const Minibatches&, const BatchRecords&)
template <class Slot>
class BatchPrefetcher {
public:
    /// All slots are copies of `first`, once it has room.
    explicit BatchPrefetcher(Minibatches minibatches, Slot first = {})
        : batches((minibatches.check(), std::move(minibatches))),
          ahead_(batches.prefetch, batches.batches_per_epoch(),
                 [this](Slot& slot, BatchPosition at) { fill(slot, at); }) {
        auto& slots = ahead_.slots();
        slots[0] = std::move(first);
        slots[0].make_room(batches);
        for (std::size_t i = 1; i < slots.size(); ++i) slots[i] = slots[0];
    }

    /// To be changed between `halt` and the next `get` only.
    Minibatches batches;

    Slot& current() { return ahead_.current(); }
    /// See Ahead::get.
    Slot& get(BatchPosition at, std::uint64_t end = std::numeric_limits<std::uint64_t>::max()) {
        if (batches.prefetch > 0) return ahead_.get(at, end);
        fill(current(), at);
        return current();
    }
    /// Throws away what was made ahead, and all that is known of the order of records.
    void halt() {
        ahead_.halt();
        blocks_.reset();
        order_epoch_.reset();
    }

private:
    // Used by whichever thread fills slots.
    std::optional<std::uint64_t> order_epoch_;
    std::vector<std::size_t> order_;
    std::optional<BlockAhead> blocks_;
    Ahead<Slot> ahead_;  // goes first: its thread uses the others

    void fill(Slot& slot, BatchPosition at) {
        if (order_epoch_ != at.epoch) {
            order_epoch_.reset();
            batches.order(at.epoch, order_);
            order_epoch_ = at.epoch;
        }
        const auto records = batches.batch(order_, at.number);
        if (batches.prefetch > 0 && !blocks_ && BlockAhead::possible(batches)) blocks_.emplace(batches);
        slot.fill(batches, {at.epoch, at.number, records, static_cast<std::size_t>(records.data() - order_.data()),
                            blocks_ ? &*blocks_ : nullptr});
    }
};

}  // namespace sigma::detail
