// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/execution/machine_group.hpp>

#include <cstddef>
#include <span>

namespace sigma::detail {

/// The parts of a batch that belong to each rank. Parts of a rank are adjacent.
struct BatchParts {
    int parts = 1, ranks = 1;

    int begin(int rank) const { return static_cast<int>(static_cast<long long>(parts) * rank / ranks); }
};

/// Sums over all parts of a batch. The order of addition depends on the number of parts alone (neighbours, then pairs
/// of neighbours), so results are bit-identical on any number of ranks. A thread of its own makes the sums, one after
/// the other in the order of `begin`, which is the same on all ranks. Each rank adds up its share of the numbers, and
/// all ranks gather the results (reduce-scatter and all-gather: 2·(n-1)/n of the numbers leave each rank).
template <class T>
class PartSums {
public:
    PartSums(MachineGroup& group, BatchParts parts);
    ~PartSums();

    /// Begins a sum of `count` elements from `first` on of each of this rank's parts, into `to`. All arguments must
    /// stay valid until `wait` returns.
    void begin(std::span<T* const> own, T* to, std::size_t first, std::size_t count);
    /// Waits for all sums that were begun. Throws their errors.
    void wait();

    struct Counters {
        double busy = 0;       ///< seconds spent on sums
        double waited = 0;     ///< seconds of `wait`
        std::size_t sent = 0;  ///< bytes sent by this rank
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
