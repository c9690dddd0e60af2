// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/list.hpp>
#include <sigma/device/session.hpp>
#include <sigma/layer/context.hpp>

#include <cstddef>
#include <vector>

namespace sigma::detail {

/// The states of stateful layers for streams of records: record r of a batch continues from the states that record r of
/// the previous batch has left.
template <class T>
class Streams {
public:
    /// The states before and after one batch: dense rows, one for each record.
    struct Batch {
        std::ptrdiff_t count = 0;
        std::vector<std::vector<T>> before{}, after{};

        /// Binds the states from record `first` as inputs and outputs of a program, numbered from `input` and `output`.
        void bind(Session<T>& program, ListView<CarriedState> states, int input, int output, std::ptrdiff_t first = 0);
    };

    /// Returns the number of streams, 0 before the first batch.
    std::ptrdiff_t count() const { return count_; }
    void forget() { count_ = 0; }
    /// Allocates memory for `count` streams.
    void reserve(ListView<CarriedState> states, std::ptrdiff_t count);
    /// Throws ArgumentError if there are streams, but their number is not `count`.
    void require(std::ptrdiff_t count) const;
    /// Sets the states before a batch of `count` records: those of the streams, or zeros if the number of streams
    /// differs. Allocates if the batch is larger than all earlier ones.
    void begin(ListView<CarriedState> states, std::ptrdiff_t count, Batch& batch) const;
    /// Stores the states after a batch.
    void end(Batch& batch);

private:
    std::ptrdiff_t count_ = 0;
    std::vector<std::vector<T>> rows_{};  ///< The rows of each state.
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/network/impl/streams.ipp>
#endif
