// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/batches/feed.hpp>
#include <sigma/worker/batch_buffers.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace sigma::detail {

/// The batches of a training as dense arrays: gathered when they are wanted, or before that on another thread.
template <AnyNetwork N, class T>
class BatchRing {
public:
    /// Checks that the data fit the network, and that there are such batches.
    explicit BatchRing(Minibatches minibatches) : feed_(std::move(minibatches)) {}

    Minibatches& batches() { return feed_.batches; }
    /// The records of a batch, there until the next call; returns how many they are. Throws what reading them throws.
    std::ptrdiff_t gather(std::uint64_t number_of_epoch, std::uint64_t number) {
        return feed_.get({number_of_epoch, number}).records;
    }
    /// What is about to happen may change the minibatches, or the position.
    void halt() { feed_.halt(); }

    const BatchBuffers<N, T>& buffers() { return feed_.current().buffers; }
    auto inputs() { return feed_.current().buffers.inputs(); }
    auto targets() { return feed_.current().buffers.targets(); }
    std::vector<T> joined_inputs(std::ptrdiff_t records) { return feed_.current().buffers.joined_inputs(records); }

private:
    struct Slot {
        BatchBuffers<N, T> buffers;
        std::ptrdiff_t records = 0;

        void make_room(const Minibatches& of) { buffers.bind(of.dataset, of.size); }
        void fill(const Minibatches& from, const BatchRecords& of) {
            buffers.gather(from, of);
            records = static_cast<std::ptrdiff_t>(of.records.size());
        }
    };
    BatchFeed<Slot> feed_;
};

}  // namespace sigma::detail
