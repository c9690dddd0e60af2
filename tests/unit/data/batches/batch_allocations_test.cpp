// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/iterate.hpp>
#include <sigma/data/minibatches.hpp>
#include <sigma/data/transform/augmentations.hpp>

#include "counted_blocks.hpp"
#include "support/allocations.hpp"

#include <catch2/catch.hpp>

using namespace sigma;
using test::allocations;

#ifdef SIGMA_COUNTS_ALLOCATIONS

namespace {

/// By any thread, in six epochs, once an epoch is over.
long allocated(const Minibatches& batches) {
    BatchIterator iterator(batches);
    const auto count = batches.batches_per_epoch();
    for (std::uint64_t i = 0; i < 2 * count + batches.prefetch; ++i) iterator.next();
    const long before = allocations;
    for (std::uint64_t i = 0; i < 6 * count; ++i) iterator.next();
    return allocations - before;
}

}  // namespace

TEST_CASE("Nothing is allocated for a batch after the first ones") {
    const std::vector<float> weights(203, 1.0f);
    const auto noisy = data::augment(data::noise(0.1));
    const auto blocks = [](std::size_t active) {
        return test::block_dataset(std::make_shared<test::CountedBlocks>(203, 10), active);
    };
    for (const int depth : {0, 1, 3})
        for (const Dataset& dataset : {test::counted_dataset(203), blocks(1), blocks(6)}) {
            const Minibatches batches = minibatches(dataset, 7) >> data::prefetch(depth);
            CHECK(allocated(batches) == 0);
            CHECK(allocated(batches >> noisy >> data::drop_last >> data::shard(1, 3)) == 0);
            CHECK(allocated(batches >> noisy >> data::mixup()) == 0);
            CHECK(allocated(batches >> data::weighted(weights)) == 0);
            CHECK(allocated(undivided(dataset) >> data::prefetch(depth)) == 0);
        }
    const long before = allocations;
    const std::vector<int> one(1);
    CHECK(allocations == before + 1);  // they are counted
}

#endif
