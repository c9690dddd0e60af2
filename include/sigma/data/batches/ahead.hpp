// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/data/batches/position.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace sigma::detail {

/// A ring of slots, known by their numbers, that a thread of its own fills for the batches to come, at most `depth`
/// ahead of the one in use. Nothing is locked while a slot is filled. One thread takes batches.
class AheadRing {
public:
    using Fill = AnyFunction<void(std::size_t, BatchPosition)>;

    /// `fill` runs on the other thread. The thread is started by the first `get`.
    AheadRing(std::size_t depth, std::uint64_t batches_per_epoch, Fill fill);
    ~AheadRing();
    AheadRing(const AheadRing&) = delete;
    AheadRing& operator=(const AheadRing&) = delete;

    /// The one in use.
    std::size_t current() const { return current_; }
    /// See Ahead.
    std::size_t get(BatchPosition at, std::uint64_t end);
    void halt();

private:
    struct State;
    State* const state_;
    std::size_t current_ = 0;  ///< for the thread that takes batches
};

/// The same with the slots.
template <class Slot>
class Ahead {
public:
    using Fill = AnyFunction<void(Slot&, BatchPosition)>;

    /// `fill` runs on the other thread. The thread is started by the first `get`.
    Ahead(std::size_t depth, std::uint64_t batches_per_epoch, Fill fill)
        : slots_(depth + 1), fill_(std::move(fill)),
          ring_(depth, batches_per_epoch, [this](std::size_t slot, BatchPosition at) { fill_(slots_[slot], at); }) {}
    Ahead(const Ahead&) = delete;
    Ahead& operator=(const Ahead&) = delete;

    /// All slots, to make room in them before the first `get`.
    std::vector<Slot>& slots() { return slots_; }
    /// The one in use.
    Slot& current() { return slots_[ring_.current()]; }

    /// The batch at this position, in use until the next call; no batch of epoch `end` or later is made ahead. Where it
    /// is not the one after the last, what was made ahead is thrown away. Throws what filling it threw; then the one
    /// before stays in use, and another call tries again.
    Slot& get(BatchPosition at, std::uint64_t end = std::numeric_limits<std::uint64_t>::max()) {
        return slots_[ring_.get(at, end)];
    }
    /// Throws away what was made ahead; when it returns, nothing is being filled until the next `get`.
    void halt() { ring_.halt(); }

private:
    std::vector<Slot> slots_;
    Fill fill_;
    AheadRing ring_;  // goes first: its thread uses the others
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/batches/impl/ahead.ipp>
#endif
