// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/execution/batch_buffers.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace sigma::detail {

/// The batches of a training as dense arrays: gathered when they are wanted, or before that on another thread.
template <class T>
class BatchLoader {
public:
    /// Checks that the data fit the network, and that there are such batches.
    BatchLoader(const NetworkTable& network, Minibatches minibatches);
    BatchLoader(const BatchLoader&) = delete;
    BatchLoader& operator=(const BatchLoader&) = delete;
    ~BatchLoader();

    Minibatches& batches();
    const Minibatches& batches() const;
    /// Goes on with these. Throws, and changes nothing, where they do not fit.
    void replace(Minibatches minibatches);
    /// The records of a batch, there until the next call; returns how many they are. Throws what reading them throws.
    std::ptrdiff_t gather(std::uint64_t number_of_epoch, std::uint64_t number);
    /// What is about to happen may change the minibatches, or the position.
    void halt();

    const BatchBuffers<T>& buffers() const;
    RowPointers<T> inputs() const { return buffers().inputs(); }
    RowPointers<T> targets() const { return buffers().targets(); }

private:
    struct Slot;
    Owned<BatchPrefetcher<Slot>> feed_;  // with its thread, which only the body has to know
    std::optional<BatchPosition> held_;  ///< whose records it has
};

}  // namespace sigma::detail

#ifdef SIGMA_COMPILED
extern template class sigma::detail::BatchLoader<float>;
extern template class sigma::detail::BatchLoader<double>;
#else
#include <sigma/execution/impl/batch_loader.ipp>
#endif
