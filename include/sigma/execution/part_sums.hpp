// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/execution/machine_group.hpp>

#include <cstddef>
#include <span>

namespace sigma::detail {

/// Which parts of a batch, of so many, are whose: those of a rank stand side by side.
struct BatchParts {
    int parts = 1, ranks = 1;

    int begin(int rank) const { return static_cast<int>(static_cast<long long>(parts) * rank / ranks); }
};

/// Sums over all parts of a batch, in an order that follows from the number of parts alone, so that they have the same
/// bits on any number of ranks: neighbours first, then pairs of neighbours. They are made on a thread of their own,
/// one after the other in the order in which they are asked for, which is the same on all ranks; each rank adds up its
/// share of the numbers, and all gather them (reduce-scatter and all-gather: 2·(n-1)/n of the numbers leave each rank).
template <class T>
class PartSums {
public:
    PartSums(MachineGroup& group, BatchParts parts);
    ~PartSums();

    /// From elements `first` on, so many: of each of this rank's parts, into `to`. All stay there until `wait` returns.
    void begin(std::span<T* const> own, T* to, std::size_t first, std::size_t count);
    /// For all that was begun. Throws what failed.
    void wait();

    struct Counters {
        double busy = 0;       ///< seconds in which sums were made
        double waited = 0;     ///< seconds of `wait`
        std::size_t sent = 0;  ///< bytes that left this rank
    };
    Counters counters() const;

private:
    struct State;
    Owned<State> state_;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/execution/impl/part_sums.ipp>
#endif
