// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/list.hpp>
#include <sigma/device/session.hpp>
#include <sigma/layer/context.hpp>

#include <cstddef>
#include <vector>

namespace sigma::detail {

/// What stateful layers remember of streams of records: record r of a batch goes on where record r of the one before
/// has ended.
template <class T>
class Streams {
public:
    /// The states of one batch, dense rows, one for each record: what it begins with and what it leaves.
    struct Batch {
        std::ptrdiff_t count = 0;
        std::vector<std::vector<T>> before{}, after{};

        /// From a record on, as inputs and outputs of a program with these numbers and the following ones.
        void bind(Session<T>& program, ListView<CarriedState> states, int input, int output, std::ptrdiff_t first = 0);
    };

    /// How many streams there are; none before the first batch.
    std::ptrdiff_t count() const { return count_; }
    void forget() { count_ = 0; }
    /// Memory for so many streams.
    void reserve(ListView<CarriedState> states, std::ptrdiff_t count);
    /// Throws ArgumentError where there are streams, but not so many.
    void require(std::ptrdiff_t count) const;
    /// A batch of so many records goes on from here, or begins with zeros where there are not as many streams.
    /// Allocates where it is larger than every one before.
    void begin(ListView<CarriedState> states, std::ptrdiff_t count, Batch& batch) const;
    /// Where it has ended is from where the next one goes on.
    void end(Batch& batch);

private:
    std::ptrdiff_t count_ = 0;
    std::vector<std::vector<T>> rows_{};  ///< of each state
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/network/impl/streams.ipp>
#endif
