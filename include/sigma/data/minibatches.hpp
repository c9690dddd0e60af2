// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/philox.hpp>
#include <sigma/data/dataset.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sigma {

/// The records of a dataset in batches of `size`. In each epoch every record comes once; the last batch is shorter
/// where the size does not divide the record count.
struct Minibatches {
    Dataset dataset;
    std::size_t size;
    bool shuffling = true;   // a new random order for each epoch, else the dataset's order
    std::uint64_t seed = 0;  // of the random orders

    std::size_t batches_per_epoch() const { return (dataset.size() + size - 1) / size; }

    // The records of an epoch in their order. Allocates nothing where `records` has the capacity already.
    void order(std::uint64_t number, std::vector<std::size_t>& records) const {
        records.resize(dataset.size());
        std::iota(records.begin(), records.end(), std::size_t{0});
        if (shuffling) shuffle(std::span(records), seed, number);
    }

    // The records of one batch of that order.
    std::span<const std::size_t> batch(std::span<const std::size_t> order, std::size_t index) const {
        return order.subspan(index * size, std::min(size, order.size() - index * size));
    }

    // Copies records to rows of `inputs` and `targets`, `*_stride` numbers apart; of several inputs and targets the first.
    template <class T>
    void gather(std::span<const std::size_t> records, T* inputs, std::size_t input_stride, T* targets,
                std::size_t target_stride) const {
        dataset.copy_inputs(records, inputs, input_stride);
        dataset.copy_targets(records, targets, target_stride);
    }
};

/// minibatches(training, 100). `size` must be from 1 to the record count.
Minibatches minibatches(Dataset dataset, std::integral auto size, std::uint64_t seed = 0) {
    if (std::cmp_less(size, 1) || std::cmp_greater(size, dataset.size()))
        throw ArgumentError(sentence("minibatches of dataset '", dataset.name(), "'"),
                            sentence("a batch size from 1 to ", dataset.size()), sentence(size));
    return {.dataset = std::move(dataset), .size = static_cast<std::size_t>(size), .seed = seed};
}

/// The same without shuffling: for validation and prediction.
Minibatches minibatches_in_order(Dataset dataset, std::integral auto size) {
    Minibatches batches = minibatches(std::move(dataset), size);
    batches.shuffling = false;
    return batches;
}

}  // namespace sigma
